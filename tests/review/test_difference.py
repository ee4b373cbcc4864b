# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that a comparison of artifacts finds what changes, and says nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from policies import GRANTS, KEY_COMBINATIONS, label
from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.landlock import fs_mask
from stockade.driver.linux import build_linux
from stockade.driver.review import JUDGES
from stockade.model.artifact import Artifact, PortRow, Variant
from stockade.model.policy import Access, Grant, Ip, Policy, Signals, UnixSockets
from stockade.review.change import Finding, Kind
from stockade.review.difference import differences
from stockade.review.subject import Subject

_TARGET = "linux-x86_64"


def _subject(policy: Policy) -> Subject:
    return Subject(build_linux(policy, "x", _TARGET), policy)


def _found(old: Policy, new: Policy) -> tuple[Finding, ...]:
    return differences(_subject(old), _subject(new), JUDGES)


def _witnesses(found: tuple[Finding, ...], kind: Kind) -> list[str]:
    return [
        case.witness
        for one in found
        if one.change.kind is kind
        for case in one.change.cases
    ]


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS[::4], ids=label)
def test_an_artifact_does_not_differ_from_itself(policy: Policy, target: str) -> None:
    subject = Subject(build_linux(policy, "x", target), policy)
    other = Subject(build_linux(policy, "another name", target), policy)
    assert differences(subject, other, JUDGES) == ()


def test_a_wider_path_opens_all_but_what_was_open() -> None:
    old = Policy(grants=GRANTS)
    new = replace(old, grants=(*GRANTS, Grant("/srv", Access.READ)))
    (finding, needed) = _found(old, new)
    assert finding.change.kind is Kind.NEWLY_ALLOWED
    assert finding.hosts == "every host"
    assert "(in `/srv/in` and `/srv/out` it could already)" in str(
        finding.change.sentence
    )
    assert _witnesses((finding,), Kind.NEWLY_ALLOWED) == ["read /srv", "list /srv"]
    assert needed.change.kind is Kind.MECHANISM
    assert needed.change.cases[0].name == "/srv"
    (back, _) = _found(new, old)
    assert back.change.kind is Kind.NEWLY_DENIED


def test_a_list_of_trusted_places_may_not_empty_in_silence() -> None:
    """A bundle can have any list; a writable path is judged by no other."""
    policy = Policy(grants=GRANTS)
    whole = _subject(policy)
    emptied = replace(whole, artifact=replace(whole.artifact, trusted=()))
    gone = differences(whole, emptied, JUDGES)
    assert "start writing home .ssh" in _witnesses(gone, Kind.NEWLY_ALLOWED)
    back = differences(emptied, whole, JUDGES)
    assert "start writing home .ssh" in _witnesses(back, Kind.NEWLY_DENIED)


def test_a_network_opens_calls_and_gives_up_a_requirement() -> None:
    found = _found(Policy(), Policy(ip=Ip.ALL))
    allowed = _witnesses(found, Kind.NEWLY_ALLOWED)
    assert allowed[0] == "connect example.com:443"
    assert "call socket 0x2 0x1" in allowed
    assert "read /etc/resolv.conf" in allowed
    assert _witnesses(found, Kind.NEWLY_DENIED) == []
    assert "ip-network-denied" in _witnesses(found, Kind.MECHANISM)


def _without_last_probe(variant: Variant) -> Variant:
    return replace(variant, probes=variant.probes[:-1])


def _without_a_right(variant: Variant) -> Variant:
    return replace(variant, fs_required=variant.fs_required & ~4)


@pytest.mark.parametrize(
    ("edit", "kind"),
    [(_without_last_probe, Kind.MECHANISM), (_without_a_right, Kind.NEWLY_ALLOWED)],
)
def test_an_edited_variant_is_found_on_its_hosts_alone(
    edit: Callable[[Variant], Variant], kind: Kind
) -> None:
    policy = Policy(grants=GRANTS)
    subject = _subject(policy)
    level = subject.artifact.levels[0]
    variants = [edit(one) if one.name == "abi-5" else one for one in level.variants]
    edited: Artifact = replace(
        subject.artifact, levels=(replace(level, variants=tuple(variants)),)
    )
    found = differences(subject, replace(subject, artifact=edited), JUDGES)
    assert {one.hosts for one in found} == {"Landlock ABI 5"}
    assert kind in {one.change.kind for one in found}


