# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show what the keys of networks and of single systems mean, at their edges."""

from __future__ import annotations

import pytest

from stockade.diagnostics import Code, PolicyRejected
from stockade.model.policy import (
    Children,
    Egress,
    Expose,
    Forward,
    Ip,
    Junctions,
    Policy,
    ProjectFiles,
    Reach,
    Relays,
    Signals,
    Win32k,
)
from stockade.policy import read_policy

HEAD = "version = 1\n"
TRUSTD = "com.apple.trustd.agent"


def _read(text: str) -> Policy:
    return read_policy(HEAD + text, "policy.toml")


def _codes(text: str) -> list[Code]:
    with pytest.raises(PolicyRejected) as caught:
        _read(text)
    return [found.code for found in caught.value.diagnostics]


def _network(ip: str, **keys: str) -> str:
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items())
    return f'[network]\nip = "{ip}"\n{lines}'


def test_every_key_of_a_system_reaches_the_policy() -> None:
    """S1-041, S1-042, S1-043, S1-045, S1-049, S1-050, S1-051, S1-052, S1-053."""
    policy = _read("""
        [filesystem]
        read_write = ["/srv/b", "/srv/a"]
        project_files = "protected"
        project_write = ["/srv/a/"]
        [network]
        ip = "private"
        expose = [
            { listen = "[0::1]:9", port = 2 }, { listen = "127.9.9.9:65535", port = 2 },
        ]
        forward = [{ port = 65535, to = "[::1]:1" }, { port = 1, to = "127.0.0.1:1" }]
        egress = { port = 3, reach = "public-and-local", auth = "none" }
        [process]
        signals = "isolated"
        children = "contained"
        [windows]
        appcontainer_name = "An example_app-1.0"
        win32k = "deny"
        junctions = "refuse"
    """)
    assert policy.project_files is ProjectFiles.PROTECTED
    assert policy.project_write == ("/srv/a",)
    assert policy.ip is Ip.PRIVATE
    assert policy.expose == (Expose("127.9.9.9:65535", 2), Expose("[::1]:9", 2))
    assert policy.forward == (Forward(1, "127.0.0.1:1"), Forward(65535, "[::1]:1"))
    assert policy.egress == Egress(3, Reach.PUBLIC_AND_LOCAL)
    assert policy.children is Children.CONTAINED
    assert policy.signals is Signals.ISOLATED
    assert policy.appcontainer_name == "An example_app-1.0"
    assert policy.win32k is Win32k.DENY
    assert policy.junctions is Junctions.REFUSE
    other = _read(f"""
        [network]
        ip = "client"
        [macos]
        mach_services = ["{TRUSTD}", "{TRUSTD}"]
    """)
    assert other.mach_services == (TRUSTD,)
    assert _read('network.ip = "private"\nmacos.relays = "ipv4"').relays is Relays.IPV4


def test_broker_reaches_the_internet_unless_more_is_said() -> None:
    """S1-043 S2-096: the reach is a member of its own."""
    assert _read(_network("private", egress="{ port = 1 }")).egress == Egress(1)
    assert _codes(_network("private", egress='{ port = 1, reach = "all" }')) == [
        Code.UNKNOWN_VALUE
    ]
    assert _codes(_network("private", egress="[{ port = 1 }]")) == [Code.WRONG_TYPE]
    assert _codes(_network("private", egress='{ reach = "public" }')) == [
        Code.MISSING_KEY
    ]


@pytest.mark.parametrize("port", [0, -1, 65536, 2**63 - 1])
def test_ports_have_sixteen_bits(port: int) -> None:
    """S1-114 S2-080: in every member, and in an address."""
    for keys in (
        {"expose": f'[{{ listen = "127.0.0.1:1", port = {port} }}]'},
        {"expose": f'[{{ listen = "127.0.0.1:{port}", port = 1 }}]'},
        {"forward": f'[{{ port = {port}, to = "127.0.0.1:1" }}]'},
        {"forward": f'[{{ port = 1, to = "127.0.0.1:{port}" }}]'},
        {"egress": f"{{ port = {port} }}"},
    ):
        assert _codes(_network("private", **keys)) == [Code.NOT_A_PORT]


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0:1", "192.0.2.1:1", "localhost:1", "[::]:1", "128.0.0.1:1", "::1:1",
     "[::1%1]:1", "[::ffff:127.0.0.1]:1", "127.1:1", "127.0.0.01:1", ":1", "[]:1",
     "[127.0.0.1]:1", " 127.0.0.1:1"],
)  # fmt: skip
def test_relays_stay_on_the_loopback(address: str) -> None:
    """S1-114, S1-115 S2-061 S2-080."""
    for keys in (
        {"expose": f'[{{ listen = "{address}", port = 9 }}]'},
        {"forward": f'[{{ port = 9, to = "{address}" }}]'},
    ):
        assert _codes(_network("all", **keys)) == [Code.NOT_A_LOOPBACK_ADDRESS]


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:", "1", "127.0.0.1:\uff11", ""]
)
def test_an_address_has_a_port(text: str) -> None:
    """S2-061: also not in other digits than those of ASCII."""
    key = f'[{{ listen = "{text}", port = 9 }}]'
    assert _codes(_network("all", expose=key)) == [Code.NOT_A_PORT]


