# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Join the surroundings that a start is tried in, by kind.

The headings and titles make the page `docs/surroundings.md`, with what a run saw.
"""

from __future__ import annotations

from rows_process import LIMITS, PROCESSES
from rows_sandboxes import FILTERS, SANDBOXES
from rows_system import MOUNTS, USERS
from surrounding import Surroundings

KINDS: dict[str, tuple[Surroundings, ...]] = {
    "Filters of containers and services": FILTERS,
    "Mounts": MOUNTS,
    "Users, processes and networks": USERS,
    "Other sandboxes": SANDBOXES,
    "Limits": LIMITS,
    "What a process starts with": PROCESSES,
}
ROWS = tuple(row for rows in KINDS.values() for row in rows)
