# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answer one request on every kind of Linux host, with the rule that decides it.

What is decided comes from the artifact alone, by a judge that is handed in. The
policy beside it is asked for words only: which rule says so, under which key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from stockade.abi.arch import LINUX_TARGETS
from stockade.model.artifact import Artifact, GrantRow, Variant
from stockade.model.intent import DENY
from stockade.model.request import (
    AnyRequest,
    CallRequest,
    EnvironmentRequest,
    HardLinkRequest,
    PathAction,
    PathRequest,
    ServiceRequest,
    Situation,
    StartRequest,
    StreamRequest,
)
from stockade.render.text import plain
from stockade.review.hosts import Host, hosts_of, in_words
from stockade.review.reach import answer as reach
from stockade.review.reasons import (
    ABSENT,
    ALLOWED,
    REFUSED,
    Reason,
    call_reason,
    path_reason,
    reach_reason,
    start_decision,
)
from stockade.review.request_words import PROGRAM
from stockade.review.simulated import note, simulated
from stockade.review.subject import LinuxSubject
from stockade.review.walls import Walls

_ABI = "landlock-abi-"
# What judges say where their sources differ, or say nothing.
_NOT_KNOWN = ("undecided", "unsure")
# What is the same on every host, whatever variant it takes.
_OF_STARTS = (EnvironmentRequest, StartRequest, StreamRequest)


class Judge(Walls, Protocol):
    """One variant of an artifact on a host, asked by one who knows no policy."""

    def request(self, request: CallRequest) -> str:
        """Answer a system call: `allow` or an error."""

    def path(self, path: str, action: PathAction) -> str:
        """Answer an action on a path."""

    def granting(self, path: str, action: PathAction) -> tuple[GrantRow, ...]:
        """List the rows that allow an action on a path."""

    def program(self, action: PathAction) -> str:
        """Answer an action on the program's own file."""


MakeJudge = Callable[[Artifact, Variant, str, int], Judge]


@dataclass(frozen=True, slots=True)
class Answer:
    """One decision, why, and where it holds: target, level, hosts and their words."""

    target: str
    level: str
    on: tuple[Host, ...]
    hosts: str
    decision: str
    reason: Reason


def answers(
    subject: LinuxSubject, request: AnyRequest, judge: MakeJudge
) -> tuple[Answer, ...]:
    """Answer a request on every level and kind of host; equal answers are one."""
    artifact = subject.artifact
    every = hosts_of((artifact,))
    found: list[Answer] = []
    for level in artifact.levels:
        grouped: dict[tuple[str, Reason], list[Host]] = {}
        for host in every:
            variant = host.variant(level)
            if variant is None:
                said = REFUSED, Reason("this host cannot hold the policy")
            else:
                said = _on_host(subject, variant, host, request, judge)
            grouped.setdefault(said, []).append(host)
        found += [
            Answer(
                artifact.target,
                level.name,
                tuple(hosts),
                in_words(hosts, every),
                *said,
            )
            for said, hosts in grouped.items()
        ]
    return tuple(found)


def _on_host(
    subject: LinuxSubject,
    variant: Variant,
    host: Host,
    request: AnyRequest,
    judge: MakeJudge,
) -> tuple[str, Reason]:
    if isinstance(request, _OF_STARTS):
        return start_decision(subject, request)
    arch = LINUX_TARGETS[subject.artifact.target].arch
    walls = judge(subject.artifact, variant, arch, host.landlock_abi)
    situation = Situation(arch, _variant_abi(variant))
    match request:
        case PathRequest():
            said = _path_decision(walls, request)
            rows = walls.granting(request.path, request.action)
            return said, path_reason(subject, situation, request, said, rows)
        case CallRequest():
            return walls.request(request), call_reason(subject, situation, request)
        case HardLinkRequest() if reach(walls, request) == ALLOWED:
            # Landlock judges that a file is made in the folder.
            folder = request.path.rpartition("/")[0] or "/"
            made = PathRequest(folder, PathAction.CREATE_FILE)
            return _on_host(subject, variant, host, made, judge)
        case ServiceRequest():
            # No name is looked up by the kernel: see `request_words.asked_of`.
            return REFUSED, Reason("this system knows no such services")
        case _:
            said = reach(walls, request)
            return said, reach_reason(subject, situation, request, said)


def _path_decision(walls: Judge, request: PathRequest) -> str:
    """Answer a request on a path, or on the program's own file."""
    if request.path == PROGRAM:
        return walls.program(request.action)
    return walls.path(request.path, request.action)


def _variant_abi(variant: Variant) -> int:
    """Read from a variant's needs the oldest Landlock it may meet."""
    abis = [one.removeprefix(_ABI) for one in variant.must if one.startswith(_ABI)]
    return max(map(int, abis), default=1)


def joined(found: tuple[Answer, ...]) -> dict[Answer, tuple[str, ...]]:
    """Give equal answers of several targets once, and the targets of each."""
    by_answer: dict[Answer, tuple[str, ...]] = {}
    for one in found:
        alike = replace(one, target="")
        by_answer[alike] = (*by_answer.get(alike, ()), one.target)
    return by_answer


def text_lines(found: tuple[Answer, ...]) -> Iterator[str]:
    """Write answers for a terminal, a line each."""
    for one, targets in joined(found).items():
        by = ", ".join(plain(str(key)) for key in one.reason.keys)
        yield (
            f"{one.level}, {one.hosts}, {' '.join(targets)}: {in_word(one.decision)}:"
            f" {plain(one.reason.text)}{f'; by {by}' if by else ''}"
        )
    said = note(one.target for one in found)
    if said:
        yield said


def in_word(decision: str) -> str:
    """Write a decision as people read it."""
    if decision in (ALLOWED, REFUSED, ABSENT, *_NOT_KNOWN):
        return decision
    if decision == DENY:
        # A judge that knows no errors.
        return "denied"
    return f"denied {decision}"


def json_text(found: tuple[Answer, ...]) -> str:
    """Write answers as one JSON object on one line; the keys are stable."""
    return json.dumps(
        {
            "answers": [
                {
                    "targets": targets,
                    "simulated": simulated(targets),
                    "level": one.level,
                    "hosts": one.hosts,
                    "allowed": one.decision == ALLOWED,
                    "decision": one.decision,
                    "reason": one.reason.text,
                    "rules": [
                        {"key": key.key, "where": key.where} for key in one.reason.keys
                    ],
                }
                for one, targets in joined(found).items()
            ]
        },
        ensure_ascii=True,
    )
