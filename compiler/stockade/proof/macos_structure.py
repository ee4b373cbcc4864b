# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the form of a macOS profile: static text, and parameters for all else.

What is checked here makes the text of a profile the same for all policies of one shape,
so that no path, port or name of a policy can add a rule to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.proof.sbpl.operations import OPERATIONS, Certainty
from stockade.proof.sbpl.reader import Constant, Form, ListForm, Symbol, read_forms
from stockade.proof.sbpl.rules import Profile

# All that a profile of ours says at its top level.
_STATEMENTS = ("version", "define", "allow", "deny")
# Filters that take a path; of the file system they may name `/` and nothing else.
_OF_PATHS = ("literal", "subpath", "path", "prefix", "path-ancestors")
_PORT = re.compile(r"localhost:[1-9][0-9]{0,4}")
# What answers by itself and must stay open: everything is asked of the kernel by it.
_LEFT_OPEN = ("syscall-unix",)
# What is closed by default, and by name as well: no wildcard may ever reach it.
_CLOSED_TWICE = ("file-mknod", "file-write-setugid")
_PATHS = (ParameterKind.PATH, ParameterKind.SYSTEM_PATH, ParameterKind.WRITTEN)


class StructureDisagreementError(Exception):
    """A profile is not of the form that profiles of this project have."""


def check_structure(artifact: MacosArtifact, profile: Profile) -> None:
    """Check an artifact's profile and its parameters, whatever the policy says."""
    forms, _ = read_forms(artifact.profile, "")
    for fault in (
        *_faults_of_forms(forms),
        *_faults_of_parameters(artifact.parameters, profile),
        *_faults_of_rules(profile),
    ):
        raise StructureDisagreementError(fault)


def _faults_of_forms(forms: list[Form]) -> Iterator[str]:
    for form in forms:
        head = form.items[0] if isinstance(form, ListForm) and form.items else form
        if not isinstance(head, Symbol) or head.name not in _STATEMENTS:
            yield f"{form.place}: the profile says more than rules and names"
        yield from _written_paths(form)


def _written_paths(form: Form) -> Iterator[str]:
    """Find paths that stand in the text; those of a policy are parameters."""
    match form:
        case ListForm((Symbol(name), *arguments)) if name in _OF_PATHS:
            for one in arguments:
                if isinstance(one, Constant) and one.value != "/":
                    yield f"{one.place}: the path `{one.value}` stands in the text"
        case ListForm(items):
            for one in items:
                yield from _written_paths(one)


def _faults_of_parameters(
    parameters: tuple[Parameter, ...], profile: Profile
) -> Iterator[str]:
    names = [one.name for one in parameters]
    for name in profile.parameters:
        if name not in names:
            yield f"the profile takes the parameter {name}, which has no value"
    for name in names:
        if names.count(name) > 1:
            yield f"the parameter {name} has two values"
        if name not in profile.parameters:
            yield f"the profile does not take the parameter {name}"
    for one in parameters:
        if not _fits(one):
            yield f"`{one.value}` is no value of the parameter {one.name} ({one.kind})"


def _fits(parameter: Parameter) -> bool:
    value = parameter.value
    if parameter.kind is ParameterKind.PROGRAM:
        return value == ""
    if parameter.kind is ParameterKind.PORT:
        return _PORT.fullmatch(value) is not None
    if parameter.kind not in _PATHS or not value.startswith("/") or "\0" in value:
        return False
    # As the kernel would give it: no part is empty or a dot, nothing follows.
    parts = value[1:].split("/")
    return value == "/" or not any(part in ("", ".", "..") for part in parts)


def _faults_of_rules(profile: Profile) -> Iterator[str]:
    if profile.version != 1:
        yield f"the profile has version {profile.version}, not 1"
    unfiltered = [rule for rule in profile.rules if rule.filter is None]
    closing = [rule for rule in unfiltered if "default" in rule.operations]
    if [rule.action for rule in closing] != ["deny"]:
        yield "the profile does not say `(deny default)` exactly once"
    for rule in profile.rules:
        if rule.modifiers:
            yield f"{rule.place}: the rule does more than allow or deny"
    named = [name for rule in unfiltered for name in rule.operations]
    for name in (*_CLOSED_TWICE, *_open_by_themselves()):
        if name not in named:
            yield f"no rule without a filter closes or opens `{name}`"


def _open_by_themselves() -> Iterator[str]:
    """Give what `(deny default)` does not reach, as far as Apple's table tells."""
    for operation in OPERATIONS.values():
        is_known = operation.certainty is Certainty.TABLE
        if is_known and operation.own == "allow" and operation.name not in _LEFT_OPEN:
            yield operation.name
