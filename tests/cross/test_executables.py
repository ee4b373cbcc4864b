# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the programs for six systems to what their headers must say.

Only the headers are read: none of the macOS programs, and not the Windows one for
aarch64, was ever started.
"""

from __future__ import annotations

from pathlib import Path

import executables
import pytest

from stage import REPOSITORY

pytestmark = pytest.mark.needs("ziglang")

_LINUX = {"x86_64-linux-musl": 62, "aarch64-linux-musl": 183}
_MACOS = {"x86_64-macos": 0x01000007, "aarch64-macos": 0x0100000C}
_WINDOWS = {"x86_64-windows-gnu": 0x8664, "aarch64-windows-gnu": 0xAA64}
_ALL = {**_LINUX, **_MACOS, **_WINDOWS}
_MOST_BYTES = 250_000
# What starts a program, confines one or changes who may do what. The programs that
# enforce nothing have no use for any of it.
_STARTS = {
    *("CreateProcessA", "CreateProcessW", "CreateProcessAsUserW", "ShellExecuteW"),
    *("SetNamedSecurityInfoW", "SetSecurityInfo", "CreateAppContainerProfile"),
    *("CreateJobObjectW", "LoadLibraryA", "LoadLibraryW", "system", "_wsystem"),
    *("_execve", "_execv", "_fork", "_posix_spawn", "_system", "_popen", "_dlopen"),
    *("_sandbox_init", "_sandbox_init_with_parameters"),
}


def _path(folder: Path, target: str) -> Path:
    suffix = ".exe" if target in _WINDOWS else ""
    return folder / target / f"stockade-launch{suffix}"


@pytest.mark.parametrize("target", _ALL)
def test_program_is_for_the_machine_it_names(built: Path, target: str) -> None:
    """S1-357: six programs, each movable in memory, with no writable code."""
    content = _path(built, target).read_bytes()
    program = executables.read(content)
    kind = "elf" if target in _LINUX else "mach-o" if target in _MACOS else "pe"
    assert (program.format, program.machine) == (kind, _ALL[target])
    assert program.movable
    assert not program.writable_code
    assert len(content) < _MOST_BYTES


def test_no_further_target_is_built(built: Path) -> None:
    assert sorted(path.name for path in built.iterdir() if path.name != "cache") == (
        sorted(_ALL)
    )


@pytest.mark.parametrize("target", _LINUX)
def test_linux_programs_are_static(built: Path, target: str) -> None:
    """S2-410: no loader is named, so no library can be."""
    program = executables.read(_path(built, target).read_bytes())
    assert program.details == {"interpreter": False, "relro": True}
    assert program.libraries == ()


def test_reader_tells_a_dynamic_program() -> None:
    """The other tests could not fail if the reader saw neither."""
    program = executables.read(Path("/bin/sh").resolve().read_bytes())
    assert program.details["interpreter"] is True
    assert program.libraries != ()


@pytest.mark.parametrize("target", _MACOS)
def test_macos_programs_need_the_system_alone(built: Path, target: str) -> None:
    """S2-410: one library, which every macOS since 11.0 has; platform 1 is macOS."""
    program = executables.read(_path(built, target).read_bytes())
    assert program.libraries == ("/usr/lib/libSystem.B.dylib",)
    assert {"_open", "_fstat", "_write"} <= {
        name.partition("$")[0] for name in program.imports
    }
    assert program.details["program"] is True
    assert (program.details["platform"], program.details["oldest"]) == (1, (11, 0))
    # Apple silicon runs nothing unsigned; a signature of its own is enough.
    signed = "stockade-launch" if target == "aarch64-macos" else None
    assert program.details["signature"] == signed


@pytest.mark.parametrize("target", _WINDOWS)
def test_windows_programs_need_the_system_alone(built: Path, target: str) -> None:
    """S2-410: what else Windows has is looked up by name, when it is wanted."""
    program = executables.read(_path(built, target).read_bytes())
    others = {
        name
        for name in program.libraries
        if not name.lower().startswith("api-ms-win-crt-")
    }
    assert {name.lower() for name in others} == {"kernel32.dll", "bcrypt.dll"}
    assert {"CreateFileW", "WriteFile", "BCryptHash"} <= program.imports
    assert program.details == {"console": True, "no_execution_of_data": True}


@pytest.mark.parametrize("target", [*_MACOS, *_WINDOWS])
def test_what_enforces_nothing_can_start_nothing(built: Path, target: str) -> None:
    """S2-400: and cannot pretend to confine, for want of the calls."""
    program = executables.read(_path(built, target).read_bytes())
    assert program.imports
    assert not program.imports & _STARTS


@pytest.mark.parametrize("target", _ALL)
def test_nothing_tells_where_it_was_built(built: Path, target: str) -> None:
    content = _path(built, target).read_bytes()
    assert b"stockade-launch" in content
    for place in (str(REPOSITORY), "/zig/", "ziglang", ".cache"):
        assert place.encode() not in content, place
        assert place.encode("utf-16-le") not in content, place


@pytest.mark.parametrize("target", _ALL)
def test_two_folders_give_the_same_bytes(
    built: Path, built_elsewhere: Path, target: str
) -> None:
    """S2-407: zig's own libraries are shared; our sources were built twice."""
    assert built_elsewhere != built
    # Both folders hold what was made of every source there.
    assert any((built_elsewhere / "cache" / "o").iterdir())
    first, second = _path(built, target), _path(built_elsewhere, target)
    assert first.read_bytes() == second.read_bytes()
