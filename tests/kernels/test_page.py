# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep docs/kernels.md current, as far as can be told without a boot."""

from __future__ import annotations

import dataclasses

import guest_boot
import kernel_page
import matrix_plan
from kernel_rows import ROWS


def test_page_is_what_the_compiler_foretells(bless: bool) -> None:
    """`--bless` writes it so; the next run of the whole matrix confirms or fails."""
    text = kernel_page.page([kernel_page.foretold(row) for row in ROWS])
    if bless:
        kernel_page.PAGE.write_text(text)
    assert kernel_page.PAGE.read_text() == text, (
        "run `make test-kernels KERNELS=--page`, or bless and let a run confirm it"
    )


def test_a_run_that_shows_something_else_is_told_apart() -> None:
    row = next(row for row in ROWS if row.held_abi == 2)
    told = kernel_page.foretold(row)
    text = "".join(
        f"@@RUN {matrix_plan.CHECKS[name]}\n"
        + "".join(
            f"@@| enforced     {ln.title}: {ln.text}\n" for ln in lines if ln.held
        )
        + "".join(
            f"@@| UNAVAILABLE  {ln.title}: {ln.text}\n" for ln in lines if not ln.held
        )
        for name, lines in told.tables
    )
    found = kernel_page.measured(row, guest_boot.read_console(text))
    assert list(kernel_page.differences(found, told)) == []
    other = guest_boot.read_console(text.replace("0x3fff", "0x1fff"))
    problems = kernel_page.differences(kernel_page.measured(row, other), told)
    assert all("0x1fff" in problem for problem in problems)
    shorter = dataclasses.replace(found, tables=(("confined", ()),))
    assert list(kernel_page.differences(shorter, told))
