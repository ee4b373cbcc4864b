# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show what policies mean, at the edges of what is accepted."""

from __future__ import annotations

import pytest

from stockade.diagnostics import Code, PolicyRejected
from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    System,
    UnixSockets,
)
from stockade.policy import read_policy
from stockade.policy.format import KEYS, Key, Kind

HEAD = "version = 1\n"


def _codes(text: str | bytes) -> list[str]:
    with pytest.raises(PolicyRejected) as caught:
        read_policy(text, "policy.toml")
    return [found.code for found in caught.value.diagnostics]


def _read(text: str) -> Policy:
    return read_policy(text, "policy.toml")


def _paths(**lists: list[str]) -> str:
    lines = [f"{name} = {paths!r}" for name, paths in lists.items()]
    return "\n".join([HEAD, "[filesystem]", *lines, ""])


def test_version_alone_is_the_default_policy() -> None:
    """S1-002, S1-023, S1-035, S1-036, S1-039, S1-040, S1-044, S1-045, S1-047.

    S2-121 S2-171 S2-153 S2-247.
    """
    assert _read(HEAD) == Policy()
    assert Policy() == Policy(
        system=System.MINIMAL,
        grants=(),
        ip=Ip.NONE,
        unix_sockets=UnixSockets.NONE,
        signals=Signals.ANY,
        children=Children.ALLOWED,
        pass_names=(),
        set_values=(),
        path_metadata=PathMetadata.DENY,
    )


def test_every_built_key_reaches_the_policy() -> None:
    """S1-035 to S1-048, as far as they are built."""
    policy = _read(
        HEAD
        + """
        [filesystem]
        system = "none"
        read = ["/srv/in"]
        read_exec = ["/opt/bin"]
        read_write = ["/srv/out"]
        [network]
        ip = "all"
        unix_sockets = "none"
        [process]
        signals = "isolated"
        children = "none"
        [environment]
        pass = ["TZ", "LANG"]
        set = { HOME = "/srv/out", A = "" }
        [linux]
        path_metadata = "allow"
        """
    )
    assert policy == Policy(
        system=System.NONE,
        grants=(
            Grant("/opt/bin", Access.READ_EXEC),
            Grant("/srv/in", Access.READ),
            Grant("/srv/out", Access.READ_WRITE),
        ),
        ip=Ip.ALL,
        unix_sockets=UnixSockets.NONE,
        signals=Signals.ISOLATED,
        children=Children.NONE,
        pass_names=("LANG", "TZ"),
        set_values=(("A", ""), ("HOME", "/srv/out")),
        path_metadata=PathMetadata.ALLOW,
    )


# What a word needs of another key.
_NEEDED_BESIDE = {
    ("process.signals", "self"): 'process.children = "none"\n',
    ("process.children", "contained"): 'process.signals = "isolated"\n',
    ("macos.relays", "ipv4"): 'network.ip = "private"\n',
}


@pytest.mark.parametrize(
    "key",
    [key for key in KEYS.values() if key.kind is Kind.WORD],
    ids=lambda key: key.path,
)
def test_each_word_is_accepted_or_named_as_not_built(key: Key) -> None:
    """S1-029, S1-035 to S1-053: no known word is unknown, none is ignored.

    S1-038 S2-001 S2-121 S2-153 S2-171 S2-247.
    """
    for word in key.words:
        text = f'{HEAD}{key.path} = "{word}"\n'
        text += _NEEDED_BESIDE.get((key.path, word), "")
        if word in key.built or word == key.default:
            _read(text)
        else:
            assert Code.NOT_SUPPORTED_YET in _codes(text)
    for wrong in (key.words[0].upper(), "", "nonsense"):
        codes = _codes(f'{HEAD}[{key.table}]\n{key.name} = "{wrong}"\n')
        assert codes == [Code.UNKNOWN_VALUE]
    assert _codes(f"{HEAD}[{key.table}]\n{key.name} = 1\n") == [Code.WRONG_TYPE]


def test_defaults_of_keys_that_are_not_built_may_be_written() -> None:
    """S1-003 for what holds without the key as well."""
    text = """
        [filesystem]
        view = "all"
        symlinks = "deny"
        hide = []
        [network]
        expose = []
        forward = []
        [process]
        end_with_parent = false
        [macos]
        relays = "dual-stack"
        mach_services = []
        [windows]
        win32k = "allow"
        junctions = "grant"
        """
    assert _read(HEAD + text) == Policy()


