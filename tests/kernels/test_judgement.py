# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test what the matrix believes, on transcripts; the boots themselves are elsewhere."""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path

import guest_boot
import guest_build
import guest_image
import kernel_rows
import matrix_plan
import pytest

ROW = kernel_rows.SMALL[0]
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
    return matrix_plan.judge(ROW, PLAN, transcript)


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


def test_every_row_bounds_its_landlock_abi() -> None:
    assert all(0 < row.abi[0] <= row.abi[1] for row in kernel_rows.SMALL)
    assert len({row.name for row in kernel_rows.SMALL}) == len(kernel_rows.SMALL)


def test_mechanisms_differ_where_kernels_do() -> None:
    lines = {
        row.abi[0]: matrix_plan.confined_lines(row.abi[0]) for row in kernel_rows.SMALL
    }
    assert len(set(lines.values())) == len(lines)


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
