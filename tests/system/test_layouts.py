# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start a reader in rebuilt distributions: what the system set opens, and what not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from layouts import LAYOUTS, Layout

from stage import REPOSITORY, Stage
from stockade.model.system_set import READABLE, WRITABLE

_HERE = Path(__file__).parent
_POLICY = 'version = 1\n[network]\nip = "{ip}"\n'
_DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "urandom": (1, 9)}


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Path:
    """Build the reader, static, since most layouts have no library for it."""
    built = stage.root / "reader.built"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-static", "-o", built, _HERE / "reader.c"], check=True
    )
    return built


def _plant(root: Path, tree: dict[str, str]) -> None:
    for name, text in tree.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.unlink(missing_ok=True)
            path.symlink_to(text.removeprefix("-> "))
        else:
            path.write_text(text)
    for folder in ("dev", "tmp", "bin"):
        (root / folder).mkdir(exist_ok=True)
    (root / "tmp").chmod(0o1777)
    for name, numbers in _DEVICES.items():
        os.mknod(root / "dev" / name, 0o20666, os.makedev(*numbers))
        (root / "dev" / name).chmod(0o666)


def _read(
    stage: Stage, root: Path, reader: Path, bundle: Path | None, paths: tuple[str, ...]
) -> dict[str, str]:
    """Read paths in a root folder, as the unprivileged user, confined or not."""
    shutil.copy(reader, root / "bin" / "reader")
    command = ["/bin/reader", *paths]
    if bundle:
        shutil.copy(stage.launcher, root / "bin" / "launch")
        shutil.copy(bundle, root / "policy.stk")
        command = ["/bin/launch", "/policy.stk", "--", *command]
    jail = ["chroot", f"--userspec={stage.user}:{stage.group}", "--groups=", root]
    done = subprocess.run(
        [*jail, *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.needs("root-user")
@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_has_what_programs_and_clients_need(
    stage: Stage, reader: Path, name: str
) -> None:
    """S1-301 S1-303 S1-308 S1-309 S2-009: outside all, inside what the key says."""
    layout: Layout = LAYOUTS[name]
    root = stage.root / name
    root.mkdir()
    _plant(root, layout.tree)
    paths = (*layout.network, *layout.always, *layout.closed)
    opened = {"read", "listed"}
    outside = _read(stage, root, reader, None, paths)
    assert set(outside.values()) <= opened, outside
    for ip in ("none", "client", "all"):
        bundle = stage.compile(_POLICY.format(ip=ip), f"ip-{ip}")
        inside = _read(stage, root, reader, bundle, paths)
        for path in layout.always:
            assert inside[path] in opened, (ip, path)
        for path in layout.closed:
            assert inside[path] == "EACCES", (ip, path)
        for path in layout.network:
            # What lies among the libraries is no more secret than they are.
            known = path.startswith("/usr/lib/") or name == "nixos"
            if ip == "none" and not known:
                assert inside[path] == "EACCES", path
            elif ip != "none":
                assert inside[path] in opened, (ip, path)


@pytest.mark.needs("root-user")
def test_replaced_resolver_file(stage: Stage, reader: Path) -> None:
    """S2-019 S2-020: read on in a resolver's folder; a plain file from a new start."""
    bundle = stage.compile(_POLICY.format(ip="client"), "client")
    for name, kept in (("ubuntu-resolved", True), ("arch", False)):
        root = stage.root / f"replaced-{name}"
        root.mkdir()
        _plant(root, LAYOUTS[name].tree)
        real = (root / "etc/resolv.conf").readlink() if kept else None
        target = root / "run/systemd/resolve" / real.name if real else None
        file = target or root / "etc/resolv.conf"
        new = file.with_name("new")
        new.write_text("nameserver 192.0.2.54")
        answers = _read_while_replaced(stage, root, reader, bundle, file, new)
        assert answers == ["read", "read" if kept else "EACCES"]
        again = _read(stage, root, reader, bundle, ("/etc/resolv.conf",))
        assert again == {"/etc/resolv.conf": "read"}


def _read_while_replaced(
    stage: Stage, root: Path, reader: Path, bundle: Path, file: Path, new: Path
) -> list[str]:
    """Have a confined reader open the file before and after it is replaced."""
    for source, target in (
        (reader, "bin/reader"),
        (stage.launcher, "bin/launch"),
        (bundle, "policy.stk"),
    ):
        shutil.copy(source, root / target)
    jail = ["chroot", f"--userspec={stage.user}:{stage.group}", "--groups=", root]
    command = [*jail, "/bin/launch", "/policy.stk", "--", "/bin/reader", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin
        assert process.stdout
        answers = []
        for _ in range(2):
            process.stdin.write("/etc/resolv.conf\n")
            process.stdin.flush()
            answers.append(process.stdout.readline().split()[-1])
            if new.exists():
                new.rename(file)
        process.stdin.close()
    return answers


def test_page_lists_the_set_of_the_code() -> None:
    """S1-304: every path with what it is for and where it is found, in order."""
    text = (REPOSITORY / "docs" / "system-set.md").read_text()
    rows = re.findall(
        r"^\| `([^`]+)`(, also to write)? \| (.+) \| (.+) \|$", text, re.MULTILINE
    )
    assert rows == [
        *((row.path, "", row.purpose, row.systems) for row in READABLE),
        *((row.path, ", also to write", row.purpose, row.systems) for row in WRITABLE),
    ]


def test_no_path_stands_twice_or_below_another() -> None:
    paths = [row.path for row in (*READABLE, *WRITABLE)]
    assert len(paths) == len(set(paths))
    below = [
        (one, other) for one in paths for other in paths if one.startswith(f"{other}/")
    ]
    assert below == []
