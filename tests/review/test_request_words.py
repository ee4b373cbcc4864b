# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that requests are written and read back the same, whatever is in them."""

from __future__ import annotations

import random
import subprocess

import pytest

from stockade.abi.targets import System
from stockade.model.request import (
    AnyRequest,
    BindRequest,
    CallRequest,
    ConnectRequest,
    EnvironmentRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    ServiceRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    StartRequest,
    StreamRequest,
    Transport,
    UnixRequest,
)
from stockade.render.shell import NotWordsError, shell_text, shell_words
from stockade.render.text import plain
from stockade.review.request_words import (
    PROGRAM,
    NotARequestError,
    asked_of,
    read_request,
    request_text,
)

_ARCH = "x86_64"
_ODD = "ab /'\"\\$\n\x01\u202e\udcff\xe9`[]*"
_WRITTEN: dict[str, AnyRequest] = {
    "read /srv/in": PathRequest("/srv/in", PathAction.READ),
    "exec PROGRAM": PathRequest(PROGRAM, PathAction.EXECUTE),
    "read '/srv/my file'": PathRequest("/srv/my file", PathAction.READ),
    r"list $'/srv/\xff\x1b\''": PathRequest("/srv/\udcff\x1b'", PathAction.LIST),
    "connect example.com:443": ConnectRequest("example.com", 443),
    "connect udp [::1]:53": ConnectRequest("::1", 53, Transport.UDP),
    "connect unix @/tmp/.X11-unix/X0": UnixRequest("@/tmp/.X11-unix/X0"),
    "bind 0": BindRequest(0),
    "bind udp 53": BindRequest(53, Transport.UDP),
    "listen 80": ListenRequest(80),
    "signal KILL": SignalRequest(9),
    "signal 34 inside": SignalRequest(34, inside=True),
    "spawn": SpawnRequest(),
    "inspect": InspectRequest(),
    "metadata /srv/in": MetadataRequest("/srv/in"),
    "set-id /srv/in": SetIdRequest("/srv/in"),
    "hard-link /srv/in": HardLinkRequest("/srv/in"),
    "see /srv/in": SeeRequest("/srv/in"),
    r"read $'C:\\srv\\my file'": PathRequest("C:\\srv\\my file", PathAction.READ),
    "service com.apple.trustd.agent": ServiceRequest("com.apple.trustd.agent"),
    "env LD_PRELOAD": EnvironmentRequest("LD_PRELOAD"),
    "stream inet": StreamRequest("inet"),
    "start": StartRequest(),
    "start without /srv/in": StartRequest(without="/srv/in"),
    "start writing home .ssh": StartRequest(writing=("home", ".ssh")),
    "call kill own-pid 0x9": CallRequest(_ARCH, 62, (1000, 9, 0, 0, 0, 0)),
    "call i386:0x14": CallRequest("i386", 20),
    "call 0x2f5354 0x100000000+own-pid": CallRequest(
        _ARCH, 0x2F5354, ((1 << 32) + 1000, 0, 0, 0, 0, 0)
    ),
}


@pytest.mark.parametrize("text", _WRITTEN)
def test_requests_are_written_as_words(text: str) -> None:
    assert request_text(_WRITTEN[text], _ARCH) == text
    assert read_request(shell_words(text), _ARCH) == _WRITTEN[text]


def test_every_path_is_read_back() -> None:
    chance = random.Random(6)
    for _ in range(2000):
        drawn = "".join(chance.choice(_ODD) for _ in range(chance.randrange(1, 9)))
        path = "/" + "/".join(part for part in drawn.split("/") if part)
        for request in (
            PathRequest(path, PathAction.WRITE),
            UnixRequest(f"@{drawn}"),
            EnvironmentRequest(drawn),
            StartRequest(path, ("home", drawn)),
        ):
            text = request_text(request, _ARCH)
            # Safe to print as it is: nothing is hidden, nothing is left to escape.
            assert plain(text.replace("\\", "")) == text.replace("\\", "")
            assert read_request(shell_words(text), _ARCH) == request


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("c:/srv//in/", "C:\\srv\\in"),
        (r"'d:\\.\x'", "D:\\x"),
        (r"'C:\'", "C:\\"),
        (r"""'C:\ünïcode "q"'""", 'C:\\ünïcode "q"'),
    ],
)
def test_paths_of_windows_are_read(text: str, path: str) -> None:
    assert read_request(shell_words(f"read {text}"), "") == PathRequest(
        path, PathAction.READ
    )


