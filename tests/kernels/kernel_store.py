# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep unpacked kernels and the arm64 C library, so a second run fetches nothing.

Every entry is made beside its place and renamed into it: an interrupted run
leaves no half kernel that a later one would boot.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guest_python import compile_library
from kernel_packages import PrivateApt, UnavailableError, unpack_kernel, unpack_tree
from kernel_rows import (
    ARM64,
    ARM64_PACKAGES,
    PYTHON_PACKAGES,
    PYTHON_PLAIN,
    PYTHON_SUITE,
    SUITES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kernel_rows import Kernel, Row


@dataclass(frozen=True, slots=True)
class Stock:
    """What could be had: kernels by name, and why others are missing."""

    kernels: dict[str, Path]
    missing: dict[str, str]
    versions: dict[str, str]
    sysroot: Path
    pythons: dict[str, Path]
    fetched: bool

    def kernel(self, row: Row) -> Path:
        """Return a row's kernel; UnavailableError tells why there is none."""
        name = row.kernel.name
        if name not in self.kernels:
            raise UnavailableError(self.missing.get(name, "not asked for"))
        return self.kernels[name]

    def python(self, arch: str) -> Path:
        """Return an unpacked Python; UnavailableError tells why there is none."""
        if arch not in self.pythons:
            reason = self.missing.get(f"python-{arch}", "not asked for")
            raise UnavailableError(reason)
        return self.pythons[arch]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one run at a time fill the store."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Source:
    """Private apt that fetches its lists on the first need and only once."""

    def __init__(self, root: Path) -> None:
        self._apt = PrivateApt(root, SUITES)
        self._reason: str | None = None
        self.updated = False

    def newest(self, pattern: str) -> str:
        """Return the name of the newest package that matches."""
        return self._ready().newest(pattern)

    def get(self, *packages: str) -> list[Path]:
        """Return the files of packages."""
        return self._ready().download(*packages)

    def _ready(self) -> PrivateApt:
        if self._reason is not None:
            raise UnavailableError(self._reason)
        if not self.updated:
            try:
                self._apt.update()
            except UnavailableError as error:
                self._reason = str(error)
                raise
            self.updated = True
        return self._apt


def _store_kernel(source: _Source, kernel: Kernel, place: Path) -> None:
    name = source.newest(kernel.package)
    (package,) = source.get(name)
    part = place.with_suffix(".part")
    part.unlink(missing_ok=True)
    unpack_kernel(package, part)
    package.unlink()
    place.with_suffix(".package").write_text(name + "\n", encoding="utf-8")
    part.rename(place)


def _store_tree(source: _Source, packages: Sequence[str], place: Path) -> None:
    part = place.with_name(place.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for package in source.get(*packages):
        unpack_tree(package, part)
        package.unlink()
    part.rename(place)


def _store_python(source: _Source, arch: str, place: Path) -> None:
    """Unpack Python for an architecture, from the suite whose packages are named."""
    native = [f"{name}:{arch}" for name in PYTHON_PACKAGES]
    packages = [f"{name}/{PYTHON_SUITE}" for name in (*native, *PYTHON_PLAIN)]
    _store_tree(source, packages, place)
    compile_library(place)


def stock(
    cache: Path, rows: Sequence[Row], tests: Sequence[Row] = (), *, refresh: bool
) -> Stock:
    """Fetch what the rows need and the cache lacks; `refresh` fetches all anew.

    Those of `tests` need a Python as well.
    """
    kernels: dict[str, Path] = {}
    missing: dict[str, str] = {}
    versions: dict[str, str] = {}
    pythons: dict[str, Path] = {}
    sysroot = cache / "arm64-sysroot"
    with _locked(cache):
        if refresh:
            shutil.rmtree(sysroot, ignore_errors=True)
        source = _Source(cache / "apt")
        for kernel in {row.kernel.name: row.kernel for row in rows}.values():
            place = cache / f"{kernel.name}.vmlinuz"
            try:
                if refresh or not place.exists():
                    _store_kernel(source, kernel, place)
                if kernel.arch == ARM64 and not sysroot.exists():
                    _store_tree(source, ARM64_PACKAGES, sysroot)
            except UnavailableError as error:
                missing[kernel.name] = str(error)
                continue
            kernels[kernel.name] = place
            recorded = place.with_suffix(".package").read_text(encoding="utf-8")
            versions[kernel.name] = recorded.strip()
        for arch in sorted({row.arch for row in tests}):
            place = cache / f"python-{arch}"
            try:
                if refresh or not place.exists():
                    shutil.rmtree(place, ignore_errors=True)
                    _store_python(source, arch, place)
                pythons[arch] = place
            except UnavailableError as error:
                missing[f"python-{arch}"] = str(error)
        # The lists are the bulk of it, and stale at the next fetch anyway.
        shutil.rmtree(cache / "apt", ignore_errors=True)
    return Stock(kernels, missing, versions, sysroot, pythons, source.updated)
