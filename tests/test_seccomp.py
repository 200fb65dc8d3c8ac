"""The filter of system calls, run as the kernel runs it, for both machines that it is written for."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.seccomp import MACHINES, REFUSED, seccomp_filter

X86, ARM = 0xC000003E, 0xC00000B7
ALLOW, KILL = "allow", "kill"
CLONE = {"x86_64": 56, "aarch64": 220}
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE3 = 435
CLONE_VM, CLONE_VFORK, CLONE_THREAD, CLONE_NEWUSER, SIGCHLD = 0x100, 0x4000, 0x10000, 0x10000000, 17
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
machines = pytest.mark.parametrize("machine", MACHINES)


def answer(program: bytes, number: int, argument: int = 0, arch: int = X86) -> str | int:
    """What the filter says to a call: allow, kill, or the error with which it fails."""
    data = struct.pack("=IIQ6Q", number, arch, 0, argument, 0, 0, 0, 0, 0)
    code = list(struct.iter_unpack("=HBBI", program))
    tests = {0x15: lambda a, k: a == k, 0x35: lambda a, k: a >= k, 0x45: lambda a, k: bool(a & k)}
    accumulator = at = 0
    while True:
        operation, if_true, if_false, constant = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif operation == 0x06:
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(constant & 0xFFFF0000, constant & 0xFFFF)
        else:
            at += if_true if tests[operation](accumulator, constant) else if_false


def ask(machine: str, number: int, argument: int = 0, *, processes: bool = False) -> str | int:
    return answer(seccomp_filter(machine, processes), number, argument, MACHINES[machine])


@machines
@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_use_in_a_card_game_is_refused(machine: str, name: str, processes: bool) -> None:
    number = REFUSED[name][list(MACHINES).index(machine)]
    assert number is None or ask(machine, number, processes=processes) == errno.EPERM


@machines
def test_threads_are_allowed_and_processes_only_if_asked_for(machine: str) -> None:
    thread, fork, vfork = CLONE_VM | CLONE_THREAD, SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD
    for processes in (False, True):
        assert ask(machine, CLONE[machine], thread, processes=processes) == ALLOW
        for flags in (fork, vfork):
            expected = ALLOW if processes else errno.EPERM
            assert ask(machine, CLONE[machine], flags, processes=processes) == expected


def test_fork_and_vfork_are_calls_of_their_own_on_x86_64() -> None:
    for number in (57, 58):
        assert ask("x86_64", number) == errno.EPERM
        assert ask("x86_64", number, processes=True) == ALLOW


@machines
@pytest.mark.parametrize("namespace", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
def test_no_call_of_clone_makes_a_namespace(machine: str, namespace: int) -> None:
    for processes in (False, True):
        for flags in (SIGCHLD, CLONE_VM | CLONE_THREAD):
            assert ask(machine, CLONE[machine], flags | namespace, processes=processes) == errno.EPERM


@machines
def test_clone3_is_said_not_to_be_there(machine: str) -> None:
    assert ask(machine, CLONE3, processes=True) == errno.ENOSYS


@machines
def test_sockets_are_of_families_that_a_namespace_walls_off(machine: str) -> None:
    allowed = {family for family in range(64) if ask(machine, SOCKET[machine], family) == ALLOW}
    assert allowed == {1, 2, 10, 16}
    assert ask(machine, SOCKET[machine], 40) == errno.EAFNOSUPPORT  # vsock: the machine's own host


@machines
@given(number=st.integers(463, 0x3FFFFFFF))
def test_calls_that_nobody_has_judged_are_said_not_to_be_there(machine: str, number: int) -> None:
    assert ask(machine, number) == errno.ENOSYS


@given(number=st.integers(0, 0xFFFFFFFF), arch=st.integers(0, 0xFFFFFFFF).filter(lambda arch: arch not in (X86, ARM)))
def test_another_machines_calls_end_the_program(number: int, arch: int) -> None:
    for machine in MACHINES:
        assert answer(seccomp_filter(machine, True), number, arch=arch) == KILL


@given(number=st.integers(0x40000000, 0xFFFFFFFF))
def test_x32_calls_end_the_program(number: int) -> None:
    assert ask("x86_64", number) == KILL


@machines
def test_all_else_is_allowed(machine: str) -> None:
    refused = {call[list(MACHINES).index(machine)] for call in REFUSED.values()} | {CLONE3, SOCKET[machine]}
    refused |= {57, 58, 56} if machine == "x86_64" else {220}
    for number in set(range(463)) - refused:
        assert ask(machine, number) == ALLOW


@machines
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip(f"the kernel's headers for {machine} are not installed")
    numbers = {
        name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    }
    column = list(MACHINES).index(machine)
    known = {name: call[column] for name, call in REFUSED.items() if name in numbers}
    assert known == {name: numbers[name] for name in known}
    assert len(known) > 50
    assert (CLONE[machine], SOCKET[machine], CLONE3) == tuple(numbers[n] for n in ("clone", "socket", "clone3"))
