"""What a bot needs that a league does not give: a network, a folder to write in, processes of its own.

A bot that fails is tried again with the one or the other allowed, in the same sandbox: if that helps, that was it.
"""

from __future__ import annotations

from pathlib import Path

from grpc import aio

from arena.check_talk import Conversation, Subject
from protocol.view import NO_CLOCK
from referee.bot_process import BotProcess, StartFailure
from referee.match import Match

__all__ = ["need_of", "network_use"]

# Counters of the bot's own network (proc(5), net/snmp and net/snmp6): it is new, so whatever they count, the bot did.
COUNTERS = ("OutNoRoutes", "OutRequests", "Ip6OutNoRoutes", "Ip6OutRequests")
# What libraries say when there is no network.
WORDS = ("network is unreachable", "name resolution", "name or service not known", "enetunreach", "eai_again")


async def need_of(subject: Subject, match: Match | None) -> tuple[str, str] | None:
    """The point that explains why a bot failed, and what was seen; None where nothing does.

    :param match: where it failed to answer; None: it did not start.
    """
    program = subject.seated.program
    if program is None or subject.limits.sandbox == "none":
        return None
    tail = (subject.process.output_tail() if subject.process else subject.tail).decode("utf-8", "replace").lower()
    if any(word in tail for word in WORDS) or (match is None and subject.process and network_use(subject.process)):
        return "no network", f"it tries to reach the network, and fails without{subject.last_words()}"
    if match and await helped(subject, match):  # it fails now and then
        return None
    if not program.processes and await helped(subject, match, processes=True):
        return "no processes", f"it fails when it may not start processes{subject.last_words()}"
    if await helped(subject, match, writable=True):
        return "no disk", f"it fails when it can't write in its folder{subject.last_words()}"
    return None


async def helped(subject: Subject, match: Match | None, *, processes: bool = False, writable: bool = False) -> bool:
    """Whether a new run with more rights starts, and answers."""
    other = Subject(subject.seated, subject.limits, subject.home / f"need-{processes}-{writable}")
    other.home.mkdir(mode=0o700, exist_ok=True)
    try:
        await other.start(processes=processes, writable=writable)
        await other.describe()
        if match is None:
            return True
        conversation = Conversation(other, match.rules, match.seat)
        await conversation.open()
        reply = await conversation.ask(match.view(match.seat, NO_CLOCK))
        conversation.cancel()
        return not reply.trouble
    except (StartFailure, aio.AioRpcError):
        return False
    finally:
        await other.stop()


def network_use(process: BotProcess) -> int:
    """How often a walled-off bot tried to send something; 0 if it has ended."""
    return sum(sent(pid) for pid in process.members()[-1:])


def sent(pid: int) -> int:
    try:
        tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines() for name in ("snmp", "snmp6")]
    except OSError:
        return 0
    names_and_values = zip(tables[0][::2], tables[0][1::2], strict=False)
    counts = [pair for line, values in names_and_values for pair in zip(line.split(), values.split(), strict=False)]
    counts += [(name, value) for name, value in (line.split() for line in tables[1])]
    return sum(int(value) for name, value in counts if name in COUNTERS)
