# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show how options lie over a policy file."""

from __future__ import annotations

import pytest

from stockade.cli.arguments import read_arguments
from stockade.cli.output import Refusal
from stockade.cli.overlay import option_settings
from stockade.diagnostics import Code, Diagnostic, PolicyRejected, Report
from stockade.diagnostics.render import render
from stockade.model.policy import (
    Access,
    Children,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Ipc,
    Junctions,
    Policy,
    ProjectFiles,
    Reach,
    Relays,
    Signals,
    Win32k,
)
from stockade.policy.lower import lower
from stockade.policy.read import read_file
from stockade.policy.settings import overlay, widenings

HEAD = "version = 1\n"


def _merge(file: str | None, *arguments: str) -> tuple[Policy, list[str]]:
    report = Report()
    below = read_file(file.encode(), "policy.toml", report) if file else {}
    read = read_arguments("check", list(arguments))
    options = option_settings("check", list(arguments), read, report)
    policy = lower(overlay(below, options), report)
    widened = widenings(below, options)
    return policy, [f"{one.key.path}: {one.before} to {one.after}" for one in widened]


def _policy(file: str | None, *arguments: str) -> Policy:
    return _merge(file, *arguments)[0]


def _mistakes(file: str | None, *arguments: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(PolicyRejected) as caught:
        _merge(file, *arguments)
    return caught.value.diagnostics


def test_no_file_and_no_option_is_the_default_policy() -> None:
    assert _merge(None) == (Policy(), [])


def test_paths_add() -> None:
    """S1-066."""
    file = HEAD + 'filesystem.read = ["/a"]\nfilesystem.read_exec = ["/b"]\n'
    policy = _policy(file, "--read", "/c", "--read", "/d", "--read-write", "/e")
    assert policy.grants == (
        Grant("/a", Access.READ),
        Grant("/b", Access.READ_EXEC),
        Grant("/c", Access.READ),
        Grant("/d", Access.READ),
        Grant("/e", Access.READ_WRITE),
    )


@pytest.mark.parametrize(("file", "option"), [("none", "all"), ("all", "none")])
def test_other_options_replace_also_with_a_laxer_value(file: str, option: str) -> None:
    """S1-067."""
    policy = _policy(f'{HEAD}network.ip = "{file}"\n', "--ip", option)
    assert policy.ip == Ip(option)


def test_every_option_equals_its_key() -> None:
    """S1-072."""
    options = "--system none --ip client --unix-sockets all --signals isolated"
    options += " --children allowed --linux-path-metadata allow --view all"
    options += " --symlinks allow --macos-relays dual-stack --windows-win32k allow"
    options += " --windows-junctions grant --read /a --read-exec /b --read-write /c"
    options += " --pass-env LANG --set-env A=1"
    file = """
        [filesystem]
        system = "none"
        read = ["/a"]
        read_exec = ["/b"]
        read_write = ["/c"]
        symlinks = "allow"
        [network]
        ip = "client"
        unix_sockets = "all"
        [process]
        signals = "isolated"
        children = "allowed"
        [environment]
        pass = ["LANG"]
        set = { A = "1" }
        [linux]
        path_metadata = "allow"
        """
    assert _policy(None, *options.split()) == _policy(HEAD + file)


def test_lists_that_are_no_paths_are_replaced_whole() -> None:
    """S1-068."""
    file = HEAD + 'environment = { pass = ["A"], set = { X = "1", Y = "2" } }\n'
    policy = _policy(file, "--pass-env", "B", "--pass-env", "C")
    assert policy.pass_names == ("B", "C")
    assert policy.set_values == (("X", "1"), ("Y", "2"))
    policy = _policy(file, "--set-env", "X=3", "--set-env", "Z=")
    assert policy.set_values == (("X", "3"), ("Z", ""))
    assert policy.pass_names == ("A",)


def test_conflicts_are_judged_on_both_together() -> None:
    """S1-071: an option can make and mend a conflict."""
    file = HEAD + 'process.children = "none"\n'
    assert _policy(file).children is Children.NONE
    codes = [one.code for one in _mistakes(file, "--unix-sockets", "all")]
    assert Code.CONFLICTING_KEYS in codes
    file = HEAD + 'network.unix_sockets = "all"\nprocess.children = "none"\n'
    assert Code.CONFLICTING_KEYS in [one.code for one in _mistakes(file)]
    assert _policy(file, "--unix-sockets", "none").children is Children.NONE


def test_option_replaces_what_is_not_built() -> None:
    file = HEAD + 'process.ipc = "private"\n'
    assert _mistakes(file)[0].code is Code.NOT_SUPPORTED_YET
    assert _policy(file, "--ipc", "none").ipc is Ipc.NONE


def test_set_env_wins_in_any_order() -> None:
    """S1-123, S1-312."""
    for options in (
        ("--set-env", "A=1=2", "--pass-env", "A"),
        ("--pass-env", "A", "--set-env", "A=1=2"),
    ):
        policy = _policy(None, *options)
        assert (policy.pass_names, policy.set_values) == ((), (("A", "1=2"),))


def test_wrong_form_of_set_env() -> None:
    """S1-123."""
    for value, words in (("A", "needs `NAME=VALUE`"), ("", "needs `NAME=VALUE`")):
        with pytest.raises(Refusal, match=words):
            _policy(None, "--set-env", value)
    with pytest.raises(Refusal, match="sets `A` twice"):
        _policy(None, "--set-env", "A=1", "--set-env", "A=2")
    assert [one.code for one in _mistakes(None, "--set-env", "=x")] == [
        Code.VARIABLE_NAME
    ]


def test_mistakes_point_into_the_command_line() -> None:
    """S1-080, S1-282, S1-368."""
    options = ["--read", "~/x", "--ip=al", "--read", "/a b/..", "--", "/bin/true"]
    assert render(_mistakes(None, *options)) == (
        "command line:1:23: error[STK020]: path `~/x` is not absolute\n"
        '    1 | stockade check --read ~/x --ip=al --read "/a b/.."\n'
        "      |                       ^^^\n"
        "   help: `~` is not expanded here; write the whole path, from `/` on\n"
        "command line:1:32: error[STK015]: `al` is no value of `network.ip`\n"
        '    1 | stockade check --read ~/x --ip=al --read "/a b/.."\n'
        "      |                                ^^\n"
        "   help: did you mean `all`?\n"
        "command line:1:42: error[STK021]: path `/a b/..` holds `..`,"
        " which leads elsewhere through a link\n"
        '    1 | stockade check --read ~/x --ip=al --read "/a b/.."\n'
        "      |                                          ^^^^^^^^^\n"
        "   help: write the path that is meant\n"
    )


def test_overlap_between_file_and_option_names_both() -> None:
    file = HEAD + 'filesystem.read_write = ["/srv"]\n'
    (found,) = _mistakes(file, "--read", "/srv/sub")
    assert found.span.source.name == "command line"
    assert found.notes[0].span is not None
    assert found.notes[0].span.source.name == "policy.toml"


def test_option_bytes_that_are_no_utf8_are_kept() -> None:
    raw = b"/srv/caf\xe9".decode("utf-8", "surrogateescape")
    assert _policy(None, "--read", raw).grants == (Grant(raw, Access.READ),)
    (found,) = _mistakes(None, "--read", raw[1:])
    assert "caf\\xe9" in render([found])


@pytest.mark.parametrize(
    ("file", "options", "expected"),
    [
        ('network.ip = "none"', ["--ip", "all"], ["network.ip: none to all"]),
        ('network.ip = "all"', ["--ip", "none"], []),
        ('network.ip = "all"', ["--ip", "all"], []),
        ("", ["--ip", "all"], []),
        ('process.signals = "isolated"', ["--signals", "any"],
         ["process.signals: isolated to any"]),
        ('process.children = "none"', ["--children", "allowed"],
         ["process.children: none to allowed"]),
        ('filesystem.system = "none"', ["--system", "minimal"],
         ["filesystem.system: none to minimal"]),
        ('linux.path_metadata = "deny"', ["--linux-path-metadata", "allow"],
         ["linux.path_metadata: deny to allow"]),
        ('environment.pass = ["A"]', ["--pass-env", "A"], []),
        ('environment.pass = ["A"]', ["--pass-env", "B"], ["environment.pass: A to B"]),
        ('filesystem.read = ["/a"]', ["--read", "/b"], []),
    ],
)  # fmt: skip
def test_what_counts_as_widening(
    file: str, options: list[str], expected: list[str]
) -> None:
    """S1-198."""
    assert _merge(f"{HEAD}{file}\n", *options)[1] == expected


def test_no_file_is_never_widened() -> None:
    """S1-198."""
    policy, widened = _merge(None, "--ip", "all", "--signals", "isolated")
    assert (policy.ip, policy.signals, widened) == (Ip.ALL, Signals.ISOLATED, [])


def test_options_of_ports_have_their_own_orders() -> None:
    """S1-114, S1-115, S1-116, S1-117, S2-097: outer=inner, and inner=outer."""
    ports = _policy(
        None,
        *("--ip", "private", "--egress", "1080=public-and-local"),
        *("--expose", "127.0.0.1:18000=8000", "--expose=[::1]:18001=8000"),
        *("--forward", "18081=127.0.0.1:8081", "--forward", "18082=[::1]:8081"),
    )
    assert ports.expose == (
        Expose("127.0.0.1:18000", 8000),
        Expose("[::1]:18001", 8000),
    )
    assert ports.forward == (
        Forward(18081, "127.0.0.1:8081"),
        Forward(18082, "[::1]:8081"),
    )
    assert ports.egress == Egress(1080, Reach.PUBLIC_AND_LOCAL)
    for text in ("1080", "1080=public"):
        egress = _policy(None, "--ip", "private", "--egress", text).egress
        assert egress == Egress(1080, Reach.PUBLIC)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--expose", "8000=127.0.0.1:18000", "needs `ADDRESS=PORT`"),
        ("--expose", "127.0.0.1:1", "needs `ADDRESS=PORT`"),
        ("--expose", "127.0.0.1:1=", "needs `ADDRESS=PORT`"),
        ("--forward", "127.0.0.1:8081=18081", "needs `PORT=ADDRESS`"),
        ("--forward", "18081", "STK040"),
        ("--forward", "=127.0.0.1:1", "needs `PORT=ADDRESS`"),
        ("--forward", "1=0.0.0.0:1", "STK041"),
        ("--forward", "0=127.0.0.1:1", "STK040"),
        ("--forward", "65536=127.0.0.1:1", "STK040"),
        ("--forward", "99999999999=127.0.0.1:1", "needs `PORT=ADDRESS`"),
        ("--forward", "\uff11=127.0.0.1:1", "needs `PORT=ADDRESS`"),
        ("--expose", "host:1=2", "STK041"),
        ("--expose", "127.0.0.1=2", "STK040"),
        ("--egress", "x", "needs `PORT[=REACH]`"),
        ("--egress", "1=all", "STK015"),
        ("--egress", "1=", "STK015"),
    ],
)
def test_wrong_forms_of_ports(option: str, value: str, words: str) -> None:
    """S1-114, S1-115, S1-117: also the other one's order."""
    options = ("--ip", "private", option, value)
    if words.startswith("STK"):
        assert [one.code for one in _mistakes(None, *options)] == [words]
        return
    with pytest.raises(Refusal) as caught:
        _policy(None, *options)
    assert words in str(caught.value)


