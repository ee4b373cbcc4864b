# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that the matrix can fail: boots that must not count as passed.

Each control spoils one thing on the quickest kernel and passes only when the row
is judged a failure for just that reason.
"""

from __future__ import annotations

import dataclasses
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import guest_boot
import guest_image
from guest_build import BuildError
from kernel_packages import UnavailableError
from kernel_rows import SMALL
from matrix_judge import FAILED, MISSING, PASSED, Outcome, judge
from matrix_plan import Command

if TYPE_CHECKING:
    from guest_content import Contents
    from kernel_store import Stock

ROW = next(row for row in SMALL if row.name == "6.1-amd64")
_FACTS = Command("facts", "hostfacts")
_SECONDS = 60.0
# Longer than the boot takes on a loaded machine, so that the guest does speak.
_HANG_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Control:
    """A spoilt boot: what to run, and what the judgement must say."""

    name: str
    reason: str
    plan: tuple[Command, ...] = (_FACTS,)
    abi: int = ROW.abi
    init_mode: int = 0o755
    seconds: float = _SECONDS


CONTROLS: tuple[Control, ...] = (
    Control("wrong ABI", "Landlock ABI", abi=12),
    Control("panic", "the guest's first process never spoke", init_mode=0o644),
    Control("empty plan", "no command ran", plan=()),
    Control("wrong status", "1 misses", plan=(_FACTS, Command("one", "exit 1", 0))),
    Control(
        "hang",
        "the guest did not reach its end",
        plan=(_FACTS, Command("hang", "sleep 1000")),
        seconds=_HANG_SECONDS,
    ),
)


def run(control: Control, kernels: Stock, contents: Contents) -> Outcome:
    """Boot a spoilt guest; passed when it is judged a failure for its reason."""
    name = f"control: {control.name}"
    row = dataclasses.replace(ROW, abi=control.abi)
    try:
        guest_boot.emulator(ROW.arch)
        kernel = kernels.kernel(ROW)
        with tempfile.TemporaryDirectory(prefix="stockade-control-") as folder:
            image = Path(folder) / "initramfs"
            limit = control.seconds * guest_boot.patience()
            guest_image.write_image(image, _entries(control, contents, limit))
            transcript = guest_boot.boot(row, kernel, image, limit)
    except UnavailableError as error:
        return Outcome(name, MISSING, (str(error),))
    except BuildError as error:
        return Outcome(name, FAILED, tuple(str(error).splitlines()))
    problems = judge(row, list(control.plan), transcript)
    if any(control.reason in problem for problem in problems):
        return Outcome(name, PASSED, (f"fails as it must: {problems[0]}",))
    found = problems or ["nothing was found wrong"]
    return Outcome(name, FAILED, (f"wanted `{control.reason}`", *found))


def _entries(
    control: Control, contents: Contents, limit: float
) -> list[guest_image.Entry]:
    # The guest's own limit is longer: the control is about ours.
    entries = contents.base(ROW.arch, control.plan, 2 * limit)
    return [
        dataclasses.replace(entry, mode=entry.mode & ~0o777 | control.init_mode)
        if entry.path == "/init"
        else entry
        for entry in entries
    ]