def _edited(subject: Subject, **fields: int) -> Subject:
    """Change the masks of every variant, as only another compiler would."""
    levels = tuple(
        replace(level, variants=tuple(replace(one, **fields) for one in level.variants))
        for level in subject.artifact.levels
    )
    return replace(subject, artifact=replace(subject.artifact, levels=levels))


def test_a_scope_alone_keeps_signals_in() -> None:
    """Where only Landlock's scope changes, a headline says what it decides."""
    old, new = Policy(signals=Signals.ANY), Policy(signals=Signals.ISOLATED)
    headline = next(
        one.change
        for one in _found(old, new)
        if one.change.cases[0].witness == "signal KILL"
    )
    assert headline.kind is Kind.NEWLY_DENIED
    assert "any signal to this user's processes outside" in str(headline.sentence)
    dropped = _edited(_subject(new), scope_required=0)
    found = differences(_subject(new), dropped, JUDGES)
    assert [one.change.kind for one in found] == [Kind.NEWLY_ALLOWED, Kind.MECHANISM]
    assert found[0].change.cases[0].witness == "signal KILL"


@pytest.mark.parametrize(
    "fields", [{"scope_optional": 0}, {"fs_optional": 0}, {"net_optional": 0}]
)
def test_a_second_wall_that_goes_is_a_mechanism(fields: dict[str, int]) -> None:
    """What the filter still refuses is not newly allowed."""
    subject = _subject(Policy(grants=GRANTS))
    found = differences(subject, _edited(subject, **fields), JUDGES)
    assert {one.change.kind for one in found} == {Kind.MECHANISM}


def test_a_right_that_the_filter_refuses_is_a_mechanism() -> None:
    """No node of a device is made where `mknod` is refused."""
    subject = _subject(Policy(grants=GRANTS))
    right = fs_mask("MAKE_CHAR")
    classes = tuple(
        replace(one, rights=one.rights | right) for one in subject.artifact.classes
    )
    edited = replace(subject.artifact, classes=classes)
    (finding,) = differences(subject, replace(subject, artifact=edited), JUDGES)
    assert finding.change.kind is Kind.MECHANISM
    assert "MAKE_CHAR" in finding.change.cases[0].after


def test_one_port_is_named_among_all() -> None:
    subject = _subject(Policy(ip=Ip.ALL))
    limited = _edited(subject, net_required=1)
    rows = replace(limited.artifact, ports=(PortRow(0, 1), PortRow(8080, 1)))
    found = differences(subject, replace(limited, artifact=rows), JUDGES)
    sentences = [str(one.change.sentence) for one in found]
    assert sentences[0] == (
        "the program may no longer take TCP connections from others, any port but 0"
        " (the kernel's choice) and 8080"
    )
    assert "bind 443" in _witnesses(found, Kind.NEWLY_DENIED)


def test_rights_that_change_apart_are_said_apart() -> None:
    """`connect` everywhere and `read` of ten files are two changes."""
    files = tuple(Grant(f"/srv/{number}", Access.READ) for number in range(10))
    found = _found(Policy(), Policy(grants=files, unix_sockets=UnixSockets.ALL))
    read = next(one.change for one in found if one.change.cases[0].name == "/srv/0")
    assert str(read.sentence) == (
        "the program may now read files and list folders: `/srv/0` and below,"
        " `/srv/1` and below, `/srv/2` and below and 7 more"
    )
    assert len(read.cases) == 20
    assert found[0].change.cases[0].witness == "connect unix /run/user/1000/bus"


def test_every_field_of_an_artifact_is_compared() -> None:
    """A field that a later version adds must not change in silence."""
    policy = Policy(grants=GRANTS, signals=Signals.ISOLATED, pass_names=("X",))
    subject = _subject(policy)
    named = {"target", "policy_name", "levels", "program_class"}
    for one in fields(Artifact):
        value = getattr(subject.artifact, one.name)
        if one.name in named:
            continue
        others: object = value + 1 if isinstance(value, int) else _without_one(value)
        if others == value:
            continue
        edited = replace(subject.artifact, **{one.name: others})
        found = differences(subject, replace(subject, artifact=edited), JUDGES)
        assert found, one.name


def _without_one(rows: tuple[object, ...]) -> tuple[object, ...]:
    # The first class is the program's, which a start needs.
    return rows[:-1]
