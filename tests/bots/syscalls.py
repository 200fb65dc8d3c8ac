"""Makes a system call for each number in its arguments and prints the error that each one gets."""

import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)
for number in map(int, sys.argv[1:]):
    ctypes.set_errno(0)
    result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
    print(ctypes.get_errno() if result == -1 else "done")
