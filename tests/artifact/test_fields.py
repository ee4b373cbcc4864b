# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every field of every record, changed with the checksum repaired (S2-378).

A changed bundle is refused, or it is a sound bundle of another artifact, which
differs in what the field stands for and in nothing else.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest
from parse_driver import Driver
from surgery import Place, entry, places, sections
from system_examples import TARGETS, example_for

from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import BundleRefused
from stockade.artifact.parser import parse

# What a field may change in the artifact; `#` is the record's own number. A field
# that is not listed leaves no choice: any other value must be refused.
_INSN = r"levels.*\.filter\.instructions\[\d+\]"
_VARIANT = r"levels\[\d+\]\.variants\[\d+\]"
_REQUIREMENT = rf"{_VARIANT}\.requirements\[\d+\]"
_PROBE = rf"{_VARIANT}\.probes\[\d+\]"
_CALL = rf"{_PROBE}\.(call|setup)"
_FREE: dict[tuple[str, str], str] = {
    ("insns", "code"): rf"{_INSN}\.code",
    ("insns", "jt"): rf"{_INSN}\.jt",
    ("insns", "jf"): rf"{_INSN}\.jf",
    ("insns", "k"): rf"{_INSN}\.k",
    ("features", "feature"): r"features\[#\]\.name",
    ("features", "when"): r"features\[#\]\.when.*",
    # The bit is what counts; the name beside it is for people who read the file.
    ("features", "name"): r"never",
    ("features", "reason"): r"features\[#\]\.reason",
    ("features", "remedy"): r"features\[#\]\.remedy",
    ("settings", "policy_name"): r"policy_name",
    ("settings", "witness_nr"): r"witness_nr",
    ("settings", "stream_kinds"): r"streams.*",
    ("settings", "program_class"): r"program_class",
    ("settings", "concessions"): r"concessions.*",
    ("levels", "name"): r"levels\[#\]\.name",
    ("variants", "must"): rf"{_VARIANT}\.must(\[.*|$)",
    ("variants", "must_not"): rf"{_VARIANT}\.must_not.*",
    ("variants", "fs_required"): rf"{_VARIANT}\.fs_required",
    ("variants", "fs_optional"): rf"{_VARIANT}\.fs_optional",
    ("variants", "net_required"): rf"{_VARIANT}\.net_required",
    ("variants", "net_optional"): rf"{_VARIANT}\.net_optional",
    ("variants", "scope_required"): rf"{_VARIANT}\.scope_required",
    ("variants", "scope_optional"): rf"{_VARIANT}\.scope_optional",
    ("variants", "name"): rf"{_VARIANT}\.name",
    ("variants", "filter"): rf"{_VARIANT}\.filter.*",
    ("requirements", "needs"): rf"{_REQUIREMENT}\.needs.*",
    ("requirements", "name"): rf"{_REQUIREMENT}\.name",
    ("requirements", "title"): rf"{_REQUIREMENT}\.title",
    ("requirements", "mechanism"): rf"{_REQUIREMENT}\.mechanism",
    ("requirements", "flags"): rf"{_REQUIREMENT}\.show_rights",
    ("classes", "rights"): r"classes\[#\]\.rights",
    ("classes", "name"): r"classes\[#\]\.name|grants.*\.class_name|program_class",
    ("classes", "flags"): r"classes\[#\]\.(write|execute|system|command)",
    ("grants", "path"): r"grants\[#\]\.path",
    ("grants", "class"): r"grants\[#\]\.class_name",
    ("grants", "flags"): r"grants\[#\]\.(optional|policy)",
    ("ports", "rights"): r"ports\[#\]\.rights",
    ("ports", "port"): r"ports\[#\]\.port",
    ("environment", "name"): r"environment\[#\]\.name",
    ("calls", "values"): rf"{_CALL}\.operands.*\.(value|data)",
    ("calls", "nr"): rf"{_CALL}\.number",
    ("calls", "kind"): rf"{_CALL}\.kind",
    ("calls", "operands"): rf"{_CALL}\.operands.*",
    ("probes", "name"): rf"{_PROBE}\.name",
    ("probes", "requirement"): rf"{_PROBE}\.requirement",
    ("probes", "mechanism"): rf"{_PROBE}\.mechanism",
    ("probes", "call"): rf"{_PROBE}\.call.*",
    ("probes", "setup"): rf"{_PROBE}\.setup.*",
    ("probes", "control_errno"): rf"{_PROBE}\.control_errno",
    ("probes", "expected_errno"): rf"{_PROBE}\.expected_errno",
    ("probe_refs", "probe"): rf"{_PROBE}.*",
    ("canary_folders", "path"): r"canary_folders\[#\]\.path",
    ("trusted", "base"): r"trusted\[#\]\.base",
    ("trusted", "path"): r"trusted\[#\]\.path",
    ("warnings", "id"): r"warnings\[#\]\.id",
    ("warnings", "text"): r"warnings\[#\]\.text",
}
# What bundles of every system have.
_SHARED: dict[tuple[str, str], str] = {
    ("environment", "name"): r"environment\[#\]\.name",
    ("requirements", "name"): r"requirements\[#\]\.name",
    ("requirements", "title"): r"requirements\[#\]\.title",
    ("requirements", "mechanism"): r"requirements\[#\]\.mechanism",
    ("trusted", "base"): r"trusted\[#\]\.base",
    ("trusted", "path"): r"trusted\[#\]\.path",
    ("warnings", "id"): r"warnings\[#\]\.id",
    ("warnings", "text"): r"warnings\[#\]\.text",
    ("keys", "name"): r"keys\[#\]\.name",
    ("keys", "value"): r"keys\[#\]\.value",
}
_FREE_ON = {
    "linux-x86_64": _FREE,
    "linux-aarch64": _FREE,
    "macos": _SHARED
    | {
        ("macos_settings", "policy_name"): r"policy_name",
        ("macos_settings", "stream_kinds"): r"streams.*",
        ("macos_settings", "profile"): r"profile",
        ("macos_settings", "process_rules"): r"process_rules.*",
        ("parameters", "name"): r"parameters\[#\]\.name",
        ("parameters", "kind"): r"parameters\[#\]\.kind",
        ("parameters", "value"): r"parameters\[#\]\.value",
    },
    "windows": _SHARED
    | {
        ("windows_settings", "policy_name"): r"policy_name",
        ("windows_settings", "stream_kinds"): r"streams.*",
        ("windows_settings", "junctions"): r"junctions",
        ("windows_settings", "job_limits"): r"job_limits.*",
        ("windows_settings", "ui_limits"): r"ui_limits.*",
        ("windows_settings", "mitigations"): r"mitigations.*",
        ("windows_settings", "handles"): r"handles.*",
        # A path's entries name the capability by its place.
        ("capabilities", "name"): r"capabilities\[#\]\.name|entries.*\.capability",
        # The kind of a capability that no entry names, and its SID, are free.
        ("capabilities", "kind"): r"capabilities\[#\]\.kind",
        ("capabilities", "sid"): r"capabilities\[#\]\.sid",
        ("path_entries", "path"): r"entries\[#\]\.path",
        ("path_entries", "access"): r"entries\[#\]\.access",
        ("access_entries", "kind"): r"entries\[\d+\]\.(folder|file|junction).*",
        ("access_entries", "entry"): r"entries\[\d+\]\.(folder|file|junction).*",
        ("open_folders", "path"): r"open_folders\[#\]",
        ("preflight", "name"): r"preflight\[#\]\.name",
        ("preflight", "kind"): r"preflight\[#\]\.kind",
        ("preflight", "text"): r"preflight\[#\]\.text",
        ("removals", "kind"): r"removal\[#\]\.kind",
        ("removals", "subject"): r"removal\[#\]\.subject",
        ("removals", "sid"): r"removal\[#\]\.sid",
    },
}
_BUNDLES = {target: encode(example_for(target)) for target in TARGETS}