@pytest.mark.parametrize(
    ("text", "systems"),
    [
        ("read /srv", (System.LINUX, System.MACOS)),
        ("metadata /srv", (System.LINUX, System.MACOS)),
        ("start without /srv", (System.LINUX, System.MACOS)),
        (r"read 'C:\x'", (System.WINDOWS,)),
        (r"connect unix 'C:\x'", (System.WINDOWS,)),
        ("connect unix @x", tuple(System)),
        ("service a", (System.MACOS,)),
        ("read PROGRAM", (System.LINUX,)),
        ("signal KILL", tuple(System)),
    ],
)
def test_a_request_is_asked_where_it_means_something(
    text: str, systems: tuple[System, ...]
) -> None:
    request = read_request(shell_words(text), _ARCH)
    for system in System:
        if system in systems:
            asked_of(request, system)
        else:
            with pytest.raises(NotARequestError):
                asked_of(request, system)


def test_a_call_is_asked_of_linux_alone() -> None:
    with pytest.raises(NotARequestError, match="a target of Linux"):
        read_request(["call", "read"], "")


def test_every_call_is_read_back() -> None:
    chance = random.Random(7)
    values = (0, 5, 1000, 1001, 1 << 40, (1 << 40) + 1000, (1 << 64) - 1)
    for _ in range(2000):
        args = tuple(chance.choice(values) for _ in range(6))
        for arch in (_ARCH, "aarch64", "i386", "0x5"):
            number = chance.choice((0, 62, 0x2F5354, 0xFFFFFFFF))
            request = CallRequest(arch, number, args)  # type: ignore[arg-type]
            words = shell_words(request_text(request, _ARCH))
            assert read_request(words, _ARCH) == request


def test_a_shell_reads_what_is_written() -> None:
    for word in ("a b", "it's", "$HOME `x` \\", "\udcff\x1b[1m", "\u202e", "[::1]:5"):
        out = subprocess.run(
            ["bash", "-c", f"printf %s {shell_text([word])}"],
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        assert out == word.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no request"),
        ("fly /srv", "unknown request `fly`"),
        ("read srv", "no absolute path"),
        ("read /srv/../etc", "no absolute path"),
        ("read /a /b", "`read` is written `read PATH`"),
        ("connect example.com", "no `HOST:PORT`"),
        ("connect ::1:5", "no `HOST:PORT`"),
        ("bind 65536", "no port"),
        ("signal NONE", "no signal"),
        ("signal KILL outside", "`signal` is written `signal NAME`"),
        ("call frobnicate", "no call of x86_64"),
        ("call 1 2 3 4 5 6 7 8", "at most 6"),
        ("call vax:1", "unknown architecture `vax`"),
        ("call read x", "no argument"),
        ("inspect me", "`inspect` is written `inspect`"),
        ("see", "`see` is written `see PATH`"),
        ("spawn twice", "`spawn` is written `spawn`"),
        ("start over", "`start` is written `start`"),
    ],
)
def test_what_is_no_request_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotARequestError, match=why):
        read_request(shell_words(text), _ARCH)


@pytest.mark.parametrize("text", ["'a", '"a', "$'a", "a\\", r"$'\q'", r"$'\x'"])
def test_a_quote_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(NotWordsError):
        shell_words(text)


@pytest.mark.parametrize(
    "name",
    [
        "x:stream",
        "PROGRA~1",
        "a~2.txt",
        "nul",
        "Con.txt",
        "COM\u00b9",
        "x.",
        "x ",
        "a*",
    ],
)
def test_what_windows_reads_otherwise_is_no_request(name: str) -> None:
    """A short name of an open folder would be called closed by its letters."""
    for path in (f"C:\\{name}", f"C:\\{name}\\x", f"C:\\x\\{name}"):
        with pytest.raises(NotARequestError, match="as another"):
            asked_of(PathRequest(path, PathAction.READ), System.WINDOWS)
    for plain_name in ("console", "a~b", ".x", "com10", "nul-x"):
        path = f"C:\\{plain_name}\\x"
        asked_of(PathRequest(path, PathAction.READ), System.WINDOWS)
    asked_of(PathRequest(f"/{name}", PathAction.READ), System.LINUX)
