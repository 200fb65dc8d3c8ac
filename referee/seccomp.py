"""The system calls that a bot's processes may not make, as a seccomp filter (seccomp(2)) for bubblewrap.

What has no use in a card game and has been a way out of sandboxes, or takes memory that no limit counts, is refused.
Numbers are from the kernel's headers, asm/unistd_64.h for x86_64 and asm-generic/unistd.h for aarch64.
"""

from __future__ import annotations

import errno
import struct

__all__ = ["MACHINES", "REFUSED", "seccomp_filter"]

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines that the filter is written for, with their AUDIT_ARCH numbers."""

REFUSED: dict[str, tuple[int | None, int | None]] = {
    # looking into or holding other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    # mounts and namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    # keyrings, programs in the kernel, and what has often been broken
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "modify_ldt": (154, None),
    "personality": (135, 92),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "quotactl": (179, 60), "quotactl_fd": (443, 443), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "iopl": (172, None), "ioperm": (173, None), "vhangup": (153, 58),
    # memory that no limit counts
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "mq_open": (240, 180),
    # leaving the core that the table plays on
    "sched_setaffinity": (203, 122), "migrate_pages": (256, 238), "move_pages": (279, 239),
}  # fmt: skip
"""Refused with EPERM: each call's number on x86_64 and on aarch64, None where there is no such call."""

FORK, VFORK = 57, 58  # x86_64 only; elsewhere both are calls of clone
CLONE, SOCKET = (56, 220), (41, 198)
CLONE3 = 435
NEWEST = 462  # mseal, Linux 6.10; what comes after it nobody has judged
X32 = 0x40000000  # numbers of the x32 calls begin here
CLONE_THREAD = 0x00010000
CLONE_NEW_NAMESPACE = 0x7E020000  # user, pid, net, mount, uts, ipc, cgroup
FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink: all that lies within a network namespace

# Instructions (linux/bpf_common.h) and answers (linux/seccomp.h).
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def seccomp_filter(machine: str, processes: bool) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    :param machine: ``x86_64`` or ``aarch64``, as ``os.uname().machine`` says.
    :param processes: whether fork is allowed; threads always are.
    :raises KeyError: the filter is not written for this machine.
    """
    column = list(MACHINES).index(machine)
    code: list[Instruction] = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    code += [(LOAD, 0, 0, NUMBER)]
    if machine == "x86_64":
        code += _answer(AT_LEAST, X32, KILL)
    code += _answer(AT_LEAST, NEWEST + 1, ERROR | errno.ENOSYS)
    # The flags of clone3 can't be read by a filter; without it the C library calls clone.
    code += _answer(EQUAL, CLONE3, ERROR | errno.ENOSYS)
    refused = [call[column] for call in REFUSED.values()]
    if machine == "x86_64" and not processes:
        refused += [FORK, VFORK]
    for number in refused:
        if number is not None:
            code += _answer(EQUAL, number, ERROR | errno.EPERM)
    code += _when(CLONE[column], _clone(processes))
    code += _when(SOCKET[column], _socket())
    code += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _answer(test: int, value: int, answer: int) -> list[Instruction]:
    return [(test, 0, 1, value), (RETURN, 0, 0, answer)]


def _when(number: int, block: list[Instruction]) -> list[Instruction]:
    return [(EQUAL, 0, len(block), number), *block]


def _clone(processes: bool) -> list[Instruction]:
    """No new namespaces; and no new process, only threads, unless processes are allowed."""
    return [
        (LOAD, 0, 0, FIRST_ARGUMENT),
        *_answer(ANY_BIT, CLONE_NEW_NAMESPACE, ERROR | errno.EPERM),
        *_answer(ANY_BIT, CLONE_THREAD, ALLOW),
        (RETURN, 0, 0, ALLOW if processes else ERROR | errno.EPERM),
    ]


def _socket() -> list[Instruction]:
    """Only families that a network namespace walls off: vsock, for one, would reach the machine's own host."""
    code: list[Instruction] = [(LOAD, 0, 0, FIRST_ARGUMENT)]
    for family in FAMILIES:
        code += _answer(EQUAL, family, ALLOW)
    return [*code, (RETURN, 0, 0, ERROR | errno.EAFNOSUPPORT)]
