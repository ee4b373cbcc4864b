# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decide what a container may do, by published decisions and by lists made by hand."""

from __future__ import annotations

import pytest

from stockade.abi.sid import capability_sid, container_sid
from stockade.proof.windows_acl.check import (
    Answer,
    Token,
    check,
    granted,
)
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ALL_ACCESS,
    FILE_EXECUTE,
    FILE_GENERIC_EXECUTE,
    FILE_GENERIC_READ,
    FILE_GENERIC_WRITE,
    FILE_READ_DATA,
    FILE_WRITE_DATA,
    GENERIC_EXECUTE,
    GENERIC_READ,
    READ_CONTROL,
    WRITE_DAC,
    WRITE_OWNER,
)
from stockade.proof.windows_acl.sddl import read_descriptor

_ME = "S-1-5-21-1-2-3-1001"
_BOX = container_sid("example.box")
_OWN = capability_sid("example.read")
_OTHER = capability_sid("example.other")
_TOKEN = Token(
    frozenset({_ME, "S-1-1-0", "S-1-5-32-545"}), _BOX, frozenset({_OWN, "S-1-15-3-1"})
)
_OUT = Token(_TOKEN.user, _BOX, _TOKEN.capabilities, opted_out=True)


def _check(text: str, mask: int, token: Token = _TOKEN) -> Answer:
    return check(token, read_descriptor(text), mask)


@pytest.mark.parametrize(
    ("sid", "token", "mask", "answer"),
    [
        ("S-1-0-0", _TOKEN, FILE_READ_DATA, Answer.DENIED),
        ("AC", _TOKEN, FILE_READ_DATA, Answer.ALLOWED),
        (_BOX, _TOKEN, FILE_READ_DATA, Answer.ALLOWED),
        ("S-1-15-3-1", _TOKEN, FILE_READ_DATA, Answer.ALLOWED),
        ("AC", _TOKEN, GENERIC_READ | GENERIC_EXECUTE, Answer.ALLOWED),
        ("AC", _OUT, FILE_READ_DATA, Answer.DENIED),
        ("S-1-15-2-2", _OUT, FILE_READ_DATA, Answer.ALLOWED),
    ],
)
def test_published_decisions_come_out(
    sid: str, token: Token, mask: int, answer: Answer
) -> None:
    """Chromium demands them of Windows: AccessCheckFile, app_container_unittest.cc."""
    assert _check(f"D:(A;;GA;;;WD)(A;;GA;;;{sid})", mask, token) is answer


def test_general_rights_are_those_of_files() -> None:
    """The same test's mapping, and that nothing else comes with it."""
    descriptor = read_descriptor("D:(A;;GA;;;WD)(A;;GRGX;;;AC)")
    for rights in granted(_TOKEN, descriptor):
        assert rights == FILE_GENERIC_READ | FILE_GENERIC_EXECUTE


def test_both_passes_must_grant() -> None:
    for text, answer in (
        (f"D:(A;;FR;;;WD)(A;;FR;;;{_OWN})", Answer.ALLOWED),
        (f"D:(A;;FA;;;{_OWN})", Answer.DENIED),
        ("D:(A;;FA;;;WD)", Answer.DENIED),
        (f"D:(A;;FX;;;WD)(A;;FR;;;{_OWN})", Answer.DENIED),
        (f"D:(A;;FR;;;WD)(A;;FA;;;{_OTHER})", Answer.DENIED),
        (f"D:(A;IO;FA;;;WD)(A;;FA;;;{_OWN})", Answer.DENIED),
        (f"D:(A;;FA;;;WD)(A;OICIIO;FA;;;{_OWN})", Answer.DENIED),
    ):
        assert _check(text, FILE_GENERIC_READ) is answer, text


def test_rights_add_up_within_a_pass() -> None:
    text = f"D:(A;;FR;;;WD)(A;;FW;;;{_ME})(A;;FW;;;AC)(A;;FR;;;{_OWN})"
    assert _check(text, FILE_GENERIC_READ | FILE_GENERIC_WRITE) is Answer.ALLOWED
    assert _check(text, FILE_EXECUTE) is Answer.DENIED


@pytest.mark.parametrize("who", [_ME, "WD", "BU"])
def test_denials_of_the_user_bind_in_the_lists_order(who: str) -> None:
    """A denial counts for the rights that no entry before it has granted."""
    both = f"(A;;FA;;;{_ME})(A;;FA;;;{_OWN})"
    assert _check(f"D:(D;;FR;;;{who}){both}", FILE_READ_DATA) is Answer.DENIED
    assert _check(f"D:(D;;FR;;;{who}){both}", FILE_EXECUTE) is Answer.ALLOWED
    assert _check(f"D:{both}(D;;FR;;;{who})", FILE_READ_DATA) is Answer.ALLOWED
    assert _check(f"D:(D;IO;FR;;;{who}){both}", FILE_READ_DATA) is Answer.ALLOWED
    twice = f"D:(D;;FR;;;{who})(D;;FW;;;{who}){both}"
    for mask in (FILE_READ_DATA, FILE_WRITE_DATA):
        assert _check(twice, mask) is Answer.DENIED
    assert _check(twice, FILE_EXECUTE) is Answer.ALLOWED
    # An explicit permission goes before an inherited denial.
    nearer = f"D:(A;;FA;;;{_ME})(A;;FA;;;{_OWN})(D;ID;FR;;;{who})"
    assert _check(nearer, FILE_READ_DATA) is Answer.ALLOWED


