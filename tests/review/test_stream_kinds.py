# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say of standard streams what launchers do: every IP socket includes a connected one.

launcher-c/src/linux/streams.c takes a connected TCP socket where either bit is set;
tests/launcher/test_streams.py shows it at a start.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from flat_subjects import subject_of

from stockade.abi.targets import System
from stockade.model.policy import Policy
from stockade.model.request import StreamRequest
from stockade.review.change import Kind
from stockade.review.reasons import start_decision
from stockade.review.start import start_changes
from stockade.review.subject import AnySubject

_CLIENT, _ALL = ("tcp-connected",), ("inet",)


def _subject(system: System, streams: tuple[str, ...]) -> AnySubject:
    made = subject_of(Policy(), system)
    return replace(made, artifact=replace(made.artifact, streams=streams))


@pytest.mark.parametrize("system", [System.MACOS, System.WINDOWS])
def test_a_connected_socket_is_an_ip_socket(system: System) -> None:
    for streams, kind, decision in (
        (_ALL, "tcp-connected", "allow"),
        (_ALL, "inet", "allow"),
        (_CLIENT, "tcp-connected", "allow"),
        (_CLIENT, "inet", "refused"),
        ((), "tcp-connected", "refused"),
        (("unix-connected",), "tcp-connected", "refused"),
    ):
        found = start_decision(_subject(system, streams), StreamRequest(kind))
        assert found[0] == decision


@pytest.mark.parametrize("system", [System.MACOS, System.WINDOWS])
def test_more_kinds_take_none_away(system: System) -> None:
    client, every, none = (_subject(system, one) for one in (_CLIENT, _ALL, ()))
    for old, new, kinds in (
        (client, every, [Kind.NEWLY_ALLOWED]),
        (every, client, [Kind.NEWLY_DENIED]),
        (none, every, [Kind.NEWLY_ALLOWED] * 2),
        (none, client, [Kind.NEWLY_ALLOWED]),
    ):
        assert [one.kind for one in start_changes(old, new)] == kinds
