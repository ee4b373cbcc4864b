# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose what lies in a guest: programs, artifacts, files with and without grants.

Programs are built once for each architecture. The launcher is the one that was
built for release, since another one would prove nothing about it; only a row whose
Landlock ABI is faked has one that was built to believe it.
"""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import guest_image
import guest_python
import kernel_page
import matrix_plan
from guest_build import BuildError, Toolchain, needs_loader
from kernel_packages import UnavailableError
from kernel_rows import AMD64, ARM64, MACHINES
from matrix_plan import GRANTED, SECRET

from stockade.driver.compile import compile_policy
from stockade.policy import read_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from guest_image import Entry
    from kernel_rows import Row
    from kernel_store import Stock
    from matrix_plan import Command

HERE = Path(__file__).resolve().parent
NOBODY = 65534
_GUEST_PROGRAMS = ("init", "hostfacts")


@dataclass(slots=True)
class Contents:
    """The files of all guests; safe to use from several threads."""

    repository: Path
    kernels: Stock
    # What the page says of each row, by name.
    foretold: dict[str, kernel_page.Record] = field(default_factory=dict)
    _made: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _bundles: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def compile(self, rows: Sequence[Row]) -> None:
        """Compile every policy of the plan; before any thread is started."""
        jobs = [
            (arch, name, text)
            for arch in sorted({row.arch for row in rows})
            for name, text in matrix_plan.policies().items()
        ]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            for (arch, name, _), bundle in zip(
                jobs, pool.map(_compile, jobs), strict=True
            ):
                self._bundles.setdefault(arch, {})[name] = bundle
            found = pool.map(kernel_page.foretold, rows)
            self.foretold = {record.row.name: record for record in found}

    def base(self, arch: str, plan: Sequence[Command], seconds: float) -> list[Entry]:
        """Return what every guest has: the first process, a shell and the plan.

        A command may take `seconds`.
        """
        programs = self._once(f"guest-{arch}", lambda: self._guest_programs(arch))
        text = "".join(command.line() + "\n" for command in plan)
        return [
            guest_image.console(),
            guest_image.file("/init", programs["init"], 0o755),
            guest_image.file("/bin/hostfacts", programs["hostfacts"], 0o755),
            guest_image.file("/bin/busybox", programs["busybox"], 0o755),
            *(guest_image.link(f"/bin/{name}", "busybox") for name in ("sh", "cat")),
            guest_image.file("/plan", text.encode()),
            guest_image.file("/seconds", f"{seconds:.0f}\n".encode()),
            *(guest_image.folder(path) for path in ("/data", "/tmp", "/var/tmp")),
        ]

    def full(self, row: Row, plan: Sequence[Command], seconds: float) -> list[Entry]:
        """Return what a row has: launcher, artifacts and files to read as well."""
        bundles = self._bundles[row.arch]
        lines = matrix_plan.suite_lines(row, bundles)
        folder = artifact_folder(matrix_plan.ARTIFACTS, bundles, lines)
        return [*self.base(row.arch, plan, seconds), *self.own(row), *folder]

    def python(self, row: Row, plan: Sequence[Command], seconds: float) -> list[Entry]:
        """Return a guest with Python and the tests of the launcher."""
        tree = self.kernels.python(row.arch)
        own = self._once(f"own-{row.arch}", lambda: self._own_programs(row.arch))
        launcher = own["stockade-launch"]
        return guest_python.merged(
            [
                *self.base(row.arch, plan, seconds),
                *self.own(row),
                *guest_python.interpreter(tree),
                *guest_python.tests(self.repository, launcher),
            ]
        )

    def own(self, row: Row) -> list[Entry]:
        """Return launcher, escape program, settings and files to read."""
        programs = self._once(f"own-{row.arch}", lambda: self._own_programs(row.arch))
        if row.fake_abi is not None:
            programs = programs | self._once(
                f"fake-{row.fake_abi}", lambda: self._fake_launcher(row)
            )
        settings = "".join(f"{setting}\n" for setting in row.settings)
        return [
            guest_image.file("/settings", settings.encode()),
            *(
                guest_image.file(f"/bin/{name}", content, 0o755)
                for name, content in programs.items()
            ),
            guest_image.file("/root-only", b"", 0o600),
            guest_image.file("/data/granted/text", GRANTED.encode() + b"\n"),
            guest_image.file("/data/secret/text", SECRET.encode() + b"\n"),
            guest_image.folder("/data/out", owner=NOBODY),
        ]

    def toolchain(self, arch: str) -> Toolchain:
        """Return the toolchain of an architecture."""
        return Toolchain(arch, Path("/") if arch == AMD64 else self.kernels.sysroot)

    def _once(self, key: str, make: Callable[[], dict[str, bytes]]) -> dict[str, bytes]:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _guest_programs(self, arch: str) -> dict[str, bytes]:
        toolchain = self.toolchain(arch)
        busybox = toolchain.sysroot / "bin/busybox"
        if not busybox.exists() or needs_loader(busybox.read_bytes()):
            raise UnavailableError(f"no static `{busybox}`; install busybox-static")
        made = {"busybox": busybox.read_bytes()}
        with tempfile.TemporaryDirectory(prefix="stockade-guest-") as folder:
            for name in _GUEST_PROGRAMS:
                target = Path(folder) / name
                toolchain.link_static([HERE / "guest" / f"{name}.c"], target)
                made[name] = target.read_bytes()
        return made

    def _own_programs(self, arch: str) -> dict[str, bytes]:
        build = self.repository / "build"
        launcher, escape = build / "stockade-launch", build / "probes" / "escape"
        target, words = "escape", [f"BUILD={build}"]
        if arch == ARM64:
            self.toolchain(ARM64).compiler()
            launcher = build / "aarch64" / "stockade-launch"
            escape = build / "aarch64" / "probes" / "escape"
            target, words = "aarch64", [*words, f"SYSROOT={self.kernels.sysroot}"]
            python = f"PYTHON={sys.executable}"
            _make(self.repository / "launcher-c", target, *words, python)
        _make(self.repository / "tests" / "probes", target, *words)
        if not launcher.exists():
            raise BuildError(f"no launcher at `{launcher}`; run `make build`")
        return {path.name: path.read_bytes() for path in (launcher, escape)}

    def _fake_launcher(self, row: Row) -> dict[str, bytes]:
        """Build a launcher that takes every newer Landlock for one ABI."""
        build = self.repository / "build"
        words = (f"FAKE_ABI={row.fake_abi}", f"BUILD={build}")
        python = f"PYTHON={sys.executable}"
        _make(self.repository / "launcher-c", "fake-abi", *words, python)
        launcher = build / f"stockade-launch-fake-abi{row.fake_abi}"
        return {"stockade-launch": launcher.read_bytes()}


def artifact_folder(
    folder: str, bundles: Mapping[str, bytes], lines: Iterable[str]
) -> list[Entry]:
    """Return artifacts and the list of routes to try with them."""
    suite = "".join(f"{line}\n" for line in lines)
    return [
        *(
            guest_image.file(f"{folder}/{name}.stk", content)
            for name, content in bundles.items()
        ),
        guest_image.file(f"{folder}/{matrix_plan.SUITE}", suite.encode()),
    ]


def _make(folder: Path, *words: str) -> None:
    command = ["make", "-s", "-C", str(folder), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"`make {words[0]}` failed:\n{done.stderr.strip()}")


def _compile(job: tuple[str, str, str]) -> bytes:
    """Compile one policy for one architecture."""
    arch, name, text = job
    target = f"linux-{MACHINES[arch]}"
    return compile_policy(read_policy(text, name), name, target).bundle
