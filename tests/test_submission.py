"""Folders and archives, sound and hostile."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena import submission
from arena.submission import SubmissionError, digest, make_read_only, take_in
from referee.scratch import remove

FILES = {"bot.toml": b'name = "tips"', "bot.py": b"print()", "data/weights.bin": bytes(100)}
Pack = Callable[[Path, dict[str, bytes]], Path]


def as_folder(tmp: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = tmp / "my-bot" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp / "my-bot"


def as_zip(tmp: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(tmp / "bot.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return tmp / "bot.zip"


def as_tar(tmp: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(tmp / "bot.tar.gz", "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return tmp / "bot.tar.gz"


def tar_of(tmp: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(tmp / "bot.tar.gz", "w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    return tmp / "bot.tar.gz"


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.fixture
def into(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "stored" / "bot"
    folder.mkdir(parents=True)
    yield folder
    left = [item.name for item in (tmp_path / "stored").iterdir()]
    assert left == ["bot"], "nothing may be written beside the bot's own folder"


@pytest.mark.parametrize("pack", [as_folder, as_zip, as_tar])
@pytest.mark.parametrize("enclosing", ["", "./", "my-bot/", "a/"])
def test_folder_and_archives_are_the_same_submission(tmp_path: Path, into: Path, pack: Pack, enclosing: str) -> None:
    take_in(pack(tmp_path, {enclosing + name: content for name, content in FILES.items()}), into)
    assert {path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()} == set(FILES)
    assert (into / "data/weights.bin").read_bytes() == bytes(100)
    told = b'bot.py\0-7\0print()bot.toml\0-13\0name = "tips"data/weights.bin\0-100\0' + bytes(100)
    assert digest(into) == f"sha256:{hashlib.sha256(told).hexdigest()}"


def test_the_digest_is_of_names_contents_and_the_right_to_execute(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, FILES)
    digests = {digest(folder)}
    (folder / "bot.py").chmod(0o755)
    digests.add(digest(folder))
    (folder / "bot.py").rename(folder / "bot2.py")
    digests.add(digest(folder))
    (folder / "bot2.py").write_bytes(b"print(1)")
    digests.add(digest(folder))
    assert len(digests) == 4
    (folder / "empty").mkdir()
    assert digest(folder) in digests, "empty folders don't count"


CACHES = dict.fromkeys(("__pycache__/bot.pyc", ".git/HEAD", ".mypy_cache/x", ".pytest_cache/x", ".ruff_cache/x"), b"x")


def test_caches_are_left_out_and_the_right_to_execute_is_kept(tmp_path: Path, into: Path) -> None:
    folder = as_folder(tmp_path, {**FILES, **CACHES, "run.sh": b"x"})
    (folder / "run.sh").chmod(0o755)
    take_in(folder, into)
    assert sorted(item.name for item in into.iterdir()) == ["bot.py", "bot.toml", "data", "run.sh"]
    assert (into / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not (into / "bot.py").stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("pack", [as_zip, as_tar])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("../evil.py", "climbs out"),
        ("data/../../evil.py", "climbs out"),
        ("/etc/evil", "not a relative path"),
        ("data\\evil.py", "not a relative path"),
        ("a/" * 33 + "x", "folders deep"),
        ("x" * 401, "longer than 400 bytes"),
        ("x" * 256, "longer than"),
        ("evil\x1b[31m", "invisible character"),
        ("evil\u202egnp.py", "invisible character"),
        ("BOT.py", "twice, or two names differ only in case"),
        ("Data/other.bin", "differ only in case or kind"),
        ("bot.py/inside", "differ only in case or kind"),
        ("protocol/x.txt", "hide the arena's own protocol"),
        ("referee.py", "hide the arena's own referee"),
        ("arena.cpython-311-x86_64-linux-gnu.so", "hide the arena's own arena"),
    ],
)
def test_hostile_names_are_refused(tmp_path: Path, into: Path, pack: Pack, name: str, sentence: str) -> None:
    with pytest.raises(SubmissionError, match=sentence) as refusal:
        take_in(pack(tmp_path, {**FILES, name: b""}), into)
    assert str(refusal.value).isprintable()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_name_twice_is_refused(tmp_path: Path, into: Path, kind: str) -> None:
    if kind == "zip":
        path = as_zip(tmp_path, FILES)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("bot.py", b"import os")
    else:
        path = tar_of(tmp_path, tarfile.TarInfo("bot.py"), tarfile.TarInfo("bot.py"))
    with pytest.raises(SubmissionError, match="twice"):
        take_in(path, into)


@pytest.mark.parametrize(
    "member",
    [
        special("evil", tarfile.SYMTYPE, "/etc/passwd"),
        special("evil", tarfile.LNKTYPE, "bot.toml"),
        special("evil", tarfile.CHRTYPE),
        special("evil", tarfile.BLKTYPE),
        special("evil", tarfile.FIFOTYPE),
        special("evil", b"Z"),
    ],
    ids=["symlink", "hardlink", "character", "block", "fifo", "unknown"],
)
def test_links_and_devices_are_refused(tmp_path: Path, into: Path, member: tarfile.TarInfo) -> None:
    with pytest.raises(SubmissionError, match="link or a device"):
        take_in(tar_of(tmp_path, member), into)


def test_links_in_a_zip_are_refused(tmp_path: Path, into: Path) -> None:
    path = as_zip(tmp_path, FILES)
    link = zipfile.ZipInfo("evil")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(SubmissionError, match="link or a device"):
        take_in(path, into)


def test_links_and_special_files_in_a_folder_are_refused(tmp_path: Path, into: Path) -> None:
    folder = as_folder(tmp_path, FILES)
    (folder / "evil").symlink_to("/etc/passwd")
    with pytest.raises(SubmissionError, match="'evil' is a link"):
        take_in(folder, into)
    (folder / "evil").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(SubmissionError, match="neither a file nor a folder"):
        take_in(folder, into / "again")
    (folder / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "sock"))
        with pytest.raises(SubmissionError, match="neither a file nor a folder"):
            take_in(folder, into / "third")


@pytest.mark.parametrize("pack", [as_folder, as_zip, as_tar])
def test_bombs_are_refused_by_size_and_by_count(
    tmp_path: Path, into: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack(tmp_path, {**FILES, "zeros": bytes(300_000)})
    monkeypatch.setattr(submission, "MAX_BYTES", 200_000)
    with pytest.raises(SubmissionError, match="larger than"):
        take_in(path, into)
    monkeypatch.setattr(submission, "MAX_ENTRIES", 3)
    with pytest.raises(SubmissionError, match="more than 3 files"):
        take_in(path, into / "again")


def test_a_tar_header_that_asks_for_gigabytes_is_cut_off(
    tmp_path: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_name = special("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    long_name.size = 2_000_000
    monkeypatch.setattr(submission, "MAX_BYTES", 1_000_000)
    monkeypatch.setattr(submission, "MAX_ENTRIES", 10)
    with pytest.raises(SubmissionError, match="larger than"):
        take_in(tar_of(tmp_path, long_name), into)


def test_a_zip_with_a_huge_list_of_files_is_refused_unread(tmp_path: Path, into: Path) -> None:
    path = as_zip(tmp_path, FILES)
    content = bytearray(path.read_bytes())
    content[-10:-6] = (2**31).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match="more than 10,000"):
        take_in(path, into)


def test_what_is_no_submission_is_refused(tmp_path: Path, into: Path) -> None:
    (tmp_path / "bot.rar").write_bytes(b"Rar!")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "bad.tar.gz").write_bytes(b"\x1f\x8b and no more")
    (tmp_path / "empty.tar.gz").write_bytes(b"")
    (tmp_path / "nothing").mkdir()
    for name, sentence in {
        "bot.rar": "neither a folder nor",
        "absent": "does not exist",
        "bad.zip": "damaged",
        "bad.tar.gz": "damaged",
        "empty.tar.gz": "damaged",
        "nothing": "there is no bot.toml",
    }.items():
        with pytest.raises(SubmissionError, match=sentence):
            take_in(tmp_path / name, into)


def test_an_encrypted_zip_is_refused(tmp_path: Path, into: Path) -> None:
    content = bytearray(as_zip(tmp_path, FILES).read_bytes())
    for header, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(header)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(header, at + 1)
    (tmp_path / "bot.zip").write_bytes(content)
    with pytest.raises(SubmissionError, match="encrypted"):
        take_in(tmp_path / "bot.zip", into)


def test_nothing_can_be_written_in_a_folder_that_was_taken_in(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, FILES)
    make_read_only(folder)
    assert not any(path.stat().st_mode & 0o222 for path in [folder, *folder.rglob("*")])
    remove(folder)


def test_links_that_a_build_left_are_never_followed(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, FILES)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"1")
    (outside / "secret").chmod(0o640)
    (folder / "file").symlink_to(outside / "secret")
    (folder / "folder").symlink_to(outside)
    before = digest(folder)
    make_read_only(folder)
    (outside / "secret").write_bytes(b"2")
    assert digest(folder) == before
    assert stat.S_IMODE((outside / "secret").stat().st_mode) == 0o640
    remove(folder)
    assert (outside / "secret").exists()
    assert stat.S_IMODE(outside.stat().st_mode) & 0o200


NAMES = st.text(st.sampled_from("ab/.\\A\u202e~"), min_size=1, max_size=8) | st.just("bot.toml")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAMES, st.binary(max_size=50), max_size=6), st.sampled_from([as_zip, as_tar]), st.data())
def test_whatever_an_archive_holds_it_is_taken_in_or_refused(
    files: dict[str, bytes], pack: Pack, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        path = pack(tmp, files)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(0, 3))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content)
        into = tmp / "stored"
        into.mkdir()
        try:
            take_in(path, into)
        except SubmissionError as error:
            refusal = str(error)
        else:
            refusal = ""
            assert (into / "bot.toml").is_file()
            assert not any(item.is_symlink() for item in into.rglob("*"))
        assert refusal.isprintable()
        assert {item.name for item in tmp.iterdir()} <= {path.name, "stored"}
