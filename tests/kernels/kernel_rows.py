# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the kernels of the matrix: which package each comes from and what it must be.

A row names a series and never a version, since the suites roll on. It bounds
the Landlock ABI that the booted kernel reports, so that a row cannot quietly
start to test another branch than the one it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

AMD64 = "amd64"
ARM64 = "arm64"

# What the launcher's targets call the architectures that Debian names.
MACHINES: dict[str, str] = {AMD64: "x86_64", ARM64: "aarch64"}


@dataclass(frozen=True, slots=True)
class Suite:
    """One release of the archive; `security` tells which mirror serves it."""

    name: str
    security: bool
    architectures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One boot: a kernel, the words on its command line and what it must show.

    `package` is a regular expression over package names; the newest match is
    taken. `abi` is the inclusive range of Landlock ABIs that the row covers.
    """

    name: str
    arch: str
    package: str
    abi: tuple[int, int]
    words: tuple[str, ...] = ()
    x32: bool = False


SUITES: tuple[Suite, ...] = (
    Suite("bookworm", security=False, architectures=(ARM64,)),
    Suite("bookworm-security", security=True, architectures=(AMD64, ARM64)),
    Suite("trixie-backports", security=False, architectures=(AMD64,)),
)

# The C library that arm64 programs of the guest are linked with, and its shell.
ARM64_PACKAGES: tuple[str, ...] = ("musl-dev:arm64", "busybox-static:arm64")

SMALL: tuple[Row, ...] = (
    Row("6.1-amd64", AMD64, r"^linux-image-6\.1\.[^-]*-[0-9]+-cloud-amd64$", (2, 2)),
    Row("6.12-amd64", AMD64, r"^linux-image-6\.12\.[^-]*-cloud-amd64$", (6, 6)),
    # From 6.19 on the kernel itself lies in `linux-binary-*`.
    Row("7.3-amd64", AMD64, r"^linux-binary-7\.3\.[^-]*-cloud-amd64$", (11, 99)),
    Row("6.1-arm64", ARM64, r"^linux-image-6\.1\.[^-]*-[0-9]+-cloud-arm64$", (2, 2)),
    # The cloud kernels are built without x32, whatever the command line says.
    Row(
        "7.3-amd64-x32",
        AMD64,
        r"^linux-binary-7\.3\.[^-]*-amd64$",
        (11, 99),
        words=("syscall.x32=y",),
        x32=True,
    ),
)
