# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask each artifact of one side for a decision, judged apart from the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stockade.abi.arch import LINUX_TARGETS
from stockade.driver.review import Side
from stockade.policy.places import places
from stockade.proof.evaluator import Evaluator
from stockade.review.query import Answer, answers
from stockade.review.request_words import NotARequestError, read_request


def query(side: Side, words: Sequence[str]) -> tuple[Answer, ...]:
    """Answer a request, written as words, for every target of a side.

    Targets that know no such call are left out; raises NotARequestError where all
    are, or the words are no request.
    """
    found: list[Answer] = []
    refusal: NotARequestError | None = None
    for target in sorted(side.subjects):
        try:
            request = read_request(words, LINUX_TARGETS[target].arch)
        except NotARequestError as error:
            refusal = refusal or error
            continue
        subject = side.subjects[target]
        if not subject.places.keys:
            # A bundle's rules have keys, but no place where they were written.
            subject = replace(subject, places=places({}))
        found += answers(subject, request, Evaluator)
    if refusal and not found:
        raise refusal
    return tuple(found)
