# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start programs from artifacts that are made by hand, one field at a time.

The compiler makes only artifacts that hold together; what the launcher does with
the others, and with hosts that fit badly, needs them made here.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stage import Stage, machine_target
from stockade.artifact.encode import encode
from stockade.model.artifact import (
    Artifact,
    Call,
    CanaryFolder,
    EnvironmentRow,
    Feature,
    Filter,
    GrantRow,
    Instruction,
    Level,
    Operand,
    Probe,
    Relocation,
    Requirement,
    RightsClass,
    TrustedLocation,
    Variant,
)

LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _PRIVATE, _BIND = 0x20000, 1 << 18 | 1 << 14, 4096

REFUSED = 125
PYTHON = "/usr/bin/python3"
X86_64 = os.uname().machine == "x86_64"
# Call numbers per machine; the launcher takes them from the artifact.
OPENAT, TRUNCATE, EXECVE, CHMODAT, KILL, GETPID, FORK = (
    (257, 76, 59, 268, 62, 39, 57) if X86_64 else (56, 45, 221, 53, 129, 172, 220)
)
SOCKET, CLOSE, GETPPID = (41, 3, 110) if X86_64 else (198, 57, 173)
WITNESS = 0x2F5354
AT_FDCWD = 2**64 - 100

READ = 0x4 | 0x8
WRITE = 0xFFFF & ~1
EXECUTE = 1
SYSTEM_PATHS = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64"),
    *("/etc/ld.so.cache", "/dev/urandom"),
)
CLASSES = (
    RightsClass("read", READ),
    RightsClass("read_exec", READ | EXECUTE, execute=True),
    RightsClass("read_write", READ | WRITE, write=True),
    RightsClass("system", READ, system=True),
    RightsClass("program", 0x4 | EXECUTE, execute=True),
)
NONE = Operand()
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
EPERM, ENOENT, EBADF, EACCES, EFAULT, EINVAL = 1, 2, 9, 13, 14, 22
ENOSYS, ETXTBSY = 38, 26


def number(value: int) -> Operand:
    """Return an operand that is a number."""
    return Operand("immediate", value % 2**64)


def call(nr: int, *operands: Operand, kind: str = "native") -> Call:
    """Return a call with its operands filled up to six."""
    return Call(nr, operands + (NONE,) * (6 - len(operands)), kind)


def probe(
    name: str,
    made: Call,
    expected: int,
    control: int = 0,
    setup: Call | None = None,
    mechanism: str = "seccomp",
) -> Probe:
    """Return a probe of the one requirement that hand-made artifacts have."""
    return Probe(name, "filesystem-confined", mechanism, made, control, expected, setup)


OPEN_CANARY = call(OPENAT, number(AT_FDCWD), Operand("canary-path"), number(0o2000000))
READ_CANARY = probe("canary-read", OPEN_CANARY, EACCES, mechanism="landlock")


def filter_of(*denied: tuple[int, int]) -> Filter:
    """Return a filter that answers call numbers with errnos, and the witness."""
    answers = [(WITNESS, 0x00050FFF), *((nr, ERRNO | errno) for nr, errno in denied)]
    listing = [Instruction(0x20, 0, 0, 0)]
    for nr, answer in answers:
        listing += [Instruction(0x15, 0, 1, nr), Instruction(0x06, 0, 0, answer)]
    listing.append(Instruction(0x06, 0, 0, ALLOW))
    return Filter(tuple(listing), (Relocation(2, "witness"),))


VARIANT = Variant(
    name="only",
    must=("landlock-abi-1", "seccomp-filter"),
    must_not=(),
    fs_required=0x1FFF,
    fs_optional=0x1E000,
    net_required=0,
    net_optional=0,
    scope_required=0,
    scope_optional=0,
    filter=filter_of(),
    requirements=(
        Requirement(
            "filesystem-confined",
            "filesystem confined to policy paths",
            "Landlock",
            ("landlock-abi-1",),
            show_rights=True,
        ),
    ),
    probes=(READ_CANARY,),
)
FEATURES = (
    Feature("landlock-abi-1", (), "no Landlock here", "get a newer kernel"),
    Feature("landlock-abi-6", ("landlock-abi-1",), "no scopes here", "get Linux 6.12"),
    Feature("seccomp-filter", (), "no filters here", "get a kernel with them"),
)
ARTIFACT = Artifact(
    target=machine_target(),
    policy_name="hand-made",
    witness_nr=WITNESS,
    streams=("unix-connected",),
    concessions=(),
    program_class="program",
    features=FEATURES,
    levels=(Level("base", (VARIANT,)),),
    classes=CLASSES,
    grants=(),
    ports=(),
    environment=(),
    canary_folders=(CanaryFolder("/tmp"), CanaryFolder("/var/tmp")),
    trusted=(),
    warnings=(),
)


def artifact(
    grants: dict[str, Sequence[Path | str]] | None = None,
    *,
    system: bool = True,
    variant: dict[str, object] | None = None,
    **fields: object,
) -> Artifact:
    """Return the hand-made artifact with grants per class and fields replaced."""
    rows = [GrantRow(path, "system", True, False) for path in SYSTEM_PATHS if system]
    for name, paths in (grants or {}).items():
        rows += [GrantRow(os.fspath(path), name, False, True) for path in paths]
    made = replace(ARTIFACT, grants=tuple(rows), **fields)  # type: ignore[arg-type]
    if variant is None:
        return made
    changed = replace(VARIANT, **variant)  # type: ignore[arg-type]
    return replace(made, levels=(Level("base", (changed,)),))


