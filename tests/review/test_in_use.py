# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Use stockade in a project as docs/ci.md says: make, hooks, steps of a CI.

Every piece is taken from the page and run in a repository made for it. What a step
sends elsewhere is caught by stand-ins for `gh` and `curl`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tree import ROOT

_PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
_POLICY = """\
version = 1
[filesystem]
read = ["/srv/in"]
"""
_HARMLESS = "# The folder that others fill.\n" + _POLICY
_DANGEROUS = _POLICY + '[network]\nip = "all"\n'
_TEXT = "sandbox/app.linux-x86_64.txt"


def _block(name: str) -> str:
    """Take the first code block after the line that begins with a file's name."""
    found = re.search(
        rf"^(?:A job of )?`{re.escape(name)}`.*?^```[a-z]+\n(.*?)^```$",
        _PAGE,
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None, name
    return found[1]


def _github_step(name: str) -> str:
    """Take the commands of one step of the workflow."""
    lines = _block(".github/workflows/policies.yml").splitlines()
    at = lines.index(f"      - name: {name}") + 1
    _, _, command = lines[at].partition("run: ")
    if command != "|":
        return command
    taken = []
    for line in lines[at + 1 :]:
        if not line.startswith(" " * 10):
            break
        taken.append(line[10:])
    return "\n".join(taken)


def _gitlab_commands() -> list[str]:
    """Take the commands of the job, which one shell runs one after another."""
    lines = _block(".gitlab-ci.yml").splitlines()
    first = lines.index("  script:") + 1
    commands = []
    for line in lines[first:]:
        if not line.startswith("    - "):
            break
        command = line.removeprefix("    - ")
        commands.append(command[1:-1] if command.startswith("'") else command)
    return commands


@dataclass
class _Project:
    """A project with one policy, its texts, and a branch `main` that has both."""

    root: Path
    environment: dict[str, str]

    def sh(self, script: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run commands as a step does: the first that fails ends it."""
        return subprocess.run(
            ["/bin/sh", "-e", "-c", script],
            cwd=self.root,
            env=self.environment | more,
            capture_output=True,
            text=True,
        )

    def well(self, script: str) -> str:
        """Run commands that must not fail."""
        done = self.sh(script)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def change(self, policy: str) -> None:
        """Commit another policy with its texts to a branch of its own."""
        self.write("sandbox/app.toml", policy)
        self.well("git checkout -qb change && make -f policies.mk policy-texts")
        self.well("git add -A && git commit -qm change")


@pytest.fixture
def project(tmp_path: Path) -> _Project:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    # The stand-ins write what they were given into the project.
    for name in ("gh", "curl"):
        tool = bin_ / name
        tool.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{name}.log\n')
        tool.chmod(0o755)
    (bin_ / "stockade").symlink_to(Path(sys.executable).parent / "stockade")
    environment = {
        "PATH": f"{bin_}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "x",
        "GIT_AUTHOR_EMAIL": "x@x",
        "GIT_COMMITTER_NAME": "x",
        "GIT_COMMITTER_EMAIL": "x@x",
        "TMPDIR": str(tmp_path),
    }
    made = _Project(tmp_path / "project", environment)
    made.root.mkdir()
    made.write("sandbox/app.toml", _POLICY)
    made.write("policies.mk", _block("policies.mk"))
    made.write("ci/review-policies", _block("ci/review-policies"))
    made.write(".gitignore", "build/\n*.log\n*.md\n")
    made.well("git init -qb main && make -f policies.mk policy-texts")
    made.well("git add -A && git commit -qm start")
    hook = made.write(".git/hooks/pre-commit", _block(".git/hooks/pre-commit"))
    hook.chmod(0o755)
    return made


def test_make_keeps_texts_and_builds_artifacts(project: _Project) -> None:
    assert _TEXT in project.well("git ls-files")
    project.well("make -f policies.mk policies")
    bundle = project.root / "build" / "app.linux-aarch64.stk"
    before = bundle.stat().st_mtime_ns
    project.well("make -f policies.mk policies policy-check")
    assert bundle.stat().st_mtime_ns == before
    policy = project.write("sandbox/app.toml", _DANGEROUS)
    os.utime(policy, ns=(before + 10**9, before + 10**9))
    project.well("make -f policies.mk policies")
    assert bundle.stat().st_mtime_ns > before
    done = project.sh("make -f policies.mk policy-check")
    assert done.returncode != 0
    assert f"+++ {_TEXT}" in done.stdout or _TEXT in done.stdout


def test_hook_judges_what_is_staged(project: _Project) -> None:
    project.write("sandbox/app.toml", _DANGEROUS)
    stale = project.sh("git commit -qam change")
    assert stale.returncode == 1
    assert "run `make policy-texts`" in stale.stderr
    assert _TEXT in stale.stdout + stale.stderr
    project.well("make -f policies.mk policy-texts")
    # The texts lie there, but are not staged yet.
    assert project.sh("git add sandbox/app.toml && git commit -qm x").returncode == 1
    project.well("git add -A && git commit -qm change")


def test_hook_lets_a_harmless_change_and_other_files_pass(project: _Project) -> None:
    project.write("sandbox/app.toml", _HARMLESS)
    project.write("other.c", "int main;\n")
    project.well("git add -A && git commit -qm comment")
    project.well("git rm -qr sandbox && git commit -qm none")


def test_hook_of_the_framework_does_the_same(project: _Project) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: (.*)$", hooks, re.MULTILINE)
    (files,) = re.findall(r"^  files: (.*)$", hooks, re.MULTILINE)
    assert re.search(files, _TEXT)
    assert "stockade-snapshot" in hooks
    assert "`stockade-snapshot`" in _PAGE
    command = shlex.join(shlex.split(entry))
    assert project.sh(command).returncode == 0
    project.write("sandbox/app.toml", _DANGEROUS)
    assert project.sh(command).returncode == 1


@pytest.mark.parametrize(
    ("policy", "status", "said"),
    [
        (_HARMLESS, 0, "no decision changes"),
        (_DANGEROUS, 1, "Newly allowed"),
        (_POLICY.replace("/srv/in", "/srv/in/deep"), 0, "Newly denied"),
    ],
    ids=["harmless", "dangerous", "narrower"],
)
def test_steps_for_github_comment_and_judge(
    project: _Project, policy: str, status: int, said: str
) -> None:
    project.change(policy)
    for name in ("Check texts", "Compile"):
        project.well(_github_step(name))
    done = project.sh(
        _github_step("Review"),
        BASE="main",
        NUMBER="7",
        GITHUB_STEP_SUMMARY="summary.md",
    )
    assert done.returncode == status, done.stderr
    comment = (project.root / "comment.md").read_text()
    assert comment.startswith("## sandbox/app.toml\n")
    assert said in comment
    assert (project.root / "summary.md").read_text() == comment
    words = ["pr", "comment", "7", "--body-file", "comment.md"]
    assert (project.root / "gh.log").read_text().splitlines() == words


@pytest.mark.parametrize(("policy", "status"), [(_HARMLESS, 0), (_DANGEROUS, 1)])
def test_job_for_gitlab_comments_and_judges(
    project: _Project, policy: str, status: int
) -> None:
    project.change(policy)
    done = project.sh(
        "\n".join(_gitlab_commands()),
        CI_MERGE_REQUEST_DIFF_BASE_SHA="main",
        CI_API_V4_URL="https://example/api",
        CI_PROJECT_ID="3",
        CI_MERGE_REQUEST_IID="7",
        REVIEW_TOKEN="secret",
    )
    assert done.returncode == status, done.stderr
    sent = (project.root / "curl.log").read_text().splitlines()
    assert sent[-1] == "https://example/api/projects/3/merge_requests/7/notes"
    assert "body@review.md" in sent
    review = (project.root / "review.md").read_text()
    assert ("Newly allowed" in review) == (status == 1)


def test_check_stops_at_a_text_that_is_out_of_date(project: _Project) -> None:
    project.write("sandbox/app.toml", _DANGEROUS)
    assert project.sh(_github_step("Check texts")).returncode == 1
    assert project.sh("\n".join(_gitlab_commands())).returncode == 1
    assert not (project.root / "curl.log").exists()


def test_new_and_removed_policies_are_reviewed(project: _Project) -> None:
    project.write("sandbox/new.toml", _DANGEROUS)
    project.well("git checkout -qb change && git rm -q 'sandbox/app.*'")
    project.well("make -f policies.mk policy-texts && git add -A && git commit -qm x")
    done = project.sh("sh ci/review-policies main")
    assert done.returncode == 1, done.stderr
    assert "## sandbox/new.toml" in done.stdout
    assert "Newly allowed" in done.stdout
    assert "## sandbox/app.toml\n\nThis policy is gone." in done.stdout


def test_a_policy_that_is_refused_is_no_harmless_one(project: _Project) -> None:
    project.write("sandbox/app.toml", "version = 1\n[network]\nip = 3\n")
    done = project.sh("sh ci/review-policies main")
    assert done.returncode == 125
    assert "sandbox/app.toml" in done.stderr
