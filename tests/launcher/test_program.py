# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Execute the program, its interpreter and its loader, and no file beside them."""

from __future__ import annotations

import os
import shutil
import signal
import struct
from pathlib import Path

import pytest
from launcher_scene import PYTHON, Scene, artifact, reason, started

_MACHINE = 62 if os.uname().machine == "x86_64" else 183


def _script(scene: Scene, text: str, name: str = "script") -> Path:
    return scene.file(name, text, 0o755)


def test_program_needs_no_grant(scene: Scene) -> None:
    """S1-297 read and execute, for that file."""
    program = scene.root / "printf"
    shutil.copy("/usr/bin/printf", program)
    program.chmod(0o755)
    scene.stage.give(program)
    assert started(scene.start(artifact(), program, "x")) == b"x"


def test_neighbour_gets_nothing(scene: Scene) -> None:
    """S1-298 neither opening nor starting."""
    shutil.copy("/bin/true", scene.root / "neighbour")
    (scene.root / "neighbour").chmod(0o755)
    script = _script(
        scene,
        "#!/bin/sh\n"
        'read line < "${0%script}neighbour" && echo opened\n'
        '"${0%script}neighbour" && echo started\n',
    )
    done = scene.start(artifact(), script)
    assert done.stdout == b""
    assert done.stderr.count(b"Permission denied") == 2


@pytest.mark.parametrize(
    "line", ["#!/bin/sh", "#! /bin/sh", "#!\t/bin/sh\t", "#!/bin/sh -e", "#!/bin/sh "]
)
def test_interpreter_of_a_script_is_granted(scene: Scene, line: str) -> None:
    """S1-315 named by the `#!` line, one level deep."""
    script = _script(scene, f"{line}\necho fine\n")
    assert started(scene.start(artifact(), script)) == b"fine\n"


def test_script_without_a_line_end_works_as_in_the_kernel(scene: Scene) -> None:
    script = _script(scene, "#!/bin/true")
    assert started(scene.start(artifact(), script)) == b""


def test_line_as_long_as_the_kernel_reads(scene: Scene) -> None:
    folder = scene.folder("f" * 100)
    prefix = f"#!{folder}/"
    for length, accepted in ((255, True), (256, False)):
        # The kernel reads 256 bytes; the path ends at a blank within them.
        name = "i" * (length - len(prefix))
        shutil.copy("/bin/true", folder / name)
        scene.stage.give(folder)
        script = _script(scene, f"{prefix}{name}\n", f"script{length}")
        done = scene.start(artifact(), script)
        if accepted:
            assert started(done) == b""
        else:
            assert "does not name an absolute path" in reason(done)


REFUSED_SCRIPTS = (
    ("#!bin/sh\n", "the `#!` line of `{}` does not name an absolute path"),
    ("#!\n", "the `#!` line of `{}` does not name an absolute path"),
    ("#!   \t\n", "the `#!` line of `{}` does not name an absolute path"),
    ("#!/nonexistent/sh\n", "the path `/nonexistent/sh` (interpreter) does not exist"),
    ("#!/usr\n", "`/usr` is not a regular file"),
    ("#!/etc/passwd\n", "the interpreter `/etc/passwd` cannot be executed: EACCES"),
    ("echo no line\n", "the program `{}` is neither an ELF file nor a script"),
    ("", "the program `{}` is neither an ELF file nor a script"),
)


@pytest.mark.parametrize(("text", "expected"), REFUSED_SCRIPTS)
def test_odd_scripts_are_refused(scene: Scene, text: str, expected: str) -> None:
    script = _script(scene, text)
    done = scene.start(artifact(), script)
    assert reason(done) == expected.replace("{}", str(script))


def test_script_that_names_a_script_is_refused(scene: Scene) -> None:
    inner = _script(scene, "#!/bin/sh\n", "inner")
    outer = _script(scene, f"#!{inner}\n", "outer")
    text = reason(scene.start(artifact(), outer))
    assert text == f"the interpreter `{inner}` is a script itself"


def _elf(**changes: int | bytes) -> bytes:
    """Return the start of an ELF file with one loader, fields replaced."""
    fields = {
        "magic": b"\x7fELF",
        "class": 2,
        "data": 1,
        "type": 3,
        "machine": _MACHINE,
        "headers_at": 64,
        "header_size": 56,
        "header_count": 1,
        "kind": 3,
        "loader_at": 120,
        "loader_size": 12,
        "loader": b"/bin/true\0\0\0",
        **changes,
    }
    loader = fields["loader"]
    assert isinstance(loader, bytes)
    head = struct.pack(
        "<4sBBB9xHHIQQQIHHHHHH",
        *(fields["magic"], fields["class"], fields["data"], 1),
        *(fields["type"], fields["machine"], 1, 0, fields["headers_at"], 0, 0),
        *(64, fields["header_size"], fields["header_count"], 0, 0, 0),
    )
    size = fields["loader_size"]
    header = struct.pack(
        "<IIQQQQQQ", fields["kind"], 4, fields["loader_at"], 0, 0, size, size, 1
    )
    return head + header + loader


