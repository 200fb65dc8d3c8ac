"""bot.toml, right and wrong in every field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.manifest import Manifest, ManifestError, check_name, read_manifest

GOOD = {"name": '"tips"', "author": '"Ada"', "command": '"python3 bot.py"'}


def toml(**fields: str) -> str:
    return "\n".join(f"{name} = {value}" for name, value in fields.items())


def test_a_local_bot() -> None:
    manifest = read_manifest(
        toml(**GOOD, team='"Blue"', language='"Python"', description='"Plays by the book."', processes="true")
    )
    assert manifest == Manifest(
        name="tips",
        author="Ada",
        command=("python3", "bot.py"),
        team="Blue",
        language="Python",
        description="Plays by the book.",
        processes=True,
    )


def test_a_remote_bot() -> None:
    manifest = read_manifest(
        toml(
            name='"far"', author='"Ada"', address='"bots.example:5000"',
            tls="true", token_file='"token"', ca_file='"my-ca.pem"',
        )
    )  # fmt: skip
    assert (manifest.address, manifest.tls) == ("bots.example:5000", True)
    assert (manifest.token_file, manifest.ca_file) == ("token", "my-ca.pem")
    assert read_manifest(toml(name='"six"', author='"Ada"', address='"[::1]:5000"')).address == "[::1]:5000"


def test_the_command_is_split_as_a_shell_does() -> None:
    manifest = read_manifest(toml(**{**GOOD, "command": "'node \"my bot.js\" --fast'"}, build='"make -j2"'))
    assert manifest.command == ("node", "my bot.js", "--fast")
    assert manifest.build == ("make", "-j2")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": None}, "name is missing"),
        ({"author": None}, "author is missing"),
        ({"command": None}, "command is missing"),
        ({"name": '"-x"'}, "can't be the name of a bot"),
        ({"name": '"Tips"'}, "can't be the name of a bot"),
        ({"name": '"a b"'}, "can't be the name of a bot"),
        ({"name": '"' + "x" * 33 + '"'}, "name has 33 characters"),
        ({"name": "7"}, "name must be text in quotes"),
        ({"author": '""'}, "author is empty"),
        ({"author": '"A\\u001b[31m"'}, "invisible character U\\+001B"),
        ({"author": '"A\\u202Eada"'}, "invisible character U\\+202E"),
        ({"team": '"a\\nb"'}, "invisible character U\\+000A"),
        ({"description": '"' + "x" * 501 + '"'}, "description has 501 characters"),
        ({"language": "[]"}, "language must be text"),
        ({"command": '"python3 \'bot.py"'}, "command has a quote"),
        ({"command": "\"''\""}, "command names no program"),
        ({"command": '"' + "a " * 65 + '"'}, "more than 64 words"),
        ({"build": '["make"]'}, "build must be text"),
        ({"processes": '"yes"'}, "processes must be true or false"),
        ({"address": '"host:5000"'}, "command belongs to a local bot"),
        ({"tls": "true"}, "tls belongs to a remote bot"),
        ({"token_file": '"x"'}, "token_file belongs to a remote bot"),
        ({"token": '"x"'}, "'token' is not a field"),
        ({"command": None, "address": '"host:1"', "token_file": '"../token"'}, "token_file must be the name of a file"),
        (
            {"command": None, "address": '"host:1"', "tls": "true", "ca_file": '".."'},
            "ca_file must be the name of a file",
        ),
        ({"command": None, "address": '"host:1"', "ca_file": '"ca.pem"'}, "write tls = true, or leave ca_file out"),
        ({"comand": '"x"'}, "'comand' is not a field"),
    ],
)
def test_a_wrong_field_is_refused_with_a_sentence(fields: dict[str, str | None], sentence: str) -> None:
    changed = {name: value for name, value in {**GOOD, **fields}.items() if value is not None}
    with pytest.raises(ManifestError, match=sentence) as refusal:
        read_manifest(toml(**changed))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("address", ["host", "host:0", "host:65536", "host:x", ":5000", "a b:1", "http://h:1", "-h:1"])
def test_an_address_is_host_and_port(address: str) -> None:
    with pytest.raises(ManifestError, match="host:port"):
        read_manifest(toml(name='"far"', author='"Ada"', address=f'"{address}"'))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"name = ", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"#" * 70_000, "larger than 64 KiB"),
        (b"a = " + b"[" * 5_000, "not valid TOML"),
    ],
)
def test_an_unreadable_manifest_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ManifestError, match=sentence):
        read_manifest(content)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with pytest.raises(ManifestError):
        read_manifest(content)


@given(
    st.dictionaries(
        st.sampled_from(["name", "author", "team", "command", "address", "build", "token_file", "tls", "odd"]),
        st.text(max_size=40).map(repr) | st.sampled_from(["1", "true", "[]", '"ok"', "1979-05-27"]),
    )
)
def test_what_is_read_is_sound(fields: dict[str, str]) -> None:
    try:
        manifest = read_manifest(toml(**fields))
    except ManifestError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert check_name(manifest.name) == manifest.name
        assert bool(manifest.command) is not bool(manifest.address)
        assert (manifest.author + manifest.description).isprintable()
    assert refusal.isprintable()
