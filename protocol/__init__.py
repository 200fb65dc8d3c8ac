"""What referee and bots share: cards, views, messages, and the kit that a bot is written with."""

import os

# gRPC polls its sockets in the threads that wait for them. Its event engine, the default, has others do it, which for a
# message wakes twice as many threads (docs/speed.md). gRPC reads this when it is imported; what is set already, stays.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_client,-event_engine_listener")
