# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the order in which a macOS profile's rules decide, and what its filters mean.

Each test is one sentence of the algorithm; what it rests on stands in docs/sbpl.md.
"""

from __future__ import annotations

import pytest
from sbpl_profiles import HEAD, allows, verdict

from stockade.proof.sbpl.context import Address, context_of
from stockade.proof.sbpl.profile import read_profile
from stockade.proof.sbpl.rules import UnknownOperationError

READ, WRITE, CREATE = "file-read-data", "file-write-data", "file-write-create"


def test_nothing_is_allowed_by_default() -> None:
    assert not read_profile("(version 1)").decide(READ, context_of({})).allowed
    assert (
        read_profile("(version 1)(allow default)").decide(READ, context_of({})).allowed
    )


def test_of_filtered_rules_the_last_written_is_asked_first() -> None:
    allow, deny = '(allow file* (subpath "/a"))', '(deny file* (subpath "/a/b"))'
    assert not allows(allow + deny, READ, "/a/b/c")
    assert allows(deny + allow, READ, "/a/b/c")
    assert allows(allow + deny, READ, "/a/c")


def test_an_unfiltered_rule_is_the_tail_wherever_it_stands() -> None:
    deny = '(deny network-outbound (subpath "/a"))'
    for profile in (
        f"(allow network-outbound){deny}",
        f"{deny}(allow network-outbound)",
    ):
        assert not allows(profile, "network-outbound", "/a/x")
        assert allows(profile, "network-outbound", "/b")


def test_of_two_unfiltered_rules_the_last_stays() -> None:
    assert not allows("(allow file-read*)(deny file-read*)", READ, "/a")
    assert allows("(deny file-read*)(allow file-read*)", READ, "/a")


def test_an_unfiltered_rule_of_the_wildcard_does_not_reach_a_specific_one() -> None:
    profile = '(allow file-write* (literal "/a"))(deny file-write*)(allow default)'
    assert allows(profile, CREATE, "/a")
    assert not allows(profile, CREATE, "/b")
    assert allows(profile, READ, "/b")


def test_a_specific_operation_comes_before_its_wildcard_in_either_order() -> None:
    specific, wide = (
        '(allow file-read-data (subpath "/"))',
        '(deny file-read* (literal "/a"))',
    )
    for profile in (specific + wide, wide + specific):
        assert allows(profile, READ, "/a")
        assert not allows(profile, "file-read-metadata", "/a")
    assert not allows(specific + '(deny file-read-data (literal "/a"))', READ, "/a")


def test_the_way_up_goes_parent_by_parent() -> None:
    """network-bind asks network-inbound, and that asks network*."""
    local = [Address("127.0.0.1", 80)]
    assert allows("(allow network-inbound (local ip))", "network-bind", local=local)
    assert not allows("(allow network-bind (local ip))", "network-inbound", local=local)
    assert allows("(allow network* (local ip))", "network-bind", local=local)
    assert allows(
        '(allow process-exec* (literal "/a"))', "process-exec-interpreter", "/a"
    )


@pytest.mark.parametrize(
    "operation",
    [
        "file-link",
        "file-clone",
        "file-map-executable",
        "file-test-existence",
        "process-info-pidinfo",
        "process-info-codesignature",
        "nvram-get",
        "iokit-get-properties",
        "dynamic-code-generation",
        "socket-ioctl",
        "system-mac-syscall",
        "syscall-unix",
    ],
)
def test_some_operations_never_ask_the_default(operation: str) -> None:
    assert allows("", operation, "/a")
    assert not allows(f"(deny {operation})", operation, "/a")


def test_a_setuid_bit_is_no_file_write() -> None:
    assert not allows("(allow file*)(allow default)", "file-write-setugid", "/a")
    assert allows("(allow file-write-setugid)", "file-write-setugid", "/a")


def test_a_denied_wildcard_does_not_reach_what_answers_itself() -> None:
    assert not allows("(deny process-info*)", "process-info-pidinfo")
    assert allows("(deny process-info*)", "process-info-codesignature")
    assert allows("(deny file*)", "file-link", "/a")


def test_a_filter_counts_for_every_operation_of_its_rule() -> None:
    profile = "(allow process-exec* process-fork signal (target self))"
    assert not allows(profile, "process-exec*", "/bin/echo")
    assert allows(profile, "signal", target=["self"])


def test_several_filters_of_one_rule_are_alternatives() -> None:
    profile = '(allow file-read* (literal "/a") (subpath "/b"))'
    assert allows(profile, READ, "/a")
    assert allows(profile, READ, "/b/c")
    assert not allows(profile, READ, "/a/c")


def test_filters_join_and_turn_round() -> None:
    profile = (
        '(allow file-write-create (require-all (subpath "/w")'
        " (require-any (vnode-type REGULAR-FILE) (vnode-type DIRECTORY))))"
        '(allow file-read* (require-not (subpath "/s")))'
    )
    assert allows(profile, CREATE, "/w/f", vnode_type="REGULAR-FILE")
    assert not allows(profile, CREATE, "/w/f", vnode_type="FIFO")
    assert not allows(profile, CREATE, "/v/f", vnode_type="REGULAR-FILE")
    assert allows(profile, READ, "/a")
    assert not allows(profile, READ, "/s/a")


def test_a_denial_by_kind_leaves_other_kinds() -> None:
    profile = '(allow file-write* (subpath "/w"))'
    profile += "(deny file-write-create (vnode-type SYMLINK))"
    assert allows(profile, CREATE, "/w/f", vnode_type="REGULAR-FILE")
    assert not allows(profile, CREATE, "/w/f", vnode_type="SYMLINK")


def test_paths_match_by_whole_names() -> None:
    profile = '(allow file-read* (subpath "/a/b"))(allow file-write* (prefix "/a/b"))'
    assert allows(profile, READ, "/a/b")
    assert allows(profile, READ, "/a/b/c")
    assert not allows(profile, READ, "/a/bc")
    assert not allows(profile, READ, "/a")
    assert allows(profile, WRITE, "/a/bc")
    assert allows('(allow file-read* (subpath "/"))', READ, "/")


def test_names_may_be_equal_in_any_case() -> None:
    """On a volume that folds, paths do and expressions are not said to."""
    profile = read_profile(
        HEAD + '(allow file-read* (subpath "/A/b"))(deny file-read* (regex #"/X$"))'
    )
    exact = context_of({"path": "/a/B/c"})
    assert not profile.decide(READ, exact).allowed
    assert profile.decide(READ, context_of({"path": "/a/B/c"}, folds=True)).allowed
    assert (
        profile.decide(READ, context_of({"path": "/a/B/X"}, folds=True)).allowed
        is False
    )
    assert profile.decide(READ, context_of({"path": "/a/B/x"}, folds=True)).allowed


def test_addresses_match_by_protocol_family_host_and_port() -> None:
    profile = (
        '(allow network-outbound (remote tcp "localhost:80") (remote udp4 "*:53"))'
    )
    ask = "network-outbound"
    assert allows(profile, ask, remote=[Address("127.0.0.1", 80)])
    assert allows(profile, ask, remote=[Address("::1", 80)])
    assert not allows(profile, ask, remote=[Address("127.0.0.1", 81)])
    assert not allows(profile, ask, remote=[Address("203.0.113.7", 80)])
    assert not allows(profile, ask, remote=[Address("127.0.0.1", 80, "udp")])
    assert allows(profile, ask, remote=[Address("203.0.113.7", 53, "udp")])
    assert not allows(profile, ask, remote=[Address("2001:db8::1", 53, "udp")])
    assert not allows(profile, ask, local=[Address("127.0.0.1", 80)])
    named = "(allow network-outbound (remote ip))"
    assert allows(named, ask, remote=[Address("host.example", 80)])
    assert not allows(profile, ask, remote=[Address("host.example", 80)])


def test_a_socket_that_was_not_bound_has_any_local_address() -> None:
    """So a filter of the local end lets a program connect anywhere."""
    outside = [Address("203.0.113.7", 80)]
    ask = "network-outbound"
    assert allows("(allow network* (local ip))", ask, remote=outside)
    assert not allows("(allow network* (local udp))", ask, remote=outside)
    assert not allows('(allow network* (local ip "*:80"))', ask, remote=outside)
    bound = [Address("127.0.0.1", 80)]
    assert not allows("(allow network* (local ip6))", ask, remote=outside, local=bound)


def test_unix_sockets_are_named_by_path() -> None:
    for inner in ('(literal "/s")', '(remote unix-socket (path-literal "/s"))'):
        profile = f"(allow network-outbound {inner})"
        assert allows(profile, "network-outbound", "/s")
        assert not allows(profile, "network-outbound", "/t")
    assert allows(
        "(allow network-outbound (remote unix-socket))", "network-outbound", "/t"
    )
    assert not allows("(allow network-outbound (remote ip))", "network-outbound", "/t")


def test_a_process_is_several_things_at_once() -> None:
    profile = "(allow signal (target same-sandbox))"
    assert allows(profile, "signal", target=["children", "same-sandbox"])
    assert not allows(profile, "signal", target=["others"])


def test_signals_have_the_numbers_of_macos() -> None:
    profile = "(allow signal (signal-number SIGUSR1))"
    assert allows(profile, "signal", signal_number=30)
    assert allows(profile, "signal", signal_number="SIGUSR1")
    assert not allows(profile, "signal", signal_number=10)


def test_names_match_whole_by_start_or_by_expression() -> None:
    profile = (
        '(allow sysctl-read (sysctl-name "a.b") (sysctl-name-prefix "c.")'
        ' (sysctl-name-regex #"^d[.]x$"))'
    )
    for name, expected in (
        ("a.b", True),
        ("a.b.c", False),
        ("c.x", True),
        ("d.x", True),
    ):
        assert allows(profile, "sysctl-read", sysctl_name=name) is expected
    assert not allows(profile, "sysctl-read", sysctl_name="dax")


def test_writing_sysctl_write_allows_reading_too() -> None:
    """The name stands for the wildcard in version 1."""
    profile = '(allow sysctl-write (sysctl-name "a"))'
    assert allows(profile, "sysctl-read", sysctl_name="a")
    assert allows(profile, "sysctl-write", sysctl_name="a")


def test_a_device_request_has_a_number() -> None:
    """`_IO` makes the number of a request that older systems have no name for."""
    profile = '(allow file-ioctl)(deny file-ioctl (ioctl-command (_IO "t" 114)))'
    assert not allows(profile, "file-ioctl", "/dev/tty", ioctl_command=0x7472)
    assert allows(profile, "file-ioctl", "/dev/tty", ioctl_command=0x7468)


def test_modes_are_bits() -> None:
    profile = "(allow file-read* (file-mode #o0004))"
    assert allows(profile, READ, "/a", file_mode=0o644)
    assert not allows(profile, READ, "/a", file_mode=0o640)


def test_what_stands_around_a_rule_joins_its_filter() -> None:
    profile = (
        '(with-filter (process-path "/bin/a") (allow process-fork)'
        ' (allow file-read* (literal "/x")))'
    )
    assert allows(profile, "process-fork", process_path="/bin/a")
    assert not allows(profile, "process-fork", process_path="/bin/b")
    assert allows(profile, READ, "/x", process_path="/bin/a")
    assert not allows(profile, READ, "/y", process_path="/bin/a")
    assert not allows(profile, READ, "/x")


def test_what_is_not_told_matches_nothing() -> None:
    assert not allows('(allow file-read* (extension "x"))', READ, "/a")
    assert allows('(allow file-read* (require-not (extension "x")))', READ, "/a")


def test_folders_above_a_path_are_meant_without_itself() -> None:
    profile = '(allow file-read* (path-ancestors "/a/b/c"))'
    assert [allows(profile, READ, one) for one in ("/", "/a", "/a/b", "/a/b/c")] == [
        True,
        True,
        True,
        False,
    ]


def test_the_deciding_rule_has_its_line_and_text() -> None:
    found = verdict('\n\n  (allow file-read*\n    (literal "/a"))', READ, "/a")
    assert str(found) == 'line 3, column 3: (allow file-read* (literal "/a"))'
    assert found.operation == "file-read*"
    assert str(verdict("", READ, "/a")) == "line 1, column 12: (deny default)"
    assert str(verdict("", "file-link")) == "what `file-link` answers by itself"


def test_other_names_mean_the_same_operation() -> None:
    assert allows('(allow process-exec (literal "/a"))', "process-exec*", "/a")
    assert allows("(allow ipc-posix-sem)", "ipc-posix-sem-open")
    assert allows("(allow iokit-open)", "iokit-open")


def test_an_unknown_operation_is_never_answered() -> None:
    with pytest.raises(UnknownOperationError, match="`file-reed`"):
        verdict("", "file-reed")
