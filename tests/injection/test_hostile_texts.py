# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that no text of a policy is ever more than text, in whatever is made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import injection_judges
import pytest
from hostile_text import NAMES, TEXTS, VALUES, Twins, carried, toml_string, twins
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from injection_judges import judge_manifest, judge_profile, judge_snapshot

from stockade.diagnostics import PolicyRejected
from stockade.diagnostics.render import render
from stockade.driver.compile import targets
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.policy import Access, Grant, Policy
from stockade.model.windows_artifact import WindowsArtifact
from stockade.policy import read_policy
from stockade.proof.windows_acl.sddl import SddlError

FEW = settings(
    max_examples=10,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=100)
MOST = settings(FEW, max_examples=400)
POSIX, WINDOWS = "/x/", "C:\\x\\"


def _read(text: str) -> Policy | None:
    """Read a policy; of a refused one, see that the answer is printable."""
    try:
        return read_policy(f"version = 1\n{text}", "policy.toml")
    except PolicyRejected as rejected:
        answer = render(rejected.diagnostics)
        assert all(line.isprintable() for line in answer.split("\n"))
        return None


@MOST
@given(TEXTS, st.sampled_from(("", POSIX, WINDOWS, "/", "c:/")))
def test_a_path_is_refused_or_carried(text: str, before: str) -> None:
    """Whatever is in it, the policy holds it whole or not at all."""
    policy = _read(f"filesystem.read = [{toml_string(before + text)}]\n")
    path = carried(before + text)
    assert policy == (path and Policy(grants=(Grant(path, Access.READ),)))
    if path is None:
        return
    mark, drive = ("/", 0) if path.startswith("/") else ("\\", 1)
    names = [part for part in path.split(mark) if part]
    assert not any(name in (".", "..") for name in names)
    # Nothing is lost but what names nothing.
    written = (before + text).replace("/", mark)
    kept = [part for part in written.split(mark) if part not in ("", ".")]
    assert names[drive:] == kept[drive:]


@MOST
@given(NAMES, VALUES)
def test_a_variable_is_carried(name: str, value: str) -> None:
    text = f"environment.set = {{ {toml_string(name)} = {toml_string(value)} }}\n"
    assert _read(text) == Policy(set_values=((name, value),))
    passed = _read(f"environment.pass = [{toml_string(name)}]\n")
    assert passed == Policy(pass_names=(name,))


@MOST
@given(TEXTS)
def test_a_variable_that_none_could_have_is_refused(text: str) -> None:
    """The launcher's parser takes no such name, so none may reach it."""
    for name in (f"{text}=", f"{text}\n", f"\0{text}", f"\x7f{text}"):
        assert _read(f"environment.pass = [{toml_string(name)}]\n") is None
        assert _read(f"environment.set = {{ {toml_string(name)} = '' }}\n") is None


@MOST
@given(TEXTS)
def test_names_of_systems_are_letters(text: str) -> None:
    """The container, a service and an address take no other text."""
    quoted = toml_string(text)
    policy = _read(f"windows.appcontainer_name = {quoted}\n")
    if policy is not None:
        assert policy.appcontainer_name == text
        assert text.isascii()
        assert all(one.isalnum() or one in "-_. " for one in text)
    service = f'network.ip = "all"\nmacos.mach_services = [{quoted}]\n'
    assert _read(service) is None
    for entry in (
        f"expose = [{{ listen = {quoted}, port = 1 }}]",
        f"forward = [{{ port = 1, to = {quoted} }}]",
    ):
        assert _read(f'network.ip = "all"\nnetwork.{entry}\n') is None


@MANY
@given(twins(POSIX))
def test_no_text_adds_a_rule_to_a_profile(pair: Twins) -> None:
    """S1-014 S2-330: the profile is the same text, whatever the names are."""
    judge_profile(pair)


@MANY
@given(twins(WINDOWS))
def test_no_text_adds_an_entry_to_a_manifest(pair: Twins) -> None:
    """S1-015: nor a capability, nor a key, nor a further entry of a list."""
    judge_manifest(pair)


@pytest.mark.parametrize("target", targets())
@FEW
@given(pair=twins(POSIX, WINDOWS))
def test_no_text_adds_a_line_to_a_snapshot(target: str, pair: Twins) -> None:
    judge_snapshot(pair, target)


def _splicing(
    monkeypatch: pytest.MonkeyPatch, name: str, splice: Callable[[Any, Policy], Any]
) -> None:
    """Make one stage add text of the first path to what it makes."""
    original = getattr(injection_judges, name)

    def spliced(policy: Policy, *rest: str) -> Any:
        return splice(original(policy, *rest), policy)

    monkeypatch.setattr(injection_judges, name, spliced)


def _pair(root: str) -> Twins:
    texts = (f'{root}") (allow default) (', f"{root}x")
    hostile, plain = (
        Policy(
            grants=(Grant(text, Access.READ_WRITE),), appcontainer_name="example.app"
        )
        for text in texts
    )
    return Twins(hostile, plain)


def test_judges_see_what_they_are_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: texts that are spliced in are found by each judge."""

    def in_profile(made: MacosArtifact, policy: Policy) -> MacosArtifact:
        return replace(made, profile=f"{made.profile}; {policy.grants[0].path}")

    def in_entry(made: WindowsArtifact, policy: Policy) -> WindowsArtifact:
        more = (f"(A;;FA;;;{policy.grants[0].path})",)
        entries = tuple(replace(one, file=one.file + more) for one in made.entries)
        return replace(made, entries=entries)

    def in_snapshot(lines: list[str], policy: Policy) -> list[str]:
        path = policy.grants[0].path
        return [*lines, *(["[grants]"] if "allow" in path else [])]

    posix, target = _pair(POSIX), "linux-x86_64"
    judges: tuple[tuple[str, Callable[[Any, Policy], Any], Callable[[], None]], ...] = (
        ("_macos", in_profile, lambda: judge_profile(posix)),
        ("_windows", in_entry, lambda: judge_manifest(_pair(WINDOWS))),
        (
            "_snapshot",
            in_snapshot,
            lambda: judge_snapshot(posix, target),
        ),
    )
    for name, splice, judge in judges:
        judge()
        with monkeypatch.context() as context:
            _splicing(context, name, splice)
            with pytest.raises((AssertionError, SddlError)):
                judge()
