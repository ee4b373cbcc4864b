# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The manifest of a Windows artifact says all of it, in one way, and reads back."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from system_examples import windows_example
from test_fields import mutants
from test_system_snapshots import with_text

from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import BundleRefused
from stockade.artifact.manifest import ManifestError, manifest, read_manifest
from stockade.model import artifact as shared
from stockade.model import windows_artifact as windows
from stockade.model.key_rows import KeyRow
from stockade.model.windows_artifact import WindowsArtifact

WHOLE = windows_example()
TEXT = manifest(WHOLE)
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "windows-manifest.md"


def changed(**values: Any) -> str:
    """Return the manifest with other values on top, in the canonical form."""
    view = json.loads(TEXT) | values
    view = {name: value for name, value in view.items() if value is not ...}
    return json.dumps(view, indent=2, sort_keys=True) + "\n"


def test_manifest_reads_back() -> None:
    assert read_manifest(TEXT) == WHOLE
    assert changed() == TEXT


def test_every_changed_bundle_reads_back() -> None:
    """Whatever a bundle can hold has a manifest of its own, which says all of it."""
    seen: dict[str, WindowsArtifact] = {}
    for _, _, mutant in mutants(encode(WHOLE)):
        try:
            artifact = decode(mutant)
        except BundleRefused:
            continue
        assert isinstance(artifact, WindowsArtifact)
        text = manifest(artifact)
        assert read_manifest(text) == artifact
        assert seen.setdefault(text, artifact) == artifact
    assert len(seen) > 100


def test_form_is_canonical() -> None:
    assert TEXT.isascii()
    assert TEXT.endswith("\n}\n")
    assert json.dumps(json.loads(TEXT), indent=2, sort_keys=True) + "\n" == TEXT
    assert canonical(WHOLE) == WHOLE


@given(st.text(max_size=20))
def test_no_text_adds_an_entry(text: str) -> None:
    """Texts of a policy stay texts: the manifest has the same form with any of them."""
    _, artifact = with_text(text)
    _, plain = with_text("x")
    assert read_manifest(manifest(artifact)) == artifact
    assert _form(json.loads(manifest(artifact))) == _form(json.loads(manifest(plain)))
    assert len(manifest(artifact).splitlines()) == len(manifest(plain).splitlines())


def _form(value: object) -> object:
    if isinstance(value, dict):
        return {name: _form(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_form(one) for one in value]
    return type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ("[]", "no object"),
        ("null", "no object"),
        ("[" * 100000, "too deep|no JSON"),
        ('{"format": NaN}', "no JSON: `NaN`"),
        ('{"version": ' + "1" * 5000 + "}", "no JSON"),
        ('{"a": 1, "a": 2}', "stands twice"),
        (TEXT + "\n", "canonical"),
        (TEXT[:-1], "canonical"),
        (TEXT.replace("  ", "    "), "canonical"),
        (TEXT.replace("example.app", "ex\\u0061mple.app"), "canonical"),
        (changed(format="other"), "`format`"),
        (changed(format=...), "`format`"),
        (changed(evidence="run"), "`evidence`"),
        (changed(version=2), "`version`"),
        (changed(version=True), "`version`"),
        (changed(version=1.0), "`version`"),
        (changed(more=1), "manifest has other fields"),
        (changed(keys=...), "manifest has other fields"),
        (changed(target=1), "manifest.target is no text"),
        (changed(target=None), "manifest.target is no text"),
        (changed(keys={}), "manifest.keys is no list"),
        (changed(keys="ab"), "manifest.keys is no list"),
        (changed(keys=["x"]), r"manifest.keys\[0\] is no object"),
        (changed(keys=[{"name": "a"}]), r"manifest.keys\[0\] has other fields"),
        (changed(keys=[{"name": "a", "value": None}]), "value is no text"),
        (changed(environment=[{"name": None, "value": "a"}]), "name is no text"),
        (changed(job_limits=["other"]), r"job_limits\[0\] is none of kill-on-close"),
        (changed(handles=[1]), r"manifest.handles\[0\] is no text"),
    ],
)
def test_other_texts_are_refused(text: str, words: str) -> None:
    with pytest.raises(ManifestError, match=words):
        read_manifest(text)


def _documented() -> dict[str, list[str]]:
    """Read the names in the page's tables, by heading."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in _PAGE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if name := re.match(r"\| `([^`]+)` \|", line):
            found.setdefault(heading, []).append(name[1])
    return found


def test_page_names_every_field_and_word() -> None:
    own = [field.name for field in fields(WindowsArtifact)]
    requirement = ["name", "title", "mechanism"]
    records = {
        "Keys": KeyRow,
        "Capabilities": windows.Capability,
        "Entries": windows.PathEntries,
        "What the host must have": windows.Preflight,
        "What a removal takes back": windows.Removal,
        "Environment": shared.EnvironmentRow,
        "Trusted places": shared.TrustedLocation,
        "Warnings": shared.WarningLine,
    }
    words = {
        "Kinds of capabilities": windows.CapabilityKind,
        "Limits of the job": windows.JobLimit,
        "Limits on the desktop": windows.UiLimit,
        "Mitigations": windows.Mitigation,
        "Kinds of conditions": windows.PreflightKind,
        "Kinds of removals": windows.RemovalKind,
    }
    assert _documented() == {
        "The manifest": ["evidence", "format", "version", *own],
        "Requirements": requirement,
        **{
            title: [one.name for one in fields(kind)] for title, kind in records.items()
        },
        **{title: [word.value for word in kind] for title, kind in words.items()},
    }


def test_example_of_the_page_is_a_manifest() -> None:
    shown = re.search(r"```json\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    assert shown is not None
    artifact = read_manifest(shown[1])
    assert decode(encode(artifact)) == artifact
    assert replace(artifact, policy_name="x") != artifact
