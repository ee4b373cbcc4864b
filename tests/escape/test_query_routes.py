# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the query to what the kernel answers on the routes of the escape program.

The rows of the routes are tried on running kernels, of every ABI in the matrix, so
the query must answer as they say on each.
"""

from __future__ import annotations

from functools import cache

import pytest
from route import POLICIES, Route
from route_requests import BEHIND_THE_FILTER, NO_REQUEST, REQUESTS
from routes import cases, startable_policies

from stockade.driver.query import query
from stockade.driver.review import Side, read_side

_ARENA = "/srv/arena"
_ARCH = "x86_64"
_ABIS = tuple(range(1, 12))
_WORDS = {"allow": "ok", "absent": "ENOENT"}


@cache
def _side(policy: str) -> Side:
    text = POLICIES[policy].replace("{arena}", _ARENA)
    return read_side(text.encode(), policy, [f"linux-{_ARCH}"])


def test_every_route_has_a_request_or_a_reason() -> None:
    names = {route.name for route, _ in cases(_ARCH)}
    assert names == {*REQUESTS, *NO_REQUEST}
    assert not set(REQUESTS) & set(NO_REQUEST)
    assert len(REQUESTS) > 6 * len(NO_REQUEST)


@pytest.mark.parametrize("policy", POLICIES)
def test_query_answers_as_the_kernel(policy: str) -> None:
    differ = [
        line
        for route, under in cases(_ARCH)
        if under == policy and route.name in REQUESTS
        for line in _differences(route, policy)
    ]
    assert not differ, "\n".join(differ)


def _differences(route: Route, policy: str) -> list[str]:
    words = REQUESTS[route.name].replace("{a}", _ARENA).split()
    answers = query(_side(policy), words)
    found = []
    for answer in answers:
        said = _WORDS.get(answer.decision, answer.decision)
        wanted = {
            route.inside_at(host.landlock_abi)
            for host in answer.on
            if policy in startable_policies(host.landlock_abi)
        }
        if route.name in BEHIND_THE_FILTER.get(policy, ()):
            # Only what the filter says is asked for, and it must not deny it.
            wanted = {"ok"}
        if wanted - {said}:
            found.append(f"{route.name}: {answer.hosts}: {said}, kernel {wanted}")
    return found
