# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test what the matrix believes, on transcripts; the boots themselves are elsewhere."""

from __future__ import annotations

import dataclasses
import re
import struct
from pathlib import Path

import expected_check
import guest_boot
import guest_build
import guest_image
import kernel_rows
import matrix_judge
import matrix_plan
import pytest

ROW = dataclasses.replace(kernel_rows.SMALL[0], fixed=())
PLAN = [
    matrix_plan.Command("facts", "hostfacts", shows=("^landlock-abi",)),
    matrix_plan.Command("secret", "cat /secret", 1, hides=("hidden",)),
]
GOOD = (
    "@@BEGIN\n@@RUN facts\n@@| landlock-abi 2\n@@EXIT facts 0\n"
    "@@RUN secret\n@@| denied\n@@EXIT secret 1\n@@END rc=0\n"
)


def judged(console: str, emulator: int | None = 0) -> list[str]:
    transcript = guest_boot.read_console(console)
    transcript.emulator = emulator
    return matrix_judge.judge(ROW, PLAN, transcript)


def test_a_complete_run_passes() -> None:
    assert judged(GOOD) == []
    assert judged(GOOD.replace("\n", "\r\n")) == []


@pytest.mark.parametrize(
    ("console", "emulator", "problem"),
    [
        pytest.param("", 0, "never spoke", id="silent"),
        pytest.param(GOOD, None, "without the guest's status", id="one-witness"),
        pytest.param(GOOD, 1, "QEMU 1", id="witnesses-differ"),
        pytest.param(GOOD.replace("@@END rc=0\n", ""), 0, "end", id="cut"),
        pytest.param(GOOD.replace("rc=0", "rc=1"), 1, "1 misses", id="guest-counts"),
        pytest.param(GOOD.replace("abi 2", "abi 3"), 0, "ABI 3", id="other-kernel"),
        pytest.param(GOOD.replace("denied", "hidden"), 0, "shows", id="leak"),
        pytest.param(GOOD.replace("secret 1", "secret 0"), 0, "not 1", id="status"),
        pytest.param(
            GOOD.replace("secret", "other"), 0, "`secret` did not run", id="missing"
        ),
        pytest.param("@@BEGIN\n@@END rc=0\n", 0, "no command ran", id="nothing-ran"),
    ],
)
def test_anything_less_fails(console: str, emulator: int | None, problem: str) -> None:
    assert any(problem in found for found in judged(console, emulator))


def test_a_program_cannot_write_the_guests_own_lines() -> None:
    forged = GOOD.replace("@@| denied", "@@| @@EXIT secret 0\n@@| \r@@END rc=7")
    assert judged(forged) == []


@pytest.mark.parametrize(("status", "told"), [(1, 0), (3, 1), (0, None), (2, None)])
def test_only_the_exit_device_gives_odd_statuses(status: int, told: int | None) -> None:
    assert guest_boot.guest_status(kernel_rows.AMD64, status) == told


def test_a_line_that_nothing_asks_for_fails_an_exact_command() -> None:
    plan = [dataclasses.replace(PLAN[0], exact=True)]
    text = GOOD.split("@@RUN secret", maxsplit=1)[0] + "@@END rc=0\n"
    transcript = guest_boot.read_console(text)
    transcript.emulator = 0
    assert matrix_judge.judge(ROW, plan, transcript) == []
    more = guest_boot.read_console(text.replace("abi 2\n", "abi 2\n@@| and more\n"))
    more.emulator = 0
    (problem,) = matrix_judge.judge(ROW, plan, more)
    assert "`and more`, which nothing asks for" in problem


def test_errata_are_held_against_the_row() -> None:
    transcript = guest_boot.read_console("@@RUN facts\n@@| landlock-errata 0x5\n")
    row = dataclasses.replace(ROW, fixed=(1, 2), unfixed=(3, 4))
    found = [line for line in matrix_judge.judge(row, [], transcript) if "err" in line]
    assert found == ["erratum 2 is not fixed: 0x5", "erratum 3 is fixed: 0x5"]


def test_a_skip_must_be_one_that_the_kernel_explains() -> None:
    console = (
        "@@RUN escapes\n@@| skip one alone: needs linux-6.3 (EINVAL x )\n"
        "@@| skip two alone: needs x32-calls (ENOSYS x )\n"
        "@@| skip three alone: needs loopback (ENETUNREACH x )\n"
    )
    transcript = guest_boot.read_console(console)
    problems = matrix_judge.judge(ROW, [], transcript)
    assert [line for line in problems if "skipped" in line] == [
        "`three` is skipped, but this kernel has loopback"
    ]
    newer = next(row for row in kernel_rows.ROWS if row.x32)
    problems = matrix_judge.judge(newer, [], transcript)
    assert len([line for line in problems if "is skipped" in line]) == 3


def test_rows_cover_what_they_promise() -> None:
    """S2-294: eleven ABIs and none, of which four are faked and say so."""
    rows = kernel_rows.ROWS
    assert len({row.name for row in rows}) == len(rows)
    assert {row.held_abi for row in rows} == set(range(12))
    assert all("faked" in row.name for row in rows if row.fake_abi is not None)
    arm64 = {row.abi for row in rows if row.arch == kernel_rows.ARM64}
    assert arm64 == {0, 2, 6, 8, 11}
    assert {row.arch for row in kernel_rows.SMALL} == set(kernel_rows.MACHINES)


def test_mechanisms_differ_where_kernels_do() -> None:
    lines: dict[int, set[tuple[str, ...]]] = {}
    for row in kernel_rows.ROWS:
        if row.held_abi:
            found = expected_check.confined_lines(row)
            lines.setdefault(row.held_abi, set()).add(found)
    assert all(len(found) == 1 for found in lines.values())
    # 7 and 8 bring what no line names; 11 as well.
    assert len(set().union(*lines.values())) == len(lines) - 3


def test_the_guests_suite_has_room_for_every_policy() -> None:
    source = Path(__file__).parent.parent / "probes" / "suite.c"
    (room,) = re.findall(r"MOST_POLICIES = (\d+)", source.read_text())
    assert len(matrix_plan.policies()) <= int(room)


def test_absent_and_switched_off_say_different_things() -> None:
    """S2-292."""
    reasons = {expected_check.lacking(row) for row in kernel_rows.ROWS if not row.abi}
    assert len(reasons) == 2
    assert None not in reasons


def test_an_image_is_the_same_on_every_day(tmp_path: Path) -> None:
    entries = [guest_image.console(), guest_image.file("/a/b", b"text", 0o600, owner=7)]
    for name in ("one", "two"):
        guest_image.write_image(tmp_path / name, entries)
    content = (tmp_path / "one").read_bytes()
    assert content == (tmp_path / "two").read_bytes()
    assert content.startswith(b"070701")
    # Parents come before what lies in them, or the kernel drops the file.
    assert content.index(b"dev/console\0") > content.index(b"dev\0")


def test_a_dynamic_program_is_told_from_a_static_one() -> None:
    # The guest has no loader; a shell that needs one would end every command.
    assert guest_build.needs_loader(Path("/bin/ls").read_bytes())
    header = bytearray(64)
    header[32:40] = (64).to_bytes(8, "little")
    header[54:58] = struct.pack("<HH", 56, 1)
    assert not guest_build.needs_loader(bytes(header) + bytes([1]) + bytes(55))


def test_a_plan_line_is_what_the_guest_splits() -> None:
    command = dataclasses.replace(PLAN[1], shell="cat a; exit 1")
    assert command.line().split(" ", 2) == ["secret", "1", "cat a; exit 1"]
