"""Programs that try to get out of the sandbox, or to take more than their share, as real processes."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from referee import sandbox
from referee.process_tree import descendants
from referee.sandbox import SandboxError, describe, usable_sandbox
from referee.seccomp import MACHINES, REFUSED
from tests.walled import BOTH, alive, python, tried, wait_until

ROOT = Path(__file__).parent.parent

# Which sandbox there is


def test_bots_are_isolated_here() -> None:
    assert usable_sandbox("auto") == usable_sandbox("require") == "bubblewrap"
    assert describe("bubblewrap").startswith("bubblewrap (/")


def test_none_is_none_and_says_what_that_means() -> None:
    assert usable_sandbox("none") == "none"
    assert "not isolated" in describe("none")


@pytest.fixture
def broken_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.bubblewrap.cache_clear()
    monkeypatch.setattr(sandbox.shutil, "which", lambda *_, **__: "/bin/false")
    monkeypatch.setattr(sandbox, "_bundled", lambda: None)


@pytest.mark.usefixtures("broken_bubblewrap")
def test_where_bubblewrap_does_not_work_bots_are_not_isolated_unless_that_is_required() -> None:
    assert usable_sandbox("auto") == "none"
    with pytest.raises(SandboxError, match=r"bubblewrap does not work here \(/bin/false: exit code 1\): .*--sandbox"):
        usable_sandbox("require")
    sandbox.bubblewrap.cache_clear()


@pytest.mark.parametrize(
    ("script", "why", "remedy"),
    [
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "uid map: Permission denied", "namespaces"),
        ("echo 'bwrap: Unknown option --perms' >&2; exit 1", "Unknown option --perms", "install a newer one"),
        ("echo \"No module named 'protocol'\" >&2; exit 1", "No module named 'protocol'", "mend that"),
        ("exec sleep 60", "did not end within 0.5 s", "less busy"),
        (None, "Exec format error", "mend that"),
        ("", "there is none", "install it"),
    ],
)
def test_why_bubblewrap_does_not_work_is_said_and_what_helps(
    script: str | None, why: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("" if script is None else f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox.shutil, "which", lambda *_, **__: str(fake) if script != "" else None)
    monkeypatch.setattr(sandbox, "_bundled", lambda: None)
    monkeypatch.setattr(sandbox, "PROBE_S", 0.5 if script == "exec sleep 60" else 30.0)
    sandbox.bubblewrap.cache_clear()
    with pytest.raises(SandboxError, match=rf"\(.*{re.escape(why)}.*\): .*{remedy}"):
        usable_sandbox("require")
    sandbox.bubblewrap.cache_clear()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can lose what it may do")
def test_root_who_may_make_no_namespaces_is_told_so() -> None:
    code = "from referee.sandbox import usable_sandbox; usable_sandbox('require')"
    command = ["setpriv", "--bounding-set=-sys_admin", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Creating new namespace failed: Operation not permitted" in done.stderr
    assert "allow whoever runs the arena to make namespaces" in done.stderr


def test_the_bundled_bubblewrap_is_taken_where_the_systems_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.bubblewrap.cache_clear()
    monkeypatch.setattr(sandbox.shutil, "which", lambda *_, **__: "/bin/false")
    assert sandbox.bubblewrap() == sandbox._bundled()
    sandbox.bubblewrap.cache_clear()


# The network


def test_no_host_can_be_reached() -> None:
    code = """
        import socket
        for family, address in ((socket.AF_INET, ("1.1.1.1", 80)), (socket.AF_INET6, ("2606:4700::1111", 80))):
            try:
                socket.socket(family).connect(address)
            except OSError as error:
                print(error.errno)
    """
    assert python(code).words == [str(errno.ENETUNREACH)] * 2


def test_neither_a_port_nor_an_abstract_socket_of_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0arena-test")
        abstract.listen()
        code = f"""
            import socket
            for family, address in ((socket.AF_INET, {server.getsockname()}), (socket.AF_UNIX, "\\0arena-test")):
                print(socket.socket(family).connect_ex(address))
        """
        assert python(code).words == [str(errno.ECONNREFUSED)] * 2


def test_a_virtual_machines_host_can_not_be_reached() -> None:
    code = "import socket\ntry: socket.socket(socket.AF_VSOCK)\nexcept OSError as error: print(error.errno)"
    assert python(code).words == [str(errno.EAFNOSUPPORT)]


# Other processes


def test_no_other_process_is_to_be_seen_or_signalled() -> None:
    code = f"""
        import os, signal
        print(*sorted(name for name in os.listdir("/proc") if name.isdigit()))
        for pid in ({os.getpid()}, {os.getppid()}):
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                print("nobody")
    """
    assert python(code).words == ["1", "2", "nobody", "nobody"]


def test_a_program_has_no_capability_and_gains_no_privilege() -> None:
    code = r"""
        import re
        status = open("/proc/self/status").read()
        print(*re.findall(r"(?:CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp|Groups):\t(\w*)", status), sep=",")
    """
    groups, *capabilities, privileges, seccomp = python(code).said.strip().split(",")
    assert all(int(mask, 16) == 0 for mask in capabilities)
    assert (privileges, seccomp) == ("1", "2")
    assert groups in ("", "65534")


def test_a_program_is_not_root_inside_and_under_root_nobody_else_outside() -> None:
    code = "import os; print(os.getuid(), os.geteuid(), os.getgid(), *os.getgroups())"
    first, second = python(code).words, python(code).words
    assert "0" not in first + second
    if os.getuid() == 0:
        assert len(set(first[:3])) == 1
        assert first != second


# The host's files


def test_a_program_sees_its_folder_the_system_and_the_arenas_packages_only(tmp_path: Path) -> None:
    folder = _readable(tmp_path)
    (folder / "own").touch()
    packages = [str(ROOT / "protocol"), str(ROOT / "referee"), sys.prefix, sys.base_prefix]
    system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/dev", "/etc", "/proc"]
    code = f"""
        import os
        for folder, folders, files in os.walk("/"):
            if folder in {packages + system}:
                folders.clear()
            elif files:
                print(folder, *files)
    """
    assert python(code, folder=folder).words == ["/bot", "own"]
    assert set(python("import os; print(*os.listdir('/etc'))").words) <= {
        p.name for p in Path("/etc").glob("java-*")
    } | {*("alternatives", "ld.so.cache", "localtime")}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/machine-id", "/var", "/sys", "/run", str(ROOT / "arena"), __file__]
)
def test_nothing_of_the_hosts_files_is_there(path: str) -> None:
    assert python(f"import os; print(os.path.exists({path!r}))").words == ["False"]


def test_only_scratch_can_be_written() -> None:
    code = """
        import os, sys
        import protocol.cards
        system = ("/", "/bot", "/usr", "/etc", "/dev", "/proc", sys.prefix + "/lib")
        for folder in (*system, os.path.dirname(protocol.__file__)):
            try:
                open(folder + "/x", "w")
                print("written:", folder)
            except OSError:
                pass
        for folder in ("/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]):
            open(folder + "/x", "w").write("mine")
    """
    assert python(code).said == ""


def test_a_program_can_not_change_its_own_package() -> None:
    code = "import os\nfor name in os.listdir('.'):\n  try: os.remove(name)\n  except OSError as e: print(e.errno)"
    assert set(python(code).words) == {str(errno.EROFS)}


def test_scratch_is_new_each_time() -> None:
    code = "import os; print(os.path.exists('/tmp/board-7')); open('/tmp/board-7', 'w').write('AS')"
    assert [python(code).said for _ in range(2)] == ["False\n"] * 2


def test_the_environment_and_the_hostname_say_nothing_of_this_machine() -> None:
    os.environ["ARENA_TEST_SECRET"] = "x"
    try:
        code = "import os; print(os.uname().nodename, os.getcwd(), *sorted(os.environ))"
        assert python(code).words == [
            *("bot", "/bot", "ARENA_SOCKET", "HOME", "JAVA_TOOL_OPTIONS", "LANG", "PATH", "PWD"),
            *("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "TMPDIR"),
        ]
    finally:
        del os.environ["ARENA_TEST_SECRET"]


def test_a_program_gets_no_open_file_but_its_output(tmp_path: Path) -> None:
    with (tmp_path / "the arena's").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        code = "import os; print(*(f for f in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{f}')))"
        assert sorted(python(code).words) == ["0", "1", "2"]


def test_a_folder_that_bots_can_not_read_is_the_arenas_failure_and_says_so(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("an ordinary user's bots read what the user can read")
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(SandboxError, match=r"can't be read by the user that bots run as.*chmod -R a\+rX"):
        tried("true", folder=private)


# System calls, processes and threads


def test_refused_system_calls_fail() -> None:
    column = list(MACHINES).index(os.uname().machine)
    numbers = [str(call[column]) for call in REFUSED.values() if call[column] is not None]
    assert tried("python", "syscalls.py", *numbers).words == [str(errno.EPERM)] * len(numbers)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="int 0x80 is an instruction of x86 processors")
def test_a_32_bit_system_call_ends_the_program() -> None:
    code = r"""
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, getpid; int 0x80; ret
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    """
    assert python(code).end == "signal SIGSYS"


def test_a_program_may_start_threads_but_no_processes() -> None:
    code = """
        import os, subprocess, threading
        thread = threading.Thread(target=print, args=("thread",))
        thread.start()
        thread.join()
        for start in (os.fork, lambda: subprocess.run(["true"]), lambda: os.posix_spawn("/bin/true", ["true"], {})):
            try:
                start()
            except PermissionError:
                print("refused")
    """
    assert python(code).words == ["thread", "refused", "refused", "refused"]


def test_a_program_that_asks_for_processes_may_start_some() -> None:
    code = """
        import multiprocessing, subprocess
        with multiprocessing.Pool(3) as pool:
            print(sum(pool.map(abs, range(10))))
        subprocess.run(["echo", "echo"])
    """
    assert python(code, processes=True).words == ["45", "echo"]


def test_a_fork_bomb_is_ended() -> None:
    outcome = python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", processes=True)
    assert outcome.end == "it had more than 32 processes"


def test_a_thread_bomb_comes_to_an_end_by_itself() -> None:
    code = """
        import threading, time
        count = 0
        try:
            while True:
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
                count += 1
        except RuntimeError:
            print(count, flush=True)
            os._exit(0)
    """
    outcome = python("import os\n" + textwrap.dedent(code))
    assert outcome.end == "exit code 0"
    assert 64 < int(outcome.said) < 256


def test_a_program_may_not_choose_its_processor() -> None:
    code = "import os\ntry: os.sched_setaffinity(0, {0})\nexcept PermissionError: print('refused')"
    assert python(code).words == ["refused"]


# Memory, files, output


def test_a_program_that_takes_too_much_memory_is_ended() -> None:
    code = "import time\nhoard = []\nwhile True: hoard.append(bytearray(2**23)); time.sleep(0.005)"
    assert python(code, memory_mb=64).end == "it used more than 64 MB of memory"


def test_memory_that_is_shared_counts() -> None:
    code = "import mmap, time\nm = mmap.mmap(-1, 2**27)\nfor i in range(2**15): m[i * 4096] = 1\ntime.sleep(60)"
    assert python(code, memory_mb=64).end == "it used more than 64 MB of memory"


def test_the_memory_of_all_processes_counts() -> None:
    code = "import os, time\nfor _ in range(3): os.fork()\nhoard = bytearray(2**24)\ntime.sleep(60)"
    assert python(code, processes=True, memory_mb=64).end == "it used more than 64 MB of memory"


def test_a_program_is_refused_memory_that_it_could_fill_before_the_watch_sees_it() -> None:
    assert "MemoryError" in python("bytearray(2**30)").said


def test_memory_that_is_only_reserved_does_not_count() -> None:
    code = "import mmap; mmap.mmap(-1, 2**36, flags=mmap.MAP_PRIVATE | 0x4000, prot=0); print('reserved')"
    assert python(code).words == ["reserved"]


def test_scratch_holds_64_mb() -> None:
    code = """
        size = 0
        try:
            for number in range(100):
                with open(f"/tmp/{number}", "wb", buffering=0) as file:
                    size += sum(file.write(bytes(2**20)) for _ in range(10))
        except OSError as error:
            print(error.errno, sum(1 for _ in range(number)))
    """
    assert python(code).words == [str(errno.ENOSPC), "6"]


def test_a_file_holds_64_mb() -> None:
    code = """
        import os, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        file = open("/tmp/x", "w")
        os.truncate(file.fileno(), 2**26)
        try:
            os.truncate(file.fileno(), 2**26 + 1)
        except OSError as error:
            print(error.errno)
    """
    assert python(code).words == [str(errno.EFBIG)]


def test_a_flood_of_files_is_ended() -> None:
    outcome = python("n = 0\nwhile True: n += 1; open(f'/tmp/{n}', 'w').close()")
    assert outcome.end == "it had more than 20000 files in /tmp"


def test_a_program_may_open_256_files() -> None:
    code = "files = []\ntry:\n  while True: files.append(open('/dev/null'))\nexcept OSError as e: print(e.errno)"
    assert python(code).words == [str(errno.EMFILE)]


def test_a_program_leaves_no_core() -> None:
    outcome = python("import os; print(open('/proc/self/limits').read().count('core file size 0'))\nos.abort()")
    assert outcome.end == "signal SIGABRT"


@pytest.mark.parametrize("walls", BOTH)
def test_a_flood_of_output_blocks_nothing_and_its_last_64_kib_are_kept(walls: str) -> None:
    code = "import os\nfor n in range(3000): os.write(2, b'%07d\\n' % n * 1000)\nos.write(1, b'the end')"
    outcome = python(code, sandbox=walls)
    assert outcome.end == "exit code 0"
    assert len(outcome.said) == 64 * 1024
    assert outcome.said.endswith("0002999\nthe end")


# Other languages


def test_a_compiled_program_runs(tmp_path: Path) -> None:
    _needs("gcc")
    folder = _readable(tmp_path)
    (folder / "bot.c").write_text('#include <stdio.h>\nint main(void) { puts("compiled"); }')
    subprocess.run(["gcc", "bot.c", "-o", "bot"], cwd=folder, check=True)
    assert tried("./bot", folder=folder).words == ["compiled"]


def test_node_runs() -> None:
    _needs("node")
    code = "new (require('worker_threads').Worker)('console.log(6 * 7)', {eval: true})"
    assert tried("node", "-e", code).words == ["42"]


def test_java_runs(tmp_path: Path) -> None:
    _needs("java")
    _needs("javac")
    folder = _readable(tmp_path)
    (folder / "Bot.java").write_text(
        "class Bot { public static void main(String[] a) throws Exception {"
        ' Thread t = new Thread(() -> System.out.println("java")); t.start(); t.join(); } }'
    )
    subprocess.run(["javac", "Bot.java"], cwd=folder, check=True)
    outcome = tried("java", "Bot", folder=folder)
    assert (outcome.end, outcome.words[-1]) == ("exit code 0", "java")


def _needs(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")


def _readable(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    return folder


# The end


@pytest.mark.parametrize("walls", BOTH)
@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("pass", "exit code 0"),
        ("1 / 0", "exit code 1"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
    ],
)
def test_how_a_program_ended_is_told(walls: str, code: str, end: str) -> None:
    assert python(code, sandbox=walls).end == end


@pytest.mark.parametrize("walls", BOTH)
def test_a_command_that_is_not_there_is_told(walls: str) -> None:
    outcome = tried("./no-such-bot", sandbox=walls)
    assert outcome.end == "exit code 1"
    assert outcome.said == "./no-such-bot: No such file or directory\n"


@pytest.mark.parametrize("walls", BOTH)
def test_a_program_that_ignores_signals_is_ended(walls: str) -> None:
    code = """
        import signal, time
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            try: signal.signal(number, signal.SIG_IGN)
            except OSError: pass
        time.sleep(60)
    """
    assert python(code, sandbox=walls, within_s=0.3).end is None


@pytest.mark.parametrize("walls", BOTH)
def test_a_program_that_leaves_its_family_is_ended_with_it(walls: str) -> None:
    code = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "3600.358"])
        time.sleep(60)
    """
    assert python(code, sandbox=walls, processes=True, within_s=0.3).end is None
    wait_until(lambda: ["sleep", "3600.358"] not in map(_command, os.listdir("/proc")), within_s=60)


@pytest.mark.parametrize("walls", BOTH)
def test_a_program_dies_with_its_referee(walls: str) -> None:
    referee = f"from tests.walled import tried; tried('sleep', '60', sandbox={walls!r})"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TMPDIR": folder}
        with subprocess.Popen([sys.executable, "-c", referee], cwd=ROOT, env=environment) as process:
            wait_until(lambda: _command(descendants(process.pid)[-1]) == ["sleep", "60"])
            family = descendants(process.pid)
            assert len(family) == (4 if walls == "bubblewrap" else 2)
            process.kill()
        wait_until(lambda: not any(map(alive, family)))


def _command(pid: int | str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    except OSError:
        return []
