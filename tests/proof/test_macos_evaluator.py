# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check how requests become operations of macOS, by profiles written for the purpose.

Each refusal stands beside the same request under a profile that grants it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.abi.signals import SIGNALS
from stockade.model.artifact import EnvironmentRow
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    EnvironmentRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    ServiceRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.proof.macos_evaluator import MacosEvaluator
from stockade.proof.sbpl.place import ProfileRefusedError

_HEAD = "(version 1)(deny default)(deny file-link)(deny file-clone)"
_HEAD += "(deny file-test-existence)(deny process-info*)(deny file-map-executable)"
_HEAD += "(deny process-info-codesignature)(deny mach-cross-domain-lookup)"
_W = '(literal "/w") (subpath "/w")'
_READ_W = f"(allow file-read* file-test-existence {_W})"


def _artifact(rules: str, *parameters: Parameter) -> MacosArtifact:
    return MacosArtifact(
        target="macos",
        policy_name="p",
        streams=(),
        process_rules=(),
        keys=(),
        profile=_HEAD + rules,
        parameters=parameters,
        environment=(EnvironmentRow("LANG", None),),
        requirements=(),
        trusted=(),
        warnings=(),
    )


def _answer(rules: str, request: NeutralRequest, *, folds: bool = True) -> str:
    return MacosEvaluator(_artifact(rules), folds=folds).decide(request).action.lower()


def _path(action: PathAction, path: str = "/w") -> PathRequest:
    return PathRequest(path, action)