REFUSED_PROGRAMS: tuple[tuple[dict[str, int | bytes], str], ...] = (
    ({"class": 1}, "`{}` is not an ELF program of this machine"),
    ({"data": 2}, "`{}` is not an ELF program of this machine"),
    ({"type": 1}, "`{}` is not an ELF program of this machine"),
    ({"type": 4}, "`{}` is not an ELF program of this machine"),
    ({"machine": 3}, "`{}` is not an ELF program of this machine"),
    ({"header_size": 32}, "the ELF file `{}` has 1 program headers"),
    ({"header_count": 0}, "the ELF file `{}` has 0 program headers; 1 to 128 are"),
    ({"header_count": 129}, "the ELF file `{}` has 129 program headers"),
    ({"header_count": 3}, "the ELF file `{}` is cut short"),
    ({"headers_at": 2**63}, "the ELF file `{}` is cut short"),
    ({"headers_at": 90}, "the ELF file `{}` is cut short"),
    ({"loader_at": 2**31}, "the ELF file `{}` is cut short"),
    ({"loader_at": 125}, "the ELF file `{}` is cut short"),
    ({"loader_size": 1}, "the ELF file `{}` names no proper loader"),
    ({"loader_size": 4097}, "the ELF file `{}` names no proper loader"),
    ({"loader": b"/bin/trueXXX"}, "the ELF file `{}` names no proper loader"),
    ({"loader": b"bin/true\0\0\0\0"}, "the ELF file `{}` names no proper loader"),
    ({"loader": b"/nonexist\0\0\0"}, "the path `/nonexist` (loader) does not exist"),
    ({"loader": b"/etc/passwd\0"}, "the loader `/etc/passwd` cannot be executed"),
    ({"loader": b"/usr\0\0\0\0\0\0\0\0"}, "`/usr` is not a regular file"),
)


@pytest.mark.parametrize(("changes", "expected"), REFUSED_PROGRAMS)
def test_odd_programs_are_refused(
    scene: Scene, changes: dict[str, int | bytes], expected: str
) -> None:
    program = scene.root / "program"
    program.write_bytes(_elf(**changes))
    program.chmod(0o755)
    scene.stage.give(program)
    text = reason(scene.start(artifact(), program))
    assert text.startswith(expected.replace("{}", str(program)))


def test_program_that_the_kernel_cannot_start_ends_in_a_refusal(scene: Scene) -> None:
    """The one failure that comes after everything is confined."""
    program = scene.root / "program"
    program.write_bytes(_elf(kind=1))
    program.chmod(0o755)
    scene.stage.give(program)
    done = scene.start(artifact(), program)
    # Without a segment to load the kernel may end the process instead.
    assert done.returncode in (125, -signal.SIGSEGV, -signal.SIGKILL)
    if done.returncode == 125:
        assert reason(done).startswith(f"cannot start `{program}`: ")


def test_missing_program_is_refused(scene: Scene) -> None:
    missing = scene.root / "missing"
    text = reason(scene.start(artifact(), missing))
    assert text == f"the path `{missing}` (program) does not exist"


def test_program_that_may_not_be_executed_is_refused(scene: Scene) -> None:
    program = scene.file("program", "#!/bin/sh\n", 0o644)
    text = reason(scene.start(artifact(), program))
    assert text == f"the program `{program}` cannot be executed: EACCES"


def test_program_that_cannot_be_read_is_refused(scene: Scene) -> None:
    """Its loader is named inside."""
    program = _script(scene, "#!/bin/sh\n")
    program.chmod(0o311)
    text = reason(scene.start(artifact(), program))
    assert text == f"`{program}` cannot be read: EACCES"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_program_is_a_regular_file(scene: Scene, kind: str) -> None:
    path = scene.root / "odd"
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path, 0o755)
    scene.stage.give(path)
    text = reason(scene.start(artifact(), path))
    assert text == f"`{path}` is not a regular file"


@pytest.mark.parametrize("how", ["inside", "link", "interpreter"])
def test_program_does_not_lie_where_it_could_write(scene: Scene, how: str) -> None:
    """S1-299 nor does its interpreter."""
    folder = scene.folder("folder")
    tool = folder / "tool"
    if how == "link":
        tool.symlink_to("/bin/true")
    else:
        shutil.copy("/bin/true", tool)
        tool.chmod(0o755)
    scene.stage.give(folder)
    program = tool
    if how == "interpreter":
        program = _script(scene, f"#!{tool}\n")
    text = reason(scene.start(artifact({"read_write": [folder]}), program))
    role = "interpreter" if how == "interpreter" else "program"
    expected = f"`{tool}` ({role}) lies inside `{folder}` (read_write)"
    if how == "link":
        expected = f"`{tool}` is reached through the link `tool` in `{folder}`"
    assert text.startswith(expected)


def test_program_reached_by_a_link_elsewhere_starts(scene: Scene) -> None:
    link = scene.root / "link"
    link.symlink_to(PYTHON)
    scene.stage.give(link)
    done = scene.start(artifact(), link, "-ESc", "print(1)")
    assert started(done) == b"1\n"
