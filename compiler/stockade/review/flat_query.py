# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answer one request of an artifact without kinds of hosts, by a judge of it.

The policy beside it is asked for words only: the keys, and the deviation by which
the system does not do what the policy means.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.targets import SYSTEM_OF, System
from stockade.model.deviation import expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.model.path_family import folded, folders_above
from stockade.model.place import Place
from stockade.model.request import (
    AnyRequest,
    CallRequest,
    Decision,
    EnvironmentRequest,
    FileRequest,
    NeutralRequest,
    StartRequest,
    StreamRequest,
)
from stockade.review.judges import MakeDecide
from stockade.review.keys import grants
from stockade.review.query import Answer
from stockade.review.reasons import Reason, deciding, start_decision
from stockade.review.sides import in_word
from stockade.review.subject import FlatSubject

_LEVEL, _HOSTS = "base", "every host"
_CUT = "…"


def flat_answer(subject: FlatSubject, request: AnyRequest, make: MakeDecide) -> Answer:
    """Answer a request that means something on the subject's system."""
    match request:
        case EnvironmentRequest() | StreamRequest() | StartRequest():
            decision, reason = start_decision(subject, request)
        case CallRequest():
            raise ValueError("a system call is asked of a target of Linux")
        case _:
            answer = make(subject.artifact)(request)
            decision, reason = in_word(answer), _reason(subject, request, answer)
    return Answer(subject.artifact.target, _LEVEL, (), _HOSTS, decision, reason)


def _reason(subject: FlatSubject, request: NeutralRequest, answer: Decision) -> Reason:
    system = SYSTEM_OF[subject.artifact.target]
    expected, row = expect(subject.policy, system, request, DEVIATIONS[system])
    text = answer.rule + _values(subject, system, request, answer.rule)
    if row and expected.allowed == answer.allowed:
        told = f" [{row.warning}]" if row.warning else ""
        how = "weaker" if row.weaker else "stricter"
        text = f"{text}; {how} than meant, `{row.name}`: {row.text}{told}"
    return Reason(text, _keys(subject, system, request, allowed=answer.allowed))


def _values(
    subject: FlatSubject, system: System, request: NeutralRequest, rule: str
) -> str:
    """Say what the names in a rule of a profile stand for, as far as they decide."""
    if not isinstance(subject.artifact, MacosArtifact):
        return ""
    if not isinstance(request, FileRequest):
        return ""
    above = {folded(one, system) for one in folders_above(request.path)}
    around = [
        row
        for row in subject.artifact.parameters
        if row.value and folded(row.value, system) in above
    ]
    named = [row for row in around if f'"{row.name}"' in rule]
    if rule.endswith(_CUT):
        # Whoever judges cuts a rule of many paths; the nearest one decides.
        own = [row for row in around if row.kind is not ParameterKind.WRITTEN]
        named = sorted(own, key=lambda row: len(row.value))[-1:]
    said = [f"`{row.name}` is `{row.value}`" for row in named]
    return f"; {', '.join(said)}" if said else ""


def _keys(
    subject: FlatSubject, system: System, request: NeutralRequest, *, allowed: bool
) -> tuple[Place, ...]:
    """Give the path rules that say it, or in vain, and the keys that decide."""
    own: tuple[Place, ...] = ()
    if isinstance(request, FileRequest):
        own = tuple(_rules(subject, system, request, allowed=allowed))
        if allowed and own:
            return own
    rows = DEVIATIONS[system]
    keys = deciding(
        subject, lambda policy: expect(policy, system, request, rows)[0].allowed
    )
    return (*own, *keys)


def _rules(
    subject: FlatSubject, system: System, request: FileRequest, *, allowed: bool
) -> Iterator[Place]:
    above = {folded(one, system) for one in folders_above(request.path)}
    for grant in subject.policy.grants:
        if folded(grant.path, system) in above and (
            not allowed or grants(subject.policy, grant.access, request)
        ):
            yield subject.place(grant)
