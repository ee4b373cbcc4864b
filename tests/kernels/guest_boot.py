# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Boot one kernel in QEMU and turn its console and exit status into a transcript.

Always TCG: a `/dev/kvm` that opens and makes machines may still hang on the first
kernel, so "use it where it is there" is not safe to try.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernel_packages import UnavailableError
from kernel_rows import AMD64, ARM64, MACHINES

if TYPE_CHECKING:
    from pathlib import Path

    from kernel_rows import Row

EMULATORS = {AMD64: "qemu-system-x86_64", ARM64: "qemu-system-aarch64"}
MEMORY = 512  # MiB
# Some routes are about a process that runs at the same time.
PROCESSORS = "2"

# One host thread for both processors: with a thread each, a kernel that rewrites its
# code at boot can meet its own breakpoint on the other one and die.
_TCG = "tcg,thread=single"
_MACHINE: dict[str, tuple[str, ...]] = {
    # QEMU's exit status is 2 * value + 1, where the guest writes value.
    AMD64: ("-M", "pc", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"),
    # Emulating the standard pointer authentication costs five times the boot.
    ARM64: (
        *("-M", "virt", "-cpu", "max,pauth-impdef=on"),
        *("-semihosting-config", "enable=on,userspace=on,target=native"),
    ),
}
_CONSOLES = {AMD64: "ttyS0", ARM64: "ttyAMA0"}
# A kernel that panics ends at once, with status 0 from QEMU, which no row accepts.
# Its test of the timer is one of the machine's speed: it fails where others are busy.
_WORDS = (
    "quiet loglevel=1 panic=-1 reboot=t random.trust_cpu=on no_timer_check"
    " rdinit=/init init=/init"
)
# Boots to try before a kernel that dies of the emulation counts as one that fails.
_TRIES = 3

OUT_OF_TIME = "ran out of time"
_EXIT = re.compile(r"^@@EXIT (\S+) (\d+)$")
_END = re.compile(r"^@@END rc=(\d+)$")


@dataclass(slots=True)
class Transcript:
    """What one boot showed, by both witnesses.

    `outputs` and `statuses` are by command name; `misses` is the console's word
    and `emulator` QEMU's, each None where that witness said nothing.
    """

    seconds: float = 0.0
    attempts: int = 1
    began: bool = False
    misses: int | None = None
    emulator: int | None = None
    ended: str = "ended"
    outputs: dict[str, list[str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    console: str = ""

    def complaint(self) -> str | None:
        """Say why the two witnesses do not tell of a complete, clean run."""
        if not self.began:
            return "the guest's first process never spoke"
        if self.misses is None:
            return f"the guest did not reach its end; QEMU {self.ended}"
        if self.emulator is None:
            return "QEMU ended without the guest's status"
        if self.emulator != self.misses:
            return f"console tells {self.misses} misses, QEMU {self.emulator}"
        if not self.statuses:
            return "no command ran"
        return None


def emulator(arch: str) -> str:
    """Return the emulator's path; UnavailableError where it is not installed."""
    # Programs of the guest are built by this machine's compiler and the arm64 one.
    if os.uname().machine != MACHINES[AMD64]:
        raise UnavailableError(f"guests are built on {MACHINES[AMD64]} only")
    path = shutil.which(EMULATORS[arch])
    if path is None:
        raise UnavailableError(f"`{EMULATORS[arch]}` is not installed")
    return path


def can_boot(arch: str) -> bool:
    """Tell whether guests of an architecture can be booted here."""
    with contextlib.suppress(UnavailableError):
        return bool(emulator(arch))
    return False


def patience() -> float:
    """Tell how much longer than on an idle machine things may take now."""
    return max(1.0, 1.5 * os.getloadavg()[0] / (os.cpu_count() or 1))


def boot_patiently(
    row: Row, kernel: Path, image: Path, limit: float, memory: int = MEMORY
) -> Transcript:
    """Boot again where the kernel died before our first process; nothing else.

    What a guest printed is never thrown away: from its first word on it is judged.
    """
    for attempt in range(1, _TRIES + 1):
        transcript = boot(row, kernel, image, limit, memory)
        transcript.attempts = attempt
        if transcript.began or transcript.ended == OUT_OF_TIME:
            break
    return transcript


def boot(
    row: Row, kernel: Path, image: Path, limit: float, memory: int = MEMORY
) -> Transcript:
    """Boot until the guest ends itself; `limit` is in seconds."""
    words = " ".join((_WORDS, f"console={_CONSOLES[row.arch]}", *row.words))
    command = [
        *(emulator(row.arch), "-accel", _TCG, *_MACHINE[row.arch]),
        *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
        *(
            "-m",
            str(memory),
            "-smp",
            PROCESSORS,
            "-serial",
            "stdio",
            "-kernel",
            str(kernel),
        ),
        *("-initrd", str(image), "-append", words),
    ]
    started = time.monotonic()
    try:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
        )
        console, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        console, status = error.stdout or b"", None
    ended = OUT_OF_TIME if status is None else f"ended with {status}"
    transcript = read_console(console.decode(errors="replace"))
    transcript.seconds = time.monotonic() - started
    transcript.ended = ended
    transcript.emulator = guest_status(row.arch, status)
    return transcript


def guest_status(arch: str, status: int | None) -> int | None:
    """Undo what the exit device does; None for an end that is not the guest's."""
    if status is None or status < 0:
        return None
    if arch == AMD64:
        return status >> 1 if status % 2 == 1 else None
    return status


def read_console(text: str) -> Transcript:
    """Collect the marked lines; what kernel and firmware print is only kept."""
    transcript = Transcript(console=text)
    current = ""
    for raw in text.split("\n"):
        line = raw.rstrip("\r")
        if line.startswith("@@BEGIN"):
            transcript.began = True
        elif line.startswith("@@RUN "):
            current = line.removeprefix("@@RUN ")
            transcript.outputs[current] = []
        elif line.startswith("@@| "):
            transcript.outputs.setdefault(current, []).append(line[4:])
        elif match := _EXIT.match(line):
            transcript.statuses[match[1]] = int(match[2])
        elif match := _END.match(line):
            transcript.misses = int(match[1])
    return transcript