def test_paths_are_normalised_sorted_and_unique() -> None:
    text = _paths(read=["/srv/b/", "//srv/./a", "/srv//b", "/", "/.", "/srv/b/."])
    assert [grant.path for grant in _read(text).grants] == ["/", "/srv/a", "/srv/b"]


def test_same_path_read_and_written_is_redundant() -> None:
    """S1-291 is about paths strictly inside."""
    policy = _read(_paths(read=["/srv", "/srv"], read_write=["/srv/"]))
    assert policy.grants == (
        Grant("/srv", Access.READ),
        Grant("/srv", Access.READ_WRITE),
    )


@pytest.mark.parametrize(
    ("lists", "codes"),
    [
        ({"read_write": ["/a"], "read_exec": ["/a"]}, [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["/a/b"], "read_exec": ["/a"]}, [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["/a"], "read_exec": ["/a/b"]}, [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["/"], "read_exec": ["/a"]}, [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["/a"], "read": ["/a/b"]}, [Code.INSIDE_WRITABLE]),
        ({"read_write": ["/a", "/a/b"]}, [Code.INSIDE_WRITABLE]),
        ({"read_write": ["/a", "/a/b/c"], "read": ["/a-b"]}, [Code.INSIDE_WRITABLE]),
        ({"read_write": ["/a/b/c"], "read": ["/a", "/a/b"]}, []),
        ({"read_write": ["/a"], "read": ["/ab"], "read_exec": ["/a.b"]}, []),
        ({"read_exec": ["/a", "/a/b"], "read": ["/a/b/c"]}, []),
        ({"read_write": ["/dev/pts", "/dev/ptmx"], "read": ["/dev/pts/1"]}, []),
        ({"read_write": ["/dev/pts"], "read_exec": ["/dev/pts/1"]},
         [Code.WRITABLE_AND_EXECUTABLE]),
    ],
)  # fmt: skip
def test_overlaps(lists: dict[str, list[str]], codes: list[Code]) -> None:
    """S1-285, S1-287, S1-288, S1-291, S1-292, S1-296."""
    text = _paths(**lists)
    if codes:
        assert _codes(text) == codes
    else:
        _read(text)


def test_overlap_names_both_places() -> None:
    """S1-287, S1-291: the span is one path, the note the other."""
    text = _paths(read=["/srv/out/sub"], read_write=["/srv/out"])
    with pytest.raises(PolicyRejected) as caught:
        _read(text)
    (found,) = caught.value.diagnostics
    assert found.span.text == "'/srv/out/sub'"
    assert found.notes[0].span is not None
    assert found.notes[0].span.text == "'/srv/out'"


@pytest.mark.parametrize("path", ["srv", "~", "~/x", "./x", "", " /x", "1:\\x"])
def test_relative_paths(path: str) -> None:
    """S1-080, S1-282."""
    assert _codes(_paths(read=[path])) == [Code.NOT_ABSOLUTE]


def test_longest_path() -> None:
    name = "/" + "a" * 4094
    assert _read(_paths(read=[name])).grants == (Grant(name, Access.READ),)
    assert _codes(_paths(read=[name + "b"])) == [Code.PATH_TOO_LONG]
    # Bytes count, not characters.
    assert _codes(_paths(read=["/" + "é" * 2048])) == [Code.PATH_TOO_LONG]


def test_set_wins_over_pass() -> None:
    """S1-312."""
    policy = _read(f'{HEAD}[environment]\npass = ["A", "B"]\nset = {{ A = "1" }}\n')
    assert (policy.pass_names, policy.set_values) == (("B",), (("A", "1"),))


def test_number_of_variables() -> None:
    names = ", ".join(f'"V{number}"' for number in range(256))
    base = f"{HEAD}[environment]\npass = [{names}]\n"
    assert len(_read(base).pass_names) == 256
    assert len(_read(f'{base}set = {{ V0 = "" }}\n').pass_names) == 255
    assert _codes(f'{base}set = {{ W = "" }}\n') == [Code.TOO_MANY_VARIABLES]


@pytest.mark.parametrize(
    "line",
    ['network.ip = "none"', 'filesystem.symlinks = "deny"', 'process.signals = "any"'],
)
def test_a_default_may_be_written(line: str) -> None:
    """S2-001 S2-234."""
    assert _read(f"{HEAD}{line}\n") == Policy()


def test_symlinks_are_no_matter_of_a_level() -> None:
    """S2-234."""
    text = f'{HEAD}[[fallback]]\nname = "a"\nfilesystem.symlinks = "allow"\n'
    assert Code.NOT_IN_A_LEVEL in _codes(text)


