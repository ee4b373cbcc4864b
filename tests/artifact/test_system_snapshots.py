# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2-404 The text twins of macOS and Windows artifacts tell them apart by lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from system_examples import example_for, macos_example, windows_example
from test_fields import mutants

from stockade.abi.sid import capability_sid, container_sid
from stockade.artifact import macos_snapshot, windows_snapshot
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import BundleRefused
from stockade.artifact.macos_listing import disassemble_macos
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import EnvironmentRow, WarningLine
from stockade.model.key_rows import KeyRow
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.policy import Access, Base, Grant, Policy
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    WindowsArtifact,
)
from stockade.render.shell import shell_words

_MIXED = Policy(
    grants=(Grant("/srv/a", Access.READ), Grant("C:\\b", Access.READ)),
    environment_base=Base.LOCALE,
)
_HOSTILE = (
    *("a\n[warnings]", "\r\n", "\x1b[2J", "\u2028", "`", "\\n", "\u202e", "", " "),
    *("\udcff", "| (allow default)", "bundle 00000000", "a\x0bb", "\x85"),
)


def snapshot(artifact: AnyArtifact, policy: Policy = _MIXED) -> str:
    """Write the snapshot of an artifact; the checksum is always the same."""
    if isinstance(artifact, MacosArtifact):
        return macos_snapshot.write_snapshot(policy, artifact, 0x1234ABCD)
    assert isinstance(artifact, WindowsArtifact)
    return windows_snapshot.write_snapshot(policy, artifact, 0x1234ABCD)


def part(text: str, title: str) -> list[str]:
    """Return the lines of a part."""
    return text.partition(f"\n[{title}]\n")[2].partition("\n\n")[0].split("\n")


@pytest.mark.parametrize("target", ["macos", "windows"])
def test_head_names_target_and_bundle_and_what_never_ran(target: str) -> None:
    lines = snapshot(example_for(target)).split("\n")
    assert lines[:2] == [f"stockade snapshot, {target}", "bundle 1234abcd"]
    assert lines[2].startswith("never run on ")
    assert lines[3] == ""
    assert lines[-1] == "" != lines[-2]


@pytest.mark.parametrize("target", ["macos", "windows"])
def test_whatever_differs_shows(target: str) -> None:
    """Two artifacts are never one text: each field that can be changed is changed."""
    whole = canonical(example_for(target))
    seen = {snapshot(whole): whole}
    changed = 0
    for spot, value, mutant in mutants(encode(whole)):
        try:
            artifact = decode(mutant)
        except BundleRefused:
            continue
        if (spot.section.name, spot.field.name) == ("requirements", "title"):
            continue  # the name decides it, and the name stands there
        where = f"{spot.section.name}.{spot.field.name} {spot.index}: {value:#x}"
        assert seen.setdefault(snapshot(artifact), artifact) == artifact, where
        changed += artifact != whole
    assert changed > 100


def test_paths_of_other_systems_are_listed_as_left_out() -> None:
    assert part(snapshot(macos_example()), "left out") == [
        "`C:\\\\b`, a path of Windows"
    ]
    assert part(snapshot(windows_example()), "left out") == [
        "`/srv/a`, a path of Linux and macOS"
    ]
    for artifact in (macos_example(), windows_example()):
        assert "[left out]" not in snapshot(artifact, Policy())


def test_profile_stands_line_by_line() -> None:
    text = snapshot(macos_example())
    assert part(text, "profile")[:2] == ["| (version 1)", "| (deny default)"]
    assert text.endswith("\n")
    odd = replace(macos_example(), profile="(version 1)\n\n(a)")
    lines = ["| (version 1)", "|", "| (a)", "no line feed at the end"]
    assert part(snapshot(odd) + "\n\n", "profile")[:4] == lines


