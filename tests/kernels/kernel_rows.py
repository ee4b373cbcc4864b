# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the rows of the matrix: the kernel of each and what it must turn out to be.

A kernel is named by series and never by version, since the suites roll on. A row
states the Landlock ABI that its kernel reports, and what else makes it worth a
boot, so that it cannot quietly start to test another branch than its own.
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
class Kernel:
    """One kernel of the archive, and the name it has in the store.

    `package` is a regular expression over package names; the newest match is
    taken. From 6.19 on the kernel itself lies in `linux-binary-*`.
    """

    series: str
    arch: str
    package: str
    flavour: str = ""

    @property
    def name(self) -> str:
        """Return the name of the file in the store."""
        return "-".join(part for part in (self.series, self.arch, self.flavour) if part)

    @property
    def version(self) -> tuple[int, int]:
        """Return the series as numbers."""
        major, minor = self.series.split(".")
        return int(major), int(minor)


@dataclass(frozen=True, slots=True)
class Row:
    """One boot: a kernel, what is set on it, and what it must show.

    `abi` is the Landlock ABI of the kernel, 0 for none; `fake_abi` the one that a
    test build of the launcher takes it for. `settings` are files of /proc/sys with
    the value that process 1 writes. `fixed` and `unfixed` are Landlock's errata.
    """

    name: str
    kernel: Kernel
    abi: int
    words: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    fixed: tuple[int, ...] = ()
    unfixed: tuple[int, ...] = ()
    fake_abi: int | None = None
    switched_off: bool = False
    x32: bool = False
    int80: bool = True
    user_namespaces: bool = True
    small: bool = False

    @property
    def arch(self) -> str:
        """Return Debian's name of the architecture."""
        return self.kernel.arch

    @property
    def machine(self) -> str:
        """Return the kernel's name of the architecture."""
        return MACHINES[self.arch]

    @property
    def held_abi(self) -> int:
        """Return the ABI that the launcher goes by."""
        return self.abi if self.fake_abi is None else self.fake_abi

    @property
    def python(self) -> bool:
        """Tell whether the tests of the launcher run on this kernel too."""
        return self.name in PYTHON_ROWS

    @property
    def situation(self) -> str:
        """Say what sets the row apart from others of its kernel."""
        parts = [
            *(["Landlock switched off at boot"] if self.switched_off else []),
            *(["no user namespaces"] if not self.user_namespaces else []),
            *(["x32 calls on"] if self.x32 else []),
            *(["i386 calls off"] if self.arch == AMD64 and not self.int80 else []),
            *([f"ABI {self.fake_abi} faked"] if self.fake_abi is not None else []),
        ]
        return ", ".join(parts)


SUITES: tuple[Suite, ...] = (
    # The arm64 kernels of its security suite are listed and not there.
    Suite("bullseye", security=False, architectures=(ARM64,)),
    Suite("bullseye-security", security=True, architectures=(AMD64,)),
    Suite("bookworm", security=False, architectures=(AMD64, ARM64)),
    Suite("bookworm-security", security=True, architectures=(AMD64, ARM64)),
    # One series after the other: the best source of what lies in between.
    Suite("trixie-backports", security=False, architectures=(AMD64, ARM64)),
    Suite("sid", security=False, architectures=(AMD64,)),
)

# The C library that arm64 programs of the guest are linked with, and its shell.
ARM64_PACKAGES: tuple[str, ...] = ("musl-dev:arm64", "busybox-static:arm64")

# What the guests with Python run, of either architecture, all of one suite.
PYTHON_SUITE = "bookworm"
PYTHON_PACKAGES: tuple[str, ...] = (
    *("python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib"),
    *("libc6", "zlib1g", "libexpat1", "libffi8", "libssl3", "libcrypt1", "libgcc-s1"),
    *("python3-cffi-backend", "python3-markupsafe", "dash", "coreutils", "grep"),
    *("libselinux1", "libpcre2-8-0", "libacl1", "libattr1", "libgmp10"),
)
# The same files for every architecture.
PYTHON_PLAIN: tuple[str, ...] = (
    *("python3-cffi", "python3-pycparser", "python3-ply", "python3-jinja2"),
)


def _kernel(series: str, arch: str, *, binary: bool = False) -> Kernel:
    numbered = series.replace(".", r"\.")
    family = "linux-binary" if binary else "linux-image"
    return Kernel(series, arch, rf"^{family}-{numbered}\.[^-]*(-[0-9]+)?-cloud-{arch}$")


_K6_1 = _kernel("6.1", AMD64)
_K6_12 = _kernel("6.12", AMD64)
# The cloud kernels are built without x32, whatever the command line says.
_K7_3_FULL = Kernel("7.3", AMD64, r"^linux-binary-7\.3\.[^-]*-amd64$", "full")


def _plain(
    kernel: Kernel, abi: int, fixed: tuple[int, ...] = (), *, small: bool = False
) -> Row:
    return Row(kernel.name, kernel, abi, fixed=fixed, small=small)


# Rows on which the tests of the launcher run as well: the oldest, two in wide use, the
# newest, and one of arm64.
PYTHON_ROWS = ("5.10-amd64", "6.1-amd64", "6.12-amd64", "7.3-amd64", "6.12-arm64")

ROWS: tuple[Row, ...] = (
    _plain(_kernel("5.10", AMD64), 0),
    _plain(_K6_1, 2, (3, 4), small=True),
    Row(
        "6.1-amd64-lsm-off",
        _K6_1,
        0,
        words=("lsm=lockdown,yama,apparmor",),
        switched_off=True,
    ),
    _plain(_K6_12, 6, (1, 2, 3, 4), small=True),
    Row(
        "6.12-amd64-no-userns",
        _K6_12,
        6,
        settings=("user/max_user_namespaces=0",),
        user_namespaces=False,
    ),
    Row("6.12-amd64-no-ia32", _K6_12, 6, words=("ia32_emulation=0",), int80=False),
    # No package brings these ABIs: the choice of variant is tried, not a kernel.
    *(Row(f"6.12-amd64-faked-{abi}", _K6_12, 6, fake_abi=abi) for abi in (1, 3, 4, 5)),
    # The two states of erratum 3, renames around disconnected folders.
    Row("6.16-amd64", _kernel("6.16", AMD64), 7, fixed=(1, 2), unfixed=(3,)),
    Row("6.19-amd64", _kernel("6.19", AMD64, binary=True), 7, fixed=(1, 2, 3)),
    _plain(_kernel("7.0", AMD64, binary=True), 8, (1, 2, 3)),
    _plain(_kernel("7.1", AMD64, binary=True), 9, (1, 2, 3)),
    _plain(_kernel("7.2", AMD64, binary=True), 10, (1, 2, 3, 4)),
    _plain(_kernel("7.3", AMD64, binary=True), 11, (1, 2, 3, 4), small=True),
    Row(
        "7.3-amd64-x32", _K7_3_FULL, 11, words=("syscall.x32=y",), x32=True, small=True
    ),
    _plain(_kernel("5.10", ARM64), 0),
    _plain(_kernel("6.1", ARM64), 2, (3, 4), small=True),
    _plain(_kernel("6.12", ARM64), 6, (1, 2, 3, 4)),
    _plain(_kernel("7.0", ARM64, binary=True), 8, (1, 2, 3)),
    _plain(_kernel("7.3", ARM64, binary=True), 11, (1, 2, 3, 4)),
)
SMALL: tuple[Row, ...] = tuple(row for row in ROWS if row.small)