def test_two_addresses_may_expose_one_port_and_no_address_two() -> None:
    """S2-062 S2-063."""
    two = (
        '{ listen = "127.0.0.1:1", port = 9 }',
        '{ listen = "127.0.0.2:1", port = 9 }',
    )
    assert len(_read(_network("all", expose=f"[{two[0]}, {two[1]}]")).expose) == 2
    for ip in ("all", "private"):
        same = f"[{two[0]}, {two[0]}]"
        assert _codes(_network(ip, expose=same)) == [Code.PORT_TAKEN]
        own = '[{ listen = "127.0.0.1:9", port = 9 }]'
        assert _codes(_network(ip, expose=own)) == [Code.PORT_TAKEN]
        other = '[{ listen = "127.0.0.2:9", port = 9 }]'
        assert _read(_network(ip, expose=other)).expose


def test_a_port_of_the_program_has_one_use() -> None:
    """S2-081."""
    expose = '[{ listen = "127.0.0.2:9", port = 1 }]'
    forward = '[{ port = 1, to = "127.0.0.1:8" }]'
    other = '[{ port = 2, to = "127.0.0.1:8" }]'
    both = '[{ port = 1, to = "127.0.0.1:8" }, { port = 1, to = "127.0.0.1:9" }]'
    egress = "{ port = 1 }"
    for keys in (
        {"expose": expose, "forward": forward},
        {"expose": expose, "egress": egress},
        {"forward": forward, "egress": egress},
        {"forward": both},
    ):
        assert _codes(_network("private", **keys)) == [Code.PORT_TAKEN]
    _read(_network("private", forward=other, egress=egress))
    _read(_network("private", forward=other, expose=expose))


def test_a_port_is_not_forwarded_to_itself() -> None:
    """S2-081: with a loopback of its own it is another port."""
    forward = '[{ port = 1, to = "127.0.0.1:1" }]'
    for ip in ("client", "all"):
        assert _codes(_network(ip, forward=forward)) == [Code.PORT_TAKEN]
    assert _read(_network("private", forward=forward)).forward


def test_relays_of_ipv4_take_no_address_of_ipv6() -> None:
    """S2-057: on every system."""
    relays = 'macos.relays = "ipv4"\n'
    forward = '[{{ port = 1, to = "{}:1" }}]'
    six = relays + _network("private", forward=forward.format("[::1]"))
    assert _codes(six) == [Code.CONFLICTING_KEYS]
    assert _read(relays + _network("private", forward=forward.format("127.0.0.1")))


@pytest.mark.parametrize(
    "name",
    ["", "a" * 65, "ümlaut", "a/b", "a\\\\b", "a\\nb", "a\\u0000", "a\\tb", "..", "a.",
     "a ", " a", "isolatedWin32-x", "ISOLATEDWIN32", 'a\\"b', "a(b", "a:b", "a;b"],
)  # fmt: skip
def test_names_that_windows_does_not_take(name: str) -> None:
    """S2-339: on every host."""
    text = f'windows.appcontainer_name = "{name}"\n'
    assert _codes(text) == [Code.CONTAINER_NAME]


@pytest.mark.parametrize("name", ["a", "a" * 64, ".a", "a..b", "A b", "-", "_0", "win"])
def test_names_that_windows_takes(name: str) -> None:
    """S2-339."""
    text = f'windows.appcontainer_name = "{name}"\n'
    assert _read(text).appcontainer_name == name


def test_only_the_certificate_verifier_is_a_service() -> None:
    """S2-322, S2-323."""
    text = '[network]\nip = "all"\n[macos]\nmach_services = ["com.apple.x"]\n'
    assert _codes(text) == [Code.UNKNOWN_VALUE]
    for ip in ("none", "private"):
        text = f'network.ip = "{ip}"\nmacos.mach_services = ["{TRUSTD}"]\n'
        assert _codes(text) == [Code.CONFLICTING_KEYS]


def test_only_writable_paths_are_freed_of_protection() -> None:
    """GL-122."""
    text = 'filesystem.read_write = ["/a/b"]\nfilesystem.project_write = ["{}"]\n'
    assert _read(text.format("/a/b/.")).project_write == ("/a/b",)
    for path in ("/a", "/a/b/c", "/x"):
        assert _codes(text.format(path)) == [Code.NOT_WRITABLE]
    assert _codes(text.format("/a/../b")) == [Code.PARENT_COMPONENT]


# Values that ask for another key's value, each with one that does not go with it.
_CONTRADICTIONS = (
    ('network.expose = [{ listen = "127.0.0.1:1", port = 2 }]', "network.ip", "client"),
    ('network.forward = [{ port = 1, to = "127.0.0.1:2" }]', "network.ip", "none"),
    ("network.egress = { port = 1 }", "network.ip", "all"),
    ('network.sockets = "none"', "network.ip", "client"),
    ('network.sockets = "none"', "network.unix_sockets", "all"),
    ('macos.relays = "ipv4"', "network.ip", "all"),
    (f'macos.mach_services = ["{TRUSTD}"]', "network.ip", "private"),
    ('process.signals = "self"', "process.children", "allowed"),
    ('process.children = "none"', "network.unix_sockets", "all"),
    ('process.children = "contained"', "process.signals", "any"),
    ("commands.allow = []", "process.memory_files", "allowed"),
)


@pytest.mark.parametrize(("line", "other", "word"), _CONTRADICTIONS)
def test_a_contradiction_names_both_keys(line: str, other: str, word: str) -> None:
    """GL-042 S2-008 S2-057 S2-096: and both places."""
    with pytest.raises(PolicyRejected) as caught:
        _read(f'{other} = "{word}"\n{line}\n')
    (mistake,) = caught.value.diagnostics
    assert mistake.code == Code.CONFLICTING_KEYS
    assert mistake.message.startswith(f"`{line.partition(' = ')[0]}")
    assert f"needs `{other}` to be " in mistake.message
    (note,) = mistake.notes
    assert note.text == f"`{other}` is `{word}` here"
    assert note.span is not None