_IN_CALLS = "(deny syscall-unix (syscall-number SYS_posix_spawn))"
_MAPPED = f"(allow file-map-executable {_W})"
_IP = "(allow system-socket (socket-domain AF_INET))"
_UNIX = "(allow system-socket (socket-domain AF_UNIX))"
_CREATE = f"(allow file-write-create {_W})"
_NO_RMDIR = "(deny file-write-unlink (vnode-type DIRECTORY))"
_FAR_ALONE = '(allow network-bind (local udp "*:80"))'
_FAR_ALONE += '(deny network-bind (local udp "localhost:*"))'
_NO_FIFO = "(deny file-write-create (vnode-type FIFO))"
# A request, rules that grant it all, rules that leave it refused, rules that leave it
# to what nobody measured.
ROWS: dict[str, tuple[NeutralRequest, str, str, str]] = {
    "read": (_path(PathAction.READ), _READ_W, "", f"(allow file-read-data {_W})"),
    "list": (_path(PathAction.LIST), _READ_W, "(allow file-read-metadata)", ""),
    "write": (
        _path(PathAction.WRITE, "/w/f"),
        f"{_READ_W}(allow file-write-data {_W})",
        _READ_W,
        f"(allow file-write-data {_W})",
    ),
    "truncate": (
        _path(PathAction.TRUNCATE, "/w/f"),
        f"{_READ_W}(allow file-write* {_W})",
        f"{_READ_W}(allow file-write-create {_W})",
        "",
    ),
    "execute": (
        _path(PathAction.EXECUTE, "/w/f"),
        f"{_READ_W}{_MAPPED}(allow process-exec* {_W})",
        _READ_W + _MAPPED,
        f"(allow process-exec-interpreter {_W})",
    ),
    "create file": (
        _path(PathAction.CREATE_FILE),
        f"(allow file-write* {_W})",
        f"(allow file-write-data {_W})",
        _CREATE,
    ),
    "create folder": (
        _path(PathAction.CREATE_FOLDER),
        _CREATE,
        f"{_CREATE}(deny file-write-create (vnode-type DIRECTORY))",
        "",
    ),
    "create link": (
        _path(PathAction.CREATE_LINK),
        _CREATE,
        f"{_CREATE}(deny file-write-create (vnode-type SYMLINK))",
        "",
    ),
    "create fifo": (
        _path(PathAction.CREATE_FIFO),
        f"{_CREATE}(allow file-mknod {_W})",
        _CREATE + _NO_FIFO,
        _CREATE,
    ),
    "create fifo by the other operation": (
        _path(PathAction.CREATE_FIFO),
        f"(allow file* {_W})",
        "",
        f"(allow file* {_W}){_NO_FIFO}",
    ),
    "create device": (
        _path(PathAction.CREATE_BLOCK_DEVICE),
        f"(allow file* {_W})",
        "",
        f"(allow file-mknod {_W})",
    ),
    "create socket": (
        _path(PathAction.CREATE_SOCKET),
        f"{_CREATE}(allow network-bind {_W})",
        "",
        _CREATE,
    ),
    "remove file": (
        _path(PathAction.REMOVE_FILE),
        f"(allow file-write-unlink {_W})",
        _CREATE,
        "",
    ),
    "remove folder": (
        _path(PathAction.REMOVE_FOLDER),
        f"(allow file-write-unlink {_W})",
        f"(allow file-write-unlink {_W}){_NO_RMDIR}",
        "",
    ),
    "move": (
        _path(PathAction.MOVE),
        f"{_CREATE}(allow file-write-unlink {_W})",
        "",
        f"(allow file-write-unlink {_W})",
    ),
    "device request": (
        _path(PathAction.DEVICE_REQUEST),
        f"(allow file-ioctl {_W})",
        '(allow file-ioctl (ioctl-command (_IO "t" 104)))',
        "",
    ),
    "metadata": (
        MetadataRequest("/w/f"),
        f"(allow file-write* {_W})",
        f"(allow file-write-data {_W})",
        f"(allow file-write-mode {_W})",
    ),
    "set-id": (SetIdRequest("/w/f"), "(allow file-write-setugid)", "(allow file*)", ""),
    "hard link": (
        HardLinkRequest("/w/f"),
        f"{_CREATE}(allow file-link {_W})",
        f"{_CREATE}(allow file-clone {_W})",
        "",
    ),
    "hard link of a folder's own path": (
        HardLinkRequest("/w"),
        f"(allow file-link {_W})(allow file-write-create)",
        f"{_CREATE}(allow file-link {_W})",
        "",
    ),
    "see": (
        SeeRequest("/w/f"),
        "(allow file-read-metadata file-test-existence)",
        '(allow file-read* (literal "/v"))',
        "(allow file-test-existence)",
    ),
    "connect": (
        ConnectRequest("203.0.113.7", 80),
        f'{_IP}(allow network-outbound (remote tcp "*:80"))',
        f'{_IP}(allow network-outbound (remote udp "*:80"))',
        '(allow network-outbound (remote tcp "*:80"))',
    ),
    "connect near": (
        ConnectRequest("localhost", 80),
        f'{_IP}(allow network-outbound (remote tcp "localhost:80"))',
        f'{_IP}(allow network-outbound (remote tcp "localhost:81"))',
        f'{_IP}(allow network-outbound (local tcp "localhost:*"))',
    ),
    "bind": (
        BindRequest(80, Transport.UDP),
        f'{_IP}(allow network-bind (local udp "localhost:80"))',
        _IP,
        _FAR_ALONE,
    ),
    "listen": (
        ListenRequest(80),
        f'{_IP}(allow network-inbound (local tcp "localhost:80"))',
        f'{_IP}(allow network-bind (local tcp "localhost:80"))',
        '(allow network-inbound (local tcp "localhost:80"))',
    ),
    "reach a unix socket": (
        UnixRequest("/s"),
        f'{_UNIX}(allow network-outbound (literal "/s"))',
        f"{_UNIX}(allow network-outbound (remote ip))",
        '(allow network-outbound (literal "/s"))',
    ),
    "signal outside": (
        SignalRequest(SIGNALS["TERM"]),
        "(allow signal)",
        "(allow signal (target same-sandbox))",
        "(allow signal (target pgrp))",
    ),
    "signal inside": (
        SignalRequest(SIGNALS["USR1"], inside=True),
        "(allow signal (target same-sandbox))",
        "(allow signal (target self))",
        "(allow signal (target children))",
    ),
    "spawn": (
        SpawnRequest(),
        "(allow process-fork)",
        _IN_CALLS,
        "",
    ),
    "service": (
        ServiceRequest("com.example.a"),
        '(allow mach-lookup (global-name "com.example.a"))',
        '(allow mach-lookup (global-name "com.example.b"))',
        '(allow mach-lookup (xpc-service-name "com.example.a"))',
    ),
    "inspect": (
        InspectRequest(),
        "(allow process-info*)",
        "(allow process-info* (target self))",
        '(allow sysctl-read (sysctl-name-prefix "kern."))',
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_request_asks_what_the_kernel_asks(name: str) -> None:
    request, granting, refusing, unsure = ROWS[name]
    assert _answer(granting, request) == "allow"
    assert _answer(refusing, request) == "deny"
    if unsure:
        assert _answer(unsure, request) == "unsure"


def test_a_start_by_posix_spawn_may_need_no_fork() -> None:
    """Whether it asks for `process-fork` is shown nowhere: that is not enough."""
    assert _answer("", SpawnRequest()) == "unsure"


def test_signals_are_known_by_name() -> None:
    """USR1 is 10 on Linux and 30 on macOS; 10 is BUS there."""
    rules = "(allow signal (signal-number SIGUSR1))"
    assert _answer(rules, SignalRequest(SIGNALS["USR1"])) == "allow"
    assert _answer(rules, SignalRequest(SIGNALS["BUS"])) == "deny"
    assert _answer("(allow signal (signal-number 0))", SignalRequest(0)) == "allow"


def test_a_signal_that_macos_lacks_has_no_number() -> None:
    rules = "(allow signal (signal-number SIGTERM))"
    assert _answer(rules, SignalRequest(SIGNALS["STKFLT"])) == "deny"
    assert _answer("(allow signal)", SignalRequest(SIGNALS["STKFLT"])) == "allow"


def test_abstract_names_are_never_reached() -> None:
    rules = "(allow system-socket)(allow network*)"
    assert _answer(rules, UnixRequest("@name")) == "deny"
    assert _answer(rules, UnixRequest("/name")) == "allow"


def test_variables_are_those_of_the_artifact() -> None:
    assert _answer("", EnvironmentRequest("LANG")) == "allow"
    assert _answer("", EnvironmentRequest("lang")) == "deny"


@pytest.mark.parametrize("folds", [True, False])
def test_names_of_files_fold_as_the_volume_does(folds: bool) -> None:
    request = PathRequest("/W/F", PathAction.READ)
    assert _answer(_READ_W, request, folds=folds) == ("allow" if folds else "deny")


def test_parameters_are_put_in_place_as_the_launcher_would() -> None:
    rules = '(allow process-exec* file-read* (literal (param "PROGRAM")))'
    rules += '(allow file-read* (literal (param "DATA")))'
    rules += "(allow file-map-executable file-test-existence)"
    artifact = _artifact(
        rules,
        Parameter("PROGRAM", ParameterKind.PROGRAM, ""),
        Parameter("DATA", ParameterKind.PATH, "/d"),
    )
    evaluator = MacosEvaluator(artifact, "/bin/prog")
    assert evaluator.decide(PathRequest("/bin/prog", PathAction.EXECUTE)).allowed
    assert not evaluator.decide(PathRequest("/bin/other", PathAction.EXECUTE)).allowed
    assert evaluator.decide(PathRequest("/d", PathAction.READ)).allowed


def test_a_decision_names_the_deciding_rule() -> None:
    decided = MacosEvaluator(_artifact("\n" + _READ_W)).decide(SeeRequest("/w"))
    assert decided.rule.startswith("line 2, column 1: (allow file-read* file-test-")


def test_an_artifact_with_a_doubtful_profile_has_no_decisions() -> None:
    artifact = _artifact("")
    doubtful = replace(artifact, profile=artifact.profile.replace("(version 1)", ""))
    with pytest.raises(ProfileRefusedError, match="no version"):
        MacosEvaluator(doubtful)