def test_lists_of_ports_replace_the_files() -> None:
    """S1-068: repeats add up among themselves."""
    file = HEAD + (
        'network.ip = "all"\n'
        'network.expose = [{ listen = "127.0.0.1:1", port = 2 }]\n'
        'network.forward = [{ port = 3, to = "127.0.0.1:4" }]\n'
    )
    policy = _policy(file, "--expose", "127.0.0.1:5=6", "--expose", "127.0.0.1:7=6")
    assert policy.expose == (Expose("127.0.0.1:5", 6), Expose("127.0.0.1:7", 6))
    assert policy.forward == (Forward(3, "127.0.0.1:4"),)


def test_options_of_systems_set_their_keys() -> None:
    """S1-072, S1-120, S1-121, S1-124, S1-126, S1-127, GL-205."""
    policy = _policy(
        None,
        *("--ip", "private", "--macos-relays", "ipv4", "--appcontainer", "a.b"),
        *("--windows-win32k", "deny", "--windows-junctions", "refuse"),
        *("--read-write", "/srv/a", "--project-files", "protected"),
        *("--project-write", "/srv/a"),
    )
    assert policy.relays is Relays.IPV4
    assert policy.appcontainer_name == "a.b"
    assert policy.win32k is Win32k.DENY
    assert policy.junctions is Junctions.REFUSE
    assert policy.project_files is ProjectFiles.PROTECTED
    assert policy.project_write == ("/srv/a",)
    service = "com.apple.trustd.agent"
    twice = ("--macos-mach-service", service) * 2
    assert _policy(None, "--ip", "all", *twice).mach_services == (service,)
    wrong = _mistakes(None, "--ip", "all", "--macos-mach-service", "com.apple.x")
    assert [one.code for one in wrong] == [Code.UNKNOWN_VALUE]
    assert [one.code for one in _mistakes(None, *twice)] == [Code.CONFLICTING_KEYS]


def test_a_port_in_an_option_is_shown_where_it_stands() -> None:
    (mistake,) = _mistakes(None, "--ip", "all", "--expose", "0.0.0.0:1=2")
    assert mistake.span.source.name == "command line"
    assert mistake.span.text == "0.0.0.0:1=2"