def trusted(*locations: tuple[str, str]) -> tuple[TrustedLocation, ...]:
    """Return trusted locations from pairs of base and path."""
    return tuple(TrustedLocation(base, path) for base, path in locations)


def environment(**values: str | None) -> tuple[EnvironmentRow, ...]:
    """Return variables in the order the bundle wants; None passes one."""
    return tuple(EnvironmentRow(name, values[name]) for name in sorted(values))


@dataclass(frozen=True, slots=True)
class Scene:
    """One folder of the unprivileged user, and the launcher started as him."""

    stage: Stage
    root: Path

    def write(self, made: Artifact, name: str = "hand.stk") -> Path:
        """Write an artifact where only root or the user can change it."""
        path = self.root / name
        path.write_bytes(encode(made))
        path.chmod(0o644)
        return self.stage.give(path)

    def keep(self, path: Path) -> Path:
        """Give an artifact and its folder to root.

        The unprivileged user has the overflow number, which means one user only
        where a start can read the map of its user namespace.
        """
        for part in (path, path.parent) if self.stage.drop else ():
            os.chown(part, 0, 0)
        return path

    def folder(self, name: str) -> Path:
        """Make a folder that belongs to the user."""
        path = self.root / name
        path.mkdir()
        return self.stage.give(path)

    def file(self, name: str, text: str = "granted\n", mode: int = 0o644) -> Path:
        """Make a file that belongs to the user."""
        path = self.root / name
        path.write_text(text)
        path.chmod(mode)
        return self.stage.give(path)

    def start(
        self,
        made: Artifact | Path,
        *program: str | bytes | Path,
        options: Sequence[str | Path] = (),
        before: str = "",
        **how: object,
    ) -> subprocess.CompletedProcess[bytes]:
        """Start a program, `/bin/true` unless named, under an artifact.

        `before` is Python that the caller runs first, in the same process.
        """
        path = made if isinstance(made, Path) else self.write(made)
        command = [self.stage.launcher, *options, path, "--"]
        command += program or ["/bin/true"]
        if before:
            code = f"import os, sys\n{before}\nos.execv(sys.argv[1], sys.argv[1:])"
            command = [PYTHON, "-ESc", code, *command]
        return self.stage.run(command, **how)  # type: ignore[arg-type]

    def start_nested(
        self, inner: Path, variant: dict[str, object] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Start `/bin/true` under an artifact inside a sandbox of the variant."""
        grants = {
            "read": [self.root, "/etc/passwd"],
            "read_exec": ["/usr/bin", "/usr/lib", self.stage.launcher.parent],
        }
        outer = artifact(grants, variant=variant)
        self.keep(inner)
        return self.start(outer, self.stage.launcher, inner, "--", "/bin/true")

    def check(
        self, made: Artifact | Path, *program: str | Path, **how: object
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask what would be enforced, and start nothing."""
        path = made if isinstance(made, Path) else self.write(made)
        command = [self.stage.launcher, "--check", path, *program]
        return self.stage.run(command, **how)  # type: ignore[arg-type]

    def start_among_mounts(
        self,
        made: Artifact,
        arrange: Callable[[], None],
        *program: str | Path,
        options: Sequence[str | Path] = (),
        through: Sequence[str | Path] = (),
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Start in a mount namespace of its own, which root arranges first."""
        path = self.write(made)
        command = [*through, self.stage.launcher, *options, path, "--"]
        return self.run_among_mounts(
            [*command, *(program or ["/bin/true"])], arrange, env=env
        )

    def run_among_mounts(
        self,
        command: Sequence[str | Path],
        arrange: Callable[[], None],
        *,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in a mount namespace of its own, which root arranges first."""
        number = self.stage.user

        def become() -> None:
            assert LIBC.unshare(_NEW_MOUNTS) == 0
            assert LIBC.mount(None, b"/", None, _PRIVATE, None) == 0
            arrange()
            os.setgroups([])
            os.setresgid(number, number, number)
            os.setresuid(number, number, number)

        return subprocess.run(
            command,
            capture_output=True,
            preexec_fn=become,
            check=False,
            env={"HOME": "/nonexistent"} if env is None else env,
        )


def bind(source: Path | str, target: Path | str) -> None:
    """Show a folder or file under a second name."""
    done = LIBC.mount(os.fsencode(source), os.fsencode(target), None, _BIND, None)
    assert done == 0, os.strerror(ctypes.get_errno())


def tmpfs(target: Path | str) -> None:
    """Mount an empty file system in memory."""
    done = LIBC.mount(b"tmpfs", os.fsencode(target), b"tmpfs", 0, b"mode=0777")
    assert done == 0, os.strerror(ctypes.get_errno())


def reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return why a start was refused, after checking that it was, in one line."""
    assert done.returncode == REFUSED, done
    assert done.stdout == b"", done
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, done
    assert lines[0].startswith("stockade: "), done
    return lines[0].removeprefix("stockade: ")


def started(done: subprocess.CompletedProcess[bytes]) -> bytes:
    """Return what a program printed that was started and ended well."""
    assert done.returncode == 0, done
    assert done.stderr == b"", done
    return done.stdout