def string_offsets(data: bytes) -> list[int]:
    offset, count = entry(data, "strings")
    strings = data[offset : offset + count]
    return [0, *(at + 1 for at in range(count - 1) if strings[at] == 0)]


def other_values(data: bytes, spot: Place, chance: random.Random) -> list[int]:
    """Choose values around the present one, the rule's borders, and any others."""
    top = (1 << spot.width * 8) - 1
    now, rule = spot.read(data), spot.field.rule
    values = {0, 1, now + 1, now - 1, now ^ 1, now ^ (top + 1) // 2, ~now & top, top}
    values |= {rule.low - 1, rule.low, rule.high, rule.high + 1, now + 8, now - 8}
    values |= {now ^ 1 << bit for bit in chance.sample(range(spot.width * 8), 3)}
    values.add(chance.getrandbits(spot.width * 8))
    if spot.field.type == "str":
        offsets = string_offsets(data)
        most = 16 if len(offsets) > 64 else len(offsets)
        values |= set(chance.sample(offsets, most))
    return sorted(value for value in values if 0 <= value <= top and value != now)


def mutants(data: bytes) -> Iterator[tuple[Place, int, bytes]]:
    chance = random.Random(5)  # the same mutants in every run
    for spot in places(data):
        for value in other_values(data, spot, chance):
            yield spot, value, spot.write(data, value)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Walk an artifact down to its numbers and strings; empty tuples count."""
    if is_dataclass(value):
        for field in fields(value):
            name = f"{path}.{field.name}".lstrip(".")
            yield from leaves(getattr(value, field.name), name)
    elif isinstance(value, tuple) and value:
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def differences(left: dict[str, object], right: dict[str, object]) -> set[str]:
    missing = object()
    return {
        path
        for path in left.keys() | right.keys()
        if left.get(path, missing) != right.get(path, missing)
    }


def judge(spot: Place, value: int, mutant: bytes, before: dict[str, object]) -> bool:
    """Return whether a mutant is refused; fail where more changed than may."""
    try:
        after = decode(mutant)
    except BundleRefused as refusal:
        # The place named is inside the file: a reader finds the cause.
        assert refusal.offset < len(mutant)
        return True
    key = spot.section.name, spot.field.name
    where = f"{key} {spot.index}: {value:#x}"
    choices = _FREE_ON[after.target]
    assert key in choices, where
    free = re.compile(choices[key].replace("#", str(spot.index)))
    changed = differences(before, dict(leaves(after)))
    assert [path for path in changed if not free.match(path)] == [], where
    if key not in {("classes", "name"), ("capabilities", "name")}:
        # Two of one name are no artifact, though the launcher, which goes by
        # number, could not care less.
        assert decode(encode(after)) == after, where
    return False


@pytest.mark.parametrize("target", ["linux-x86_64", "macos", "windows"])
def test_every_field_changed_is_refused_or_harmless(target: str) -> None:
    before = dict(leaves(canonical(example_for(target))))
    verdicts: dict[tuple[str, str], list[bool]] = {}
    for spot, value, mutant in mutants(_BUNDLES[target]):
        key = spot.section.name, spot.field.name
        verdicts.setdefault(key, []).append(judge(spot, value, mutant, before))
    assert sum(map(sum, verdicts.values())) > 300
    # The table names no field that could be dropped from it.
    choices = {key for key, refused in verdicts.items() if not all(refused)}
    assert choices == set(_FREE_ON[target])


def test_changed_calls_are_judged_by_the_target() -> None:
    """What is sound on x86_64 may not be on aarch64."""
    target = "linux-aarch64"
    before = dict(leaves(canonical(example_for(target))))
    compat = 0
    for spot, value, mutant in mutants(_BUNDLES[target]):
        if spot.section.name == "calls":
            refused = judge(spot, value, mutant, before)
            if (spot.field.name, value) == ("kind", 1):
                assert refused
                compat += 1
    assert compat == entry(_BUNDLES[target], "calls")[1]


@pytest.mark.parametrize("target", TARGETS)
def test_every_field_is_reached(target: str) -> None:
    """The examples have a record in every section, so no field is left out."""
    data = _BUNDLES[target]
    reached = {(spot.section.name, spot.field.name) for spot in places(data)}
    assert reached == {
        (section.name, field.name)
        for section in sections(data)
        for field in section.fields
    }


@pytest.mark.parametrize("target", ["linux-x86_64", "macos", "windows"])
def test_no_stray_read_at_any_changed_field(target: str, driver: Driver) -> None:
    """What the parser accepts can be used without a further check, under ASan."""
    changed = [mutant for _, _, mutant in mutants(_BUNDLES[target])]
    errors = driver.errors(changed)
    assert len(errors) == len(changed)
    for mutant, error in zip(changed, errors, strict=True):
        try:
            parse(mutant)
            here = 0
        except BundleRefused as refusal:
            here = refusal.error
        assert here == error
