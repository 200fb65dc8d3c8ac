"""The first program of a run: takes on its limits and its user, waits for the word, then becomes the bot.

It is started by its path with ``python -I -S``, inside the sandbox, so it imports nothing of ours. Arguments: the
descriptor of the door to the referee; the user to become, or nothing; the parent to die with, or nothing; the limits,
as ``NOFILE=256,CORE=0``; the bot's folder; then its command.
"""

import os
import resource
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9
BEHIND = 10
"""How much nicer bots are than the referee: hundreds of processes of theirs must not keep it from stopping them."""


def main(door: str, user: str, parent: str, limits: str, folder: str, *command: str) -> None:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # when the machine is out of memory, bots go first
    os.nice(BEHIND)
    for limit in limits.split(","):
        set_limit(*limit.split("="))
    if parent:
        die_with(int(parent))
    if user:
        become(int(user))
    try:
        os.chdir(folder)
        os.listdir()
        os.environ["PWD"] = folder
    except OSError as error:
        sys.exit(f"the folder can't be read by the user that bots run as ({error.strerror}): chmod -R a+rX it")
    wait_for_the_word(int(door))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def wait_for_the_word(door: int) -> None:
    try:
        os.write(door, b"i")
        if os.read(door, 1):
            os.close(door)
            return
    except OSError:
        pass
    sys.exit("the referee has gone")


def set_limit(name: str, value: str) -> None:
    kind = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(kind)[1]
    limit = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
    resource.setrlimit(kind, (limit, limit))


def die_with(parent: int) -> None:
    """Outside a sandbox: ends when the referee does. One that went before is noticed by its absence."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit("the referee has gone")


def become(user: int) -> None:
    """Another user without any group or capability."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


if __name__ == "__main__":
    main(*sys.argv[1:])