def test_an_edit_of_the_policy_moves_few_lines_of_a_windows_snapshot() -> None:
    """Names hold a hash of the whole policy; the text names it once."""

    def artifact(base: str, path: str) -> WindowsArtifact:
        names = [f"stockade.{base}.{number}" for number in range(3)]
        sids = [capability_sid(name) for name in names]
        kinds = (CapabilityKind.PROGRAM, CapabilityKind.PATH, CapabilityKind.PATH)
        rows = tuple(map(Capability, names, kinds, sids))
        entries = tuple(
            replace(
                windows_example().entries[0],
                path=one,
                capability=names[at],
                folder=(f"(A;OICI;0x1200a9;;;{sids[at]})",),
                file=(),
                junction=(),
            )
            for at, one in ((1, "C:\\a"), (2, path))
        )
        name = "example.app"
        return replace(
            windows_example(),
            container_name=name,
            container_sid=container_sid(name),
            capabilities=rows,
            program=(f"(A;;0x1200a9;;;{sids[0]})",),
            entries=entries,
            private_folder=(),
            removal=(),
        )

    old = snapshot(artifact("0123", "C:\\b")).split("\n")
    new = snapshot(artifact("4567", "C:\\c")).split("\n")
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert moved == [
        ("BASE is stockade.0123", "BASE is stockade.4567"),
        ("`C:\\\\b` read, capability 2", "`C:\\\\c` read, capability 2"),
        (
            "`C:\\\\b` as folder (A;OICI;0x1200a9;;;capability 2)",
            "`C:\\\\c` as folder (A;OICI;0x1200a9;;;capability 2)",
        ),
    ]


def test_sid_that_is_not_of_its_name_shows() -> None:
    text = snapshot(windows_example())
    assert "0 program BASE.0 S-1-15-3-1024-9-9-9-9-9-9-9-9" in text
    assert "2 network internetClient\n" in text
    assert "which is not the one of the name" in text


def with_text(text: str) -> tuple[MacosArtifact, WindowsArtifact]:
    """Return artifacts with a text in every place where a policy's may stand."""
    shared = {
        "policy_name": text,
        "environment": (EnvironmentRow("A", text),),
        "keys": (KeyRow("set_values", text),),
        "warnings": (WarningLine("id", text),),
    }
    macos = replace(
        macos_example(),
        **shared,  # type: ignore[arg-type]
        parameters=(Parameter("A", ParameterKind.PATH, text),),
    )
    row = replace(windows_example().entries[0], path=text)
    return macos, replace(windows_example(), **shared, entries=(row,))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", _HOSTILE)
def test_no_text_makes_a_line(text: str) -> None:
    for plain_one, hostile in zip(with_text("x"), with_text(text), strict=True):
        wanted, found = snapshot(plain_one), snapshot(hostile)
        assert len(found.splitlines()) == len(wanted.splitlines())
        assert found.encode().decode() == found


@given(st.text(max_size=20), st.text(max_size=20))
def test_two_texts_are_two_snapshots(one: str, other: str) -> None:
    for left, right in zip(with_text(one), with_text(other), strict=True):
        assert (snapshot(left) == snapshot(right)) == (one == other)


def test_listing_is_the_profile_behind_its_parameters() -> None:
    artifact = replace(macos_example(), profile='(a "\\\\.")\n\n(b)\n')
    lines = list(disassemble_macos(artifact))
    rows = [line.removeprefix("; ") for line in lines if line.startswith("; -D")]
    assert [shell_words(row) for row in rows] == [
        ("-D", f"{row.name}={row.value or 'PATH-OF-THE-PROGRAM'}")
        for row in artifact.parameters
    ]
    assert lines[2 + len(rows) :] == ['(a "\\\\.")', "", "(b)"]
    assert "Never run" in lines[0]


@pytest.mark.parametrize("text", _HOSTILE)
def test_no_value_ends_its_comment(text: str) -> None:
    row = Parameter("A", ParameterKind.PATH, text)
    artifact = replace(macos_example(), parameters=(row,), profile="(a)\n")
    listing = "\n".join(disassemble_macos(artifact))
    assert len(listing.splitlines()) == 4
    assert listing.splitlines()[2].startswith("; -D ")
