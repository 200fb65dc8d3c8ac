"""Entrants, schedule, leagues, ratings and reports, and the command line."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # gRPC's library would tell our stderr when a bot hangs up
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # while all cores play, numpy's threads would wait for each other