@pytest.mark.parametrize("children", ["allowed", "contained"])
def test_signals_of_one_process_need_one_process(children: str) -> None:
    """GL-046."""
    text = f'{HEAD}process.signals = "self"\nprocess.children = "{children}"\n'
    assert Code.CONFLICTING_KEYS in _codes(text)
    alone = f'{HEAD}process.signals = "self"\nprocess.children = "none"\n'
    assert _read(alone).signals is Signals.SELF


def test_conflicts_are_judged_between_all_keys() -> None:
    """S1-054, S1-055, S1-056, S1-057, S1-058, S1-060, S2-008: with and without."""
    expose = 'expose = [{ listen = "127.0.0.1:2", port = 1 }]'
    forward = 'forward = [{ port = 1, to = "127.0.0.1:2" }]'
    services = 'mach_services = ["com.apple.trustd.agent"]'
    table = {
        ("network", expose): ("private", "all"),
        ("network", forward): ("private", "client", "all"),
        ("network", "egress = { port = 1 }"): ("private",),
        ("macos", 'relays = "ipv4"'): ("private",),
        ("macos", services): ("client", "all"),
    }
    for (where, line), allowed in table.items():
        for ip in KEYS["network.ip"].words:
            text = f'{HEAD}network.ip = "{ip}"\n{where}.{line}\n'
            if ip in allowed:
                _read(text)
            else:
                assert _codes(text) == [Code.CONFLICTING_KEYS]


def test_children_none_needs_no_unix_sockets() -> None:
    """S1-059 of ending with the parent: with `any`, and with `isolated`."""
    text = f'{HEAD}process.children = "none"\nnetwork.unix_sockets = "all"\n'
    assert Code.CONFLICTING_KEYS in _codes(text)
    text = f'{HEAD}process.end_with_parent = true\nprocess.signals = "any"\n'
    assert Code.CONFLICTING_KEYS in _codes(text)
    text = f'{HEAD}process.end_with_parent = true\nprocess.signals = "isolated"\n'
    assert Code.CONFLICTING_KEYS not in _codes(text)


@pytest.mark.parametrize(
    "line",
    [
        'expose = [{ listen = "127.0.0.1:2", port = 1, other = 1 }]',
        'forward = [{ port = 1, to = "127.0.0.1:1", other = 1 }]',
        "egress = { port = 1, other = 1 }",
    ],
)
def test_unknown_key_in_an_entry(line: str) -> None:
    """S1-027."""
    text = f'{HEAD}[network]\nip = "private"\n'
    assert Code.UNKNOWN_KEY in _codes(text + line)
    _read(text + line.replace(", other = 1", ""))


@pytest.mark.parametrize(
    "line",
    [
        'filesystem.read = "x"',
        "network.ip = 1",
        'process.end_with_parent = "true"',
        "environment.set = []",
        'network.forward = [{ port = "80", to = "127.0.0.1:1" }]',
    ],
)
def test_values_of_other_types(line: str) -> None:
    """S1-028: the name of the key stands in the message."""
    with pytest.raises(PolicyRejected) as caught:
        _read(f"{HEAD}{line}\n")
    (message,) = (
        found.message
        for found in caught.value.diagnostics
        if found.code == Code.WRONG_TYPE
    )
    name = "port" if "port" in line else line.split(" = ", 1)[0]
    assert message.startswith(f"`{name}` must be ")


def test_a_wrong_value_starts_no_second_complaint() -> None:
    """The conflict would be about a default that the author did not mean."""
    text = f'{HEAD}network.ip = "al"\nnetwork.egress = {{ port = 1 }}\n'
    assert _codes(text) == [Code.UNKNOWN_VALUE]


def test_all_mistakes_show_at_once() -> None:
    """S1-368."""
    text = "version = 3\nfoo = 1\n[filesystem]\nread = ['x', '/a/..', 1]\n"
    assert _codes(text) == [
        Code.OTHER_VERSION,
        Code.UNKNOWN_KEY,
        Code.NOT_ABSOLUTE,
        Code.PARENT_COMPONENT,
        Code.WRONG_TYPE,
    ]


def test_same_text_in_other_layouts_is_the_same_policy() -> None:
    """S1-371: what the layout adds does not reach the policy."""
    one = '[filesystem]\nread = ["/a", "/b"]\n[network]\nip = "all"\n'
    other = 'network = { ip = "all" }\nfilesystem.read = [\n "/b", # x\n "/a" ]\n'
    assert _read(HEAD + one) == _read(HEAD + other)
    assert _read((HEAD + one).replace("\n", "\r\n")) == _read(HEAD + one)