def test_groups_for_denials_only_deny() -> None:
    token = Token(
        frozenset({_ME}),
        _BOX,
        frozenset({_OWN}),
        deny_only=frozenset({"S-1-5-32-544"}),
    )
    both = f"(A;;FA;;;{_ME})(A;;FA;;;{_OWN})"
    assert _check(f"D:(D;;FR;;;BA){both}", FILE_READ_DATA, token) is Answer.DENIED
    assert _check(f"D:{both}", FILE_READ_DATA, token) is Answer.ALLOWED
    assert _check(f"D:(A;;FA;;;BA)(A;;FA;;;{_OWN})", 1, token) is Answer.DENIED


@pytest.mark.parametrize("who", [_BOX, _OWN, "AC"])
def test_nobody_may_rely_on_denials_of_a_container(who: str) -> None:
    """S2-348: whether they bind is undecided, so neither answer is given."""
    both = f"(A;;FA;;;WD)(A;;FA;;;{_OWN})"
    assert _check(f"D:(D;;FA;;;{who}){both}", FILE_READ_DATA) is Answer.UNDECIDED
    # What the denial does not name, or was granted before, is not in doubt.
    assert _check(f"D:(D;;FW;;;{who}){both}", FILE_READ_DATA) is Answer.ALLOWED
    assert _check(f"D:{both}(D;;FA;;;{who})", FILE_READ_DATA) is Answer.ALLOWED
    # The absence of a permission is the denial that holds.
    assert _check("D:(A;;FA;;;WD)", FILE_READ_DATA) is Answer.DENIED
    assert _check(f"D:(D;;FA;;;{_OTHER}){both}", FILE_READ_DATA) is Answer.ALLOWED


def test_restricted_packages_are_in_doubt_for_others() -> None:
    text = "D:(A;;FA;;;WD)(A;;FA;;;S-1-15-2-2)"
    assert _check(text, FILE_READ_DATA) is Answer.UNDECIDED
    assert _check(text, FILE_READ_DATA, _OUT) is Answer.ALLOWED


def test_an_object_without_a_list_gives_containers_nothing() -> None:
    """Everyone else may do everything there: the user's pass would grant it."""
    assert _check("O:SY", FILE_READ_DATA) is Answer.DENIED
    assert _check("D:", FILE_READ_DATA) is Answer.DENIED
    assert _check("D:(A;;FA;;;WD)(A;;FA;;;AC)", FILE_READ_DATA) is Answer.ALLOWED


def test_owning_helps_only_where_the_container_is_granted_as_much() -> None:
    """What ownership implies counts for the user, and a container needs both."""
    change = READ_CONTROL | WRITE_DAC
    assert _check(f"O:{_ME}D:(A;;FR;;;{_OWN})", WRITE_DAC) is Answer.DENIED
    assert _check(f"O:{_ME}D:(A;;FA;;;{_OWN})", change) is Answer.ALLOWED
    assert _check(f"O:SYD:(A;;FA;;;{_OWN})", change) is Answer.DENIED
    assert _check(f"O:{_ME}D:(A;;FA;;;{_OWN})", WRITE_OWNER) is Answer.DENIED
    # An entry for the owner's rights takes their place, even one that grants less.
    text = f"O:{_ME}D:(A;;FR;;;OW)(A;;FA;;;{_OWN})"
    assert _check(text, WRITE_DAC) is Answer.DENIED
    assert _check(text, FILE_READ_DATA) is Answer.ALLOWED
    text = f"O:SYD:(A;;FR;;;OW)(A;;FA;;;{_OWN})"
    assert _check(text, FILE_READ_DATA) is Answer.DENIED


@pytest.mark.parametrize(
    ("label", "writes"),
    [
        ("", Answer.ALLOWED),
        ("S:(ML;;NW;;;LW)", Answer.ALLOWED),
        ("S:(ML;;NW;;;ME)", Answer.ALLOWED),
        ("S:(ML;;NW;;;HI)", Answer.DENIED),
        ("S:(ML;;NW;;;SI)", Answer.DENIED),
        ("S:(ML;IO;NW;;;HI)", Answer.ALLOWED),
        ("S:(ML;;NR;;;HI)", Answer.ALLOWED),
    ],
)
def test_only_labels_above_medium_keep_containers_out(
    label: str, writes: Answer
) -> None:
    text = f"D:(A;;FA;;;WD)(A;;FA;;;{_OWN}){label}"
    for mask in (FILE_WRITE_DATA, DELETE):
        assert _check(text, mask) is writes
    reads = Answer.DENIED if "NR" in label else Answer.ALLOWED
    assert _check(text, FILE_READ_DATA) is reads


def test_a_label_of_no_policy_keeps_nobody_out() -> None:
    text = f"D:(A;;FA;;;WD)(A;;FA;;;{_OWN})S:(ML;;0x0;;;HI)"
    assert _check(text, FILE_ALL_ACCESS) is Answer.ALLOWED
