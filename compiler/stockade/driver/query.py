# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask each artifact of one side for a decision, judged apart from the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.targets import SYSTEM_OF, System
from stockade.driver.review import Side, decide_by
from stockade.model.macos_paths import canonical_macos_path
from stockade.model.request import (
    AnyRequest,
    HardLinkRequest,
    MetadataRequest,
    PathRequest,
    SeeRequest,
    SetIdRequest,
    UnixRequest,
)
from stockade.policy.places import places
from stockade.proof.evaluator import Evaluator
from stockade.review.flat_query import flat_answer
from stockade.review.query import Answer, answers
from stockade.review.request_words import NotARequestError, asked_of, read_request
from stockade.review.subject import is_flat, on_linux


def query(side: Side, words: Sequence[str]) -> tuple[Answer, ...]:
    """Answer a request, written as words, for every target of a side.

    Targets on which it means nothing are left out; raises NotARequestError where all
    are, or the words are no request.
    """
    found: list[Answer] = []
    refusal: NotARequestError | None = None
    for target in sorted(side.subjects):
        system = SYSTEM_OF[target]
        arch = LINUX_TARGETS[target].arch if system is System.LINUX else ""
        try:
            request = read_request(words, arch)
            asked_of(request, system)
        except NotARequestError as error:
            refusal = refusal or error
            continue
        subject = side.subjects[target]
        if not subject.places.keys:
            # A bundle's rules have keys, but no place where they were written.
            subject = replace(subject, places=places({}))
        if on_linux(subject):
            found += answers(subject, request, Evaluator)
        elif is_flat(subject):
            asked = _resolved(request) if system is System.MACOS else request
            found.append(flat_answer(subject, asked, decide_by))
    if refusal and not found:
        raise refusal
    return tuple(found)


def _resolved(request: AnyRequest) -> AnyRequest:
    """Ask macOS about the path that a name leads to, as a program's own call does."""
    match request:
        case PathRequest(path) | MetadataRequest(path) | SetIdRequest(path):
            return replace(request, path=canonical_macos_path(path))
        case HardLinkRequest(path) | SeeRequest(path):
            return replace(request, path=canonical_macos_path(path))
        case UnixRequest(address) if address.startswith("/"):
            return UnixRequest(canonical_macos_path(address))
        case _:
            return request
