# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Print a check as one object that other programs read."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest
from launcher_scene import (
    CHMODAT,
    EFAULT,
    EPERM,
    FEATURES,
    READ_CANARY,
    VARIANT,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
)

from stockade.model.artifact import (
    Artifact,
    Feature,
    Operand,
    Probe,
    Requirement,
    WarningLine,
)

NEVER = "landlock-erratum-8"
FILES = VARIANT.requirements[0]
MODES = Requirement("modes", "modes kept", "filter", ("seccomp-filter",))
PLAIN = Requirement("descriptors-closed", "only 0, 1 and 2", "closed", ())
CHMOD = replace(
    probe("chmod", call(CHMODAT, number(-1), Operand()), EPERM, EFAULT),
    requirement="modes",
)


def made(*probes: Probe, more: tuple[Requirement, ...] = (), **fields: object):  # noqa: ANN201
    variant = {
        "probes": probes,
        "filter": filter_of((CHMODAT, EPERM)),
        "requirements": (FILES, MODES, PLAIN, *more),
    }
    return artifact(variant=variant, **fields)


def ask(
    scene: Scene, checked: Artifact, *options: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the check with an object as its output."""
    path = scene.write(checked)
    return scene.stage.run([scene.stage.launcher, "--check", "--json", *options, path])


def read(done: subprocess.CompletedProcess[bytes]) -> dict:
    """Return the one object, which is one line, after checking its keys."""
    assert done.stderr == b"", done
    text = done.stdout.decode("utf-8", "strict")
    assert text.count("\n") == 1, text
    assert text.endswith("}\n"), text
    found = json.loads(text)
    assert list(found) == [
        "backend",
        "selected",
        "setup_would_help",
        "levels",
        "warnings",
        "warning_ids",
    ]
    for level in found["levels"]:
        assert list(level) == [
            "name",
            "enforceable",
            "needs_setup",
            "enforced",
            "missing",
            "warnings",
            "warning_ids",
        ]
        for line in level["enforced"]:
            assert list(line) == ["requirement", "mechanism", "proved"]
        for line in level["missing"]:
            assert list(line) == ["requirement", "status", "reason"]
    return found


def test_object_of_what_is_enforced(scene: Scene) -> None:
    """S1-145 S2-279 S2-281 S2-282 S2-283 S2-284 S2-288"""
    done = ask(scene, made(READ_CANARY, CHMOD))
    assert done.returncode == 0
    found = read(done)
    (level,) = found.pop("levels")
    assert found == {
        "backend": "linux",
        "selected": "base",
        "setup_would_help": False,
        "warnings": [],
        "warning_ids": [],
    }
    enforced = level.pop("enforced")
    assert level == {
        "name": "base",
        "enforceable": True,
        "needs_setup": False,
        "missing": [],
        "warnings": [],
        "warning_ids": [],
    }
    assert enforced[0].pop("mechanism").startswith("Landlock; landlock rights 0x")
    assert enforced == [
        {"requirement": "filesystem-confined", "proved": True},
        {"requirement": "modes", "mechanism": "filter", "proved": True},
        {"requirement": "descriptors-closed", "mechanism": "closed", "proved": False},
    ]


def test_object_says_the_same_as_the_table(scene: Scene) -> None:
    """S1-145 states, reasons and status."""
    never = Requirement("never", "never there", "nothing", (NEVER,))
    text = Feature(NEVER, (), "no kernel has it", "wait for one")
    for probes, more, status in (
        ((READ_CANARY, CHMOD), (), 0),
        ((READ_CANARY, replace(CHMOD, expected_errno=99)), (), 1),
        ((), (never,), 1),
    ):
        checked = made(*probes, more=more, features=(*FEATURES, text))
        if more:
            (level,) = checked.levels
            (variant,) = level.variants
            must = (*variant.must, NEVER)
            changed = replace(level, variants=(replace(variant, must=must),))
            checked = replace(checked, levels=(changed,))
        table = scene.check(checked)
        done = ask(scene, checked)
        assert (table.returncode, done.returncode) == (status, status)
        found = read(done)
        (level,) = found["levels"]
        assert level["enforceable"] is (status == 0)
        assert found["selected"] == ("base" if status == 0 else None)
        title = {one.name: one.title for one in (FILES, MODES, PLAIN, never)}
        lines = [
            f"enforced     {title[one['requirement']]}: {one['mechanism']}"
            for one in level["enforced"]
        ] + [
            f"UNAVAILABLE  {title[one['requirement']]}: {one['reason']}"
            for one in level["missing"]
        ]
        assert {one["status"] for one in level["missing"]} <= {"unavailable"}
        assert sorted(lines) == sorted(table.stdout.decode().splitlines()[1:])


@pytest.mark.needs("release-launcher")
def test_three_answers_of_proof(scene: Scene) -> None:
    """S2-388 proved, denied outside already, and not tried."""
    path = scene.keep(scene.write(made(READ_CANARY, CHMOD, canary_folders=()), "in"))
    grants = {
        "read": [scene.root, "/etc/passwd"],
        "read_exec": ["/usr/lib", scene.stage.launcher.parent],
    }
    outer = artifact(grants, variant={"filter": filter_of((CHMODAT, EPERM))})
    done = scene.start(outer, scene.stage.launcher, "--check", "--json", path)
    assert done.returncode == 0, done
    (level,) = read(done)["levels"]
    proofs = {one["requirement"]: one["proved"] for one in level["enforced"]}
    assert proofs == {
        "filesystem-confined": False,
        "modes": "outside",
        "descriptors-closed": False,
    }


def test_warnings_of_policy_and_caller_are_apart(scene: Scene) -> None:
    """S1-146 S2-285 S2-286 without prefix and identifier, in order."""
    checked = made(warnings=(WarningLine("one", "first"), WarningLine("two", "second")))
    options = ["--warning", "three=third = x", "--warning", "four="]
    found = read(ask(scene, checked, *options))
    assert found["warnings"] == ["third = x", ""]
    assert found["warning_ids"] == ["three", "four"]
    assert found["levels"][0]["warnings"] == ["first", "second"]
    assert found["levels"][0]["warning_ids"] == ["one", "two"]
    path = scene.write(checked)
    done = scene.stage.run([scene.stage.launcher, "--check", *options, path])
    assert done.stderr.decode().splitlines() == [
        "warning: [one] first",
        "warning: [two] second",
        "warning: [three] third = x",
        "warning: [four] ",
    ]


@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        (b'quote " and \\ and /', 'quote " and \\ and /'),
        (
            b"tab\t newline\n escape\x1b delete\x7f",
            "tab\t newline\n escape\x1b delete\x7f",
        ),
        ("ä € 😀 \u2028".encode(), "ä € 😀 \u2028"),
        (b"latin \xe4 alone", "latin \ufffd alone"),
        (b"cut \xe2\x82", "cut \ufffd\ufffd"),
        (b"overlong \xc0\xaf", "overlong \ufffd\ufffd"),
        (b"surrogate \xed\xa0\x80", "surrogate \ufffd\ufffd\ufffd"),
        (b"above \xf4\x90\x80\x80", "above \ufffd\ufffd\ufffd\ufffd"),
        (b"long \xe0\x80\xaf", "long \ufffd\ufffd\ufffd"),
    ],
)
def test_any_bytes_become_a_string(scene: Scene, given: bytes, read_as: str) -> None:
    """S1-145 what comes from outside breaks neither line nor encoding."""
    path = scene.write(made())
    command = [scene.stage.launcher, "--check", "--json", "--warning", b"x=" + given]
    (text,) = read(scene.stage.run([*command, path]))["warnings"]
    assert text == read_as


def test_nothing_is_printed_with_125(scene: Scene) -> None:
    """S2-279 a conflict has its reason on standard error."""
    folder = scene.folder("folder")
    checked = replace(made(), grants=artifact({"read_exec": [folder]}).grants)
    assert ask(scene, checked).returncode == 0
    grants = artifact({"read_exec": [folder], "read_write": [folder]}).grants
    text = reason(ask(scene, replace(checked, grants=grants)))
    assert text == f"`{folder}` (read_exec) is the same as `{folder}` (read_write)"
    missing = artifact({"read": [scene.root / "missing"]}).grants
    assert "does not exist" in reason(ask(scene, replace(checked, grants=missing)))


def test_object_that_cannot_be_written_is_no_verdict(scene: Scene) -> None:
    path = scene.write(made())
    shell = 'exec "$0" --check --json "$1" >/dev/full'
    done = scene.stage.run(["/bin/sh", "-c", shell, scene.stage.launcher, path])
    assert reason(done) == "cannot write to standard output"
