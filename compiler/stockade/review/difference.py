# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare two artifacts of one target: what they decide, then how.

INVARIANT: no finding means that both are the same in all that matters, so that they
decide alike; what a finding says of decisions is complete as its system's room says.
"""

from __future__ import annotations

from stockade.review.change import Finding, Kind
from stockade.review.judges import Judges
from stockade.review.linux_difference import linux_differences
from stockade.review.sheet_difference import sheet_differences
from stockade.review.subject import AnySubject, is_flat, on_linux

_ORDER = tuple(Kind)


def differences(
    old: AnySubject, new: AnySubject, judges: Judges
) -> tuple[Finding, ...]:
    """List what changes from one artifact to another of the same target.

    Sorted by kind, and within each the most dangerous first.
    """
    if on_linux(old) and on_linux(new):
        found = tuple(linux_differences(old, new, judges))
    elif is_flat(old) and is_flat(new):
        found = tuple(sheet_differences(old, new, judges.decide))
    else:
        targets = f"{old.artifact.target} and {new.artifact.target}"
        raise ValueError(f"artifacts of two systems: {targets}")
    return tuple(
        sorted(
            found,
            key=lambda one: (_ORDER.index(one.change.kind), one.change.rank),
        )
    )
