# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write requests as words, as `stockade query` takes them, and read them back.

INVARIANT: `read_request(shell_words(request_text(r)), arch) == r` for every request
on a target of architecture `arch`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.signals import LAST_SIGNAL, SIGNAL_NAMES, SIGNALS
from stockade.abi.syscalls import ARCHES, call_names, call_numbers
from stockade.abi.targets import System
from stockade.diagnostics import quote
from stockade.model.path_family import family_of, family_on
from stockade.model.request import (
    AnyRequest,
    BindRequest,
    CallRequest,
    Composite,
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
from stockade.render.shell import shell_text
from stockade.render.text import PlainText

# Stands where a path does for the program's own file, which only a start knows.
PROGRAM = "PROGRAM"
# Stands for the program's process ID, which only a start knows.
OWN_PID = "own-pid"
_INSIDE, _UNIX, _WITHOUT, _WRITING = "inside", "unix", "without", "writing"
_OTHER_WORDS = {PathAction.EXECUTE: "exec"}
_PATH_WORDS: dict[PathAction, str] = {
    action: _OTHER_WORDS.get(action, str(action))
    for action in PathAction
    # A socket is reached by an address, which need not be a path.
    if action is not PathAction.CONNECT
}
_PATH_ACTIONS = {word: action for action, word in _PATH_WORDS.items()} | {
    "execute": PathAction.EXECUTE,
    "create": PathAction.CREATE_FILE,
}
# What is done to a file beside reading and writing it.
_NAMES: dict[
    str, type[MetadataRequest | SetIdRequest | HardLinkRequest | SeeRequest]
] = {
    "metadata": MetadataRequest,
    "set-id": SetIdRequest,
    "hard-link": HardLinkRequest,
    "see": SeeRequest,
}
_WORD_OF_NAMES = {kind: word for word, kind in _NAMES.items()}
_SERVICE = "service"
_ALONE: dict[type[SpawnRequest | InspectRequest], str] = {
    SpawnRequest: "spawn",
    InspectRequest: "inspect",
}
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# What Windows takes for another name than the one that is written: streams and marks
# of patterns, an end that it drops, devices, and short names such as `PROGRA~1`.
_OTHER_NAME = re.compile(
    r".*(?:[:*?\"<>|\x00-\x1f]|[. ]\Z|~[0-9])"
    r"|(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])"
    r"\ *(?:\.|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_ARGUMENTS, _WORD = 6, 0xFFFFFFFF


class NotARequestError(Exception):
    """Words that are no request; the message says what is wrong with them."""


def request_text(request: AnyRequest, arch: str) -> PlainText:
    """Write a request as one line of shell words, safe to print."""
    return shell_text(request_words(request, arch))


def request_words(request: AnyRequest, arch: str) -> tuple[str, ...]:
    """Write a request as words; `arch` is that of the target asked."""
    match request:
        case PathRequest():
            if request.action is PathAction.CONNECT:
                return ("connect", _UNIX, request.path)
            return (_PATH_WORDS[request.action], request.path)
        case MetadataRequest() | SetIdRequest() | HardLinkRequest() | SeeRequest():
            return (_WORD_OF_NAMES[type(request)], request.path)
        case CallRequest():
            return _call_words(request, arch)
        case EnvironmentRequest() | StreamRequest() | StartRequest():
            return _start_words(request)
        case _:
            return _reach_words(request)


def _reach_words(
    request: Composite | ServiceRequest | InspectRequest,
) -> tuple[str, ...]:
    match request:
        case SpawnRequest() | InspectRequest():
            return (_ALONE[type(request)],)
        case ServiceRequest():
            return (_SERVICE, request.name)
        case ConnectRequest() | UnixRequest():
            return ("connect", *_address(request))
        case BindRequest():
            return ("bind", *_transport(request.transport), str(request.port))
        case ListenRequest():
            return ("listen", str(request.port))
        case SignalRequest():
            words = ("signal", signal_name(request.signal))
            return (*words, _INSIDE) if request.inside else words


def _address(request: ConnectRequest | UnixRequest) -> tuple[str, ...]:
    if isinstance(request, UnixRequest):
        return (_UNIX, request.address)
    host = f"[{request.host}]" if ":" in request.host else request.host
    return (*_transport(request.transport), f"{host}:{request.port}")


def _transport(transport: Transport) -> tuple[str, ...]:
    return () if transport is Transport.TCP else (str(transport),)


def signal_name(number: int) -> str:
    """Name a signal without `SIG`; those without a name by their number."""
    return SIGNAL_NAMES.get(number, str(number))


def _start_words(
    request: EnvironmentRequest | StreamRequest | StartRequest,
) -> tuple[str, ...]:
    match request:
        case EnvironmentRequest():
            return ("env", request.name)
        case StreamRequest():
            return ("stream", request.kind)
        case StartRequest():
            without = (_WITHOUT, request.without) if request.without else ()
            writing = (_WRITING, *request.writing) if request.writing else ()
            return ("start", *without, *writing)


def _call_words(request: CallRequest, arch: str) -> tuple[str, ...]:
    names = call_names(request.arch) if request.arch in ARCHES else {}
    name = names.get(request.number, f"{request.number:#x}")
    if request.arch != arch:
        name = f"{request.arch}:{name}"
    count = max((at + 1 for at, arg in enumerate(request.args) if arg), default=0)
    args = (_argument_word(arg, request.own_pid) for arg in request.args[:count])
    return ("call", name, *args)


def _argument_word(arg: int, own_pid: int) -> str:
    if arg & _WORD != own_pid:
        return f"{arg:#x}"
    high = arg - own_pid
    return f"{high:#x}+{OWN_PID}" if high else OWN_PID


def read_request(words: Sequence[str], arch: str) -> AnyRequest:
    """Read a request of a program on an architecture; raises NotARequestError.

    `arch` is empty for a target of a system whose calls have no numbers here.
    """
    if not words:
        raise NotARequestError("no request; one is `read PATH`")
    verb, rest = words[0], tuple(words[1:])
    if verb == "call":
        return _read_call(rest, arch)
    if verb in _PATH_ACTIONS:
        (path,) = _count(verb, rest, "PATH")
        return PathRequest(_path(path), _PATH_ACTIONS[verb])
    if verb in _NAMES:
        (path,) = _count(verb, rest, "PATH")
        return _NAMES[verb](_path(path))
    for kind, word in _ALONE.items():
        if verb == word:
            _count(verb, rest)
            return kind()
    reader = _READERS.get(verb)
    if reader is None:
        alone = _ALONE.values()
        known = ", ".join(("call", *_READERS, *alone, *_PATH_ACTIONS, *_NAMES))
        raise NotARequestError(f"unknown request {quote(verb)}; there are {known}")
    return reader(rest)


def asked_of(request: AnyRequest, system: System) -> None:
    """Raise NotARequestError for what means nothing on a system."""
    if isinstance(request, ServiceRequest) and system is not System.MACOS:
        raise NotARequestError("a service is asked of `macos`")
    for path in _paths_of(request):
        if path == PROGRAM and system is not System.LINUX:
            raise NotARequestError(f"{PROGRAM} is asked of a target of Linux")
        if path != PROGRAM and family_of(path) is not family_on(system):
            raise NotARequestError(f"{quote(path)} is no path of {system}")
        if system is System.WINDOWS:
            _check_windows_names(path)


def _check_windows_names(path: str) -> None:
    """Refuse a path that leads elsewhere than it says: nobody knows what is there."""
    for name in path.split("\\")[1:]:
        if _OTHER_NAME.match(name):
            raise NotARequestError(
                f"Windows may read the name {quote(name)} as another; ask about the"
                " name that the file has"
            )


def _paths_of(request: AnyRequest) -> tuple[str, ...]:
    match request:
        case PathRequest(path) | MetadataRequest(path) | SetIdRequest(path):
            return (path,)
        case HardLinkRequest(path) | SeeRequest(path):
            return (path,)
        case UnixRequest(path) | StartRequest(path) if path and path[0] != "@":
            return (path,)
        case _:
            return ()


def _count(verb: str, words: tuple[str, ...], *names: str) -> tuple[str, ...]:
    if len(words) != len(names):
        wanted = " ".join((verb, *names))
        raise NotARequestError(f"{quote(verb)} is written `{wanted}`")
    return words


def _path(text: str) -> str:
    if text == PROGRAM:
        return text
    drive = text[:1].upper() + ":\\" if _DRIVE.match(text) else ""
    # Windows takes either mark between the parts of a path.
    rest = text[len(drive) :].replace("/", "\\") if drive else text
    mark = "\\" if drive else "/"
    parts = [part for part in rest.split(mark) if part not in {"", "."}]
    if not (drive or text.startswith("/")) or ".." in parts or "\0" in text:
        raise NotARequestError(f"{quote(text)} is no absolute path without `..`")
    return (drive or mark) + mark.join(parts)


def _read_connect(words: tuple[str, ...]) -> AnyRequest:
    if words[:1] == (_UNIX,):
        (address,) = _count("connect unix", words[1:], "PATH")
        return UnixRequest(address if address.startswith("@") else _path(address))
    transport, rest = _read_transport(words)
    (address,) = _count("connect", rest, "HOST:PORT")
    host, colon, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        colon = ""
    if not (host and colon):
        raise NotARequestError(f"{quote(address)} is no `HOST:PORT` or `[IPV6]:PORT`")
    return ConnectRequest(host, _port(port), transport)


def _read_bind(words: tuple[str, ...]) -> AnyRequest:
    transport, rest = _read_transport(words)
    (port,) = _count("bind", rest, "PORT")
    return BindRequest(_port(port), transport)


def _read_transport(words: tuple[str, ...]) -> tuple[Transport, tuple[str, ...]]:
    for transport in Transport:
        if words[:1] == (str(transport),):
            return transport, words[1:]
    return Transport.TCP, words


def _port(text: str) -> int:
    return _number(text, 0xFFFF, "port")


def _number(text: str, most: int, what: str) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise NotARequestError(f"{quote(text)} is no {what} from 0 to {most:#x}")
    return number


def _read_listen(words: tuple[str, ...]) -> AnyRequest:
    (port,) = _count("listen", words, "PORT")
    return ListenRequest(_port(port))


def _read_signal(words: tuple[str, ...]) -> AnyRequest:
    inside = words[1:] == (_INSIDE,)
    (name,) = _count("signal", words[:1] if inside else words, "NAME")
    known = SIGNALS.get(name.upper().removeprefix("SIG"))
    number = _number(name, LAST_SIGNAL, "signal") if known is None else known
    return SignalRequest(number, inside)


def _read_service(words: tuple[str, ...]) -> AnyRequest:
    (name,) = _count(_SERVICE, words, "NAME")
    return ServiceRequest(name)


def _read_environment(words: tuple[str, ...]) -> AnyRequest:
    (name,) = _count("env", words, "NAME")
    return EnvironmentRequest(name)


def _read_stream(words: tuple[str, ...]) -> AnyRequest:
    (kind,) = _count("stream", words, "KIND")
    return StreamRequest(kind)


def _read_start(words: tuple[str, ...]) -> AnyRequest:
    without, writing = "", None
    if words[:1] == (_WITHOUT,) and len(words) > 1:
        without, words = _path(words[1]), words[2:]
    if words[:1] == (_WRITING,) and len(words) > 2:
        writing, words = (words[1], words[2]), words[3:]
    _count("start", words)
    return StartRequest(without, writing)


_READERS: dict[str, Callable[[tuple[str, ...]], AnyRequest]] = {
    "connect": _read_connect,
    "bind": _read_bind,
    "listen": _read_listen,
    "signal": _read_signal,
    _SERVICE: _read_service,
    "env": _read_environment,
    "stream": _read_stream,
    "start": _read_start,
}


def _read_call(words: tuple[str, ...], arch: str) -> AnyRequest:
    if not 1 <= len(words) <= 1 + _ARGUMENTS:
        raise NotARequestError("a call is written `call NAME ARGS...`, at most 6 ARGS")
    if not arch:
        raise NotARequestError("a system call is asked of a target of Linux")
    other, colon, name = words[0].rpartition(":")
    if colon:
        arch = _arch(other)
    numbers = call_numbers(arch) if arch in ARCHES else {}
    number = numbers.get(name)
    if number is None:
        if not name[:1].isdigit():
            raise NotARequestError(f"{quote(name)} is no call of {arch}")
        number = _number(name, _WORD, "call")
    given = [_read_argument(word) for word in words[1:]]
    own_pid = _own_pid([value for value, relative in given if not relative])
    args = [value + (own_pid if relative else 0) for value, relative in given]
    args += [0] * (_ARGUMENTS - len(args))
    return CallRequest(
        arch, number, (args[0], args[1], args[2], args[3], args[4], args[5]), own_pid
    )


def _arch(text: str) -> str:
    if text in AUDIT_ARCH:
        return text
    if not text.startswith("0x"):
        known = ", ".join(f"`{one}`" for one in AUDIT_ARCH)
        raise NotARequestError(f"unknown architecture {quote(text)}; there are {known}")
    return f"{_number(text, _WORD, 'architecture'):#x}"


def _read_argument(word: str) -> tuple[int, bool]:
    """Read an argument, and whether the program's process ID is added to it."""
    high, _, own = word.rpartition("+")
    if own == OWN_PID:
        return (_number(high, (1 << 64) - 1, "argument") if high else 0), True
    return _number(word, (1 << 64) - 1, "argument"), False


def _own_pid(values: list[int]) -> int:
    """Choose a process ID that no argument given as a number happens to be."""
    pid = CallRequest("", 0).own_pid
    while any(value & _WORD == pid for value in values):
        pid += 1
    return pid
