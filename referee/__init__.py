"""The rules of 3-5-8 as pure values, and the table where three bots are asked, watched and recorded."""

import protocol as protocol  # before gRPC is imported: it says how gRPC polls
