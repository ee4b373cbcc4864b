# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name how two filters differ, between the judge that finds it and its readers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallChange:
    """Calls from one number to another whose answer changes from one to another.

    `number`, `args` and `own_pid` are a call of architecture `audit_arch` that shows
    it; `before` and `after` are action values as a filter returns them.
    """

    first: int
    last: int
    audit_arch: int
    number: int
    args: tuple[int, int, int, int, int, int]
    own_pid: int
    before: int
    after: int
