# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show how options lie over a policy file."""

from __future__ import annotations

import pytest

from stockade.cli.arguments import read_arguments
from stockade.cli.output import Refusal
from stockade.cli.overlay import option_settings
from stockade.diagnostics import Code, Diagnostic, PolicyRejected, Report
from stockade.diagnostics.render import render
from stockade.model.policy import Access, Children, Grant, Ip, Ipc, Policy, Signals
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
