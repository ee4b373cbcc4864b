# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check on random edits that a report says what they change, and nothing else."""

from __future__ import annotations

import edits


def test_a_report_says_what_an_edit_changes_and_nothing_else() -> None:
    assert list(edits.run(300, seed=60)) == []
