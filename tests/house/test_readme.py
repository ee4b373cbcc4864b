# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the README to what the product does: its example, its output, its commands."""

from __future__ import annotations

import re

from tree import ROOT

from stage import Stage

_README = (ROOT / "README.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    match = re.search(rf"^```{language}\n(.*?)^```$", _README, re.MULTILINE | re.DOTALL)
    assert match is not None
    return match[1]


def _titles(text: str) -> list[str]:
    """Name the requirements of a check; mechanisms differ from kernel to kernel."""
    return re.findall(r"^(?:enforced|UNAVAILABLE) {2,5}([^:]+):", text, re.MULTILINE)


def test_example_is_checked_as_the_readme_shows(stage: Stage) -> None:
    folder = stage.folder("notes")
    policy = _block("toml").replace("/srv/notes", str(folder))
    done = stage.run([stage.launcher, "--check", stage.compile(policy, "notes")])
    shown = _titles(_block("console"))
    assert shown == _titles(done.stdout.decode())
    assert len(shown) > 5


def test_example_runs(stage: Stage) -> None:
    """With its folder the program works, and beside it nothing can be read."""
    folder = stage.folder("notes")
    policy = _block("toml").replace("/srv/notes", str(folder))
    command = "create table note (t); insert into note values (7); select * from note"
    database = folder / "notes.db"
    done = stage.launch(policy, "/usr/bin/sqlite3", str(database), command)
    assert (done.returncode, done.stdout) == (0, b"7\n"), done.stderr
    outside = stage.run(["/usr/bin/cat", "/etc/passwd"])
    assert outside.returncode == 0
    inside = stage.launch(policy, "/usr/bin/cat", "/etc/passwd")
    assert (inside.returncode, inside.stdout) == (1, b"")


def test_named_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", makefile, re.MULTILINE)
    named = re.findall(r"\bmake ([a-z]+)\b", _README)
    assert sorted({*named} - {*targets}) == []
    assert {"demo", "test"} <= {*named}


def test_first_instruction_installs_what_cloning_needs() -> None:
    first = _README.split("\n\n")[1]
    assert "apt-get install -y git make" in first
