# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check `verify` and `disasm`: a bundle is judged and shown from its file alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from policies import KEY_COMBINATIONS, label
from stockade.abi.arch import LINUX_TARGETS
from stockade.artifact.write import checked_bytes
from stockade.driver.compile import compile_policy, targets
from stockade.driver.linux import build_linux
from stockade.driver.linux_claim import claimed_policy
from stockade.driver.macos import build_macos
from stockade.driver.windows import build_windows
from stockade.model.artifact import Artifact
from stockade.model.key_rows import KeyRow
from stockade.model.policy import Access, Children, Grant, Ip, Policy

_STRICT = KEY_COMBINATIONS[0]


def _stockade(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("stockade")), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_a_bundle_claims_the_policy_it_was_made_from(
    policy: Policy, target: str
) -> None:
    assert claimed_policy(build_linux(policy, "x", target)) == policy


def test_a_bundle_is_proved_from_its_file_alone(tmp_path: Path) -> None:
    policy = replace(_STRICT, appcontainer_name="example.app", grants=())
    for target in targets():
        bundle = tmp_path / f"{target}.stk"
        bundle.write_bytes(compile_policy(policy, "x", target).bundle)
        done = _stockade("verify", str(bundle))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{target}: ")


def _with_filters_of(artifact: Artifact, other: Artifact) -> Artifact:
    level = artifact.levels[0]
    filters = {variant.name: variant.filter for variant in other.levels[0].variants}
    variants = tuple(
        replace(variant, filter=filters.get(variant.name, variant.filter))
        for variant in level.variants
    )
    return replace(artifact, levels=(replace(level, variants=variants),))


def _bare(artifact: Artifact, *concessions: str) -> Artifact:
    """Leave the probes out, and say that this or that is given up."""
    level = artifact.levels[0]
    variants = tuple(replace(variant, probes=()) for variant in level.variants)
    return replace(
        artifact,
        levels=(replace(level, variants=variants),),
        concessions=concessions,
    )


def test_a_bundle_without_probes_is_found_out_unless_it_says_so(
    tmp_path: Path,
) -> None:
    """GL-001: what is left out of the check is told by `verify`, and named."""
    artifact = build_linux(_STRICT, "x", "linux-x86_64")
    bundle = tmp_path / "forged.stk"
    unnamed = (
        _bare(artifact),
        _bare(artifact, "ipc-shared"),
        replace(artifact, concessions=("self-check-off",)),
    )
    for forged in unnamed:
        bundle.write_bytes(checked_bytes(forged))
        done = _stockade("verify", str(bundle))
        assert done.returncode == 1, forged.concessions
    bundle.write_bytes(checked_bytes(_bare(artifact, "self-check-off")))
    done = _stockade("verify", str(bundle))
    assert (done.returncode, done.stderr) == (0, "")
    assert "gives up self-check-off" in done.stdout


def test_a_bundle_that_does_less_than_it_claims_is_found_out(tmp_path: Path) -> None:
    """The parser accepts it, the proof does not, and names a call that shows it."""
    lax = replace(_STRICT, ip=Ip.ALL)
    artifact = build_linux(_STRICT, "x", "linux-x86_64")
    forged = _with_filters_of(artifact, build_linux(lax, "x", "linux-x86_64"))
    bundle = tmp_path / "forged.stk"
    bundle.write_bytes(checked_bytes(forged))
    done = _stockade("verify", str(bundle))
    assert done.returncode == 1
    assert "is not what it claims" in done.stderr
    assert "the policy means errno" in done.stderr
    assert done.stdout == ""


def test_a_grant_beyond_the_claims_is_found_out(tmp_path: Path) -> None:
    artifact = build_linux(_STRICT, "x", "linux-x86_64")
    classes = tuple(
        replace(entry, rights=entry.rights | 1) if entry.name == "read_write" else entry
        for entry in artifact.classes
    )
    bundle = tmp_path / "forged.stk"
    bundle.write_bytes(checked_bytes(replace(artifact, classes=classes)))
    done = _stockade("verify", str(bundle))
    assert done.returncode == 1
    assert "execute: the policy denies it" in done.stderr


@pytest.mark.parametrize(
    ("writable", "other", "words"),
    [
        (
            "C:\\out",
            Grant("C:\\out\\bin", Access.READ_EXEC),
            "overlaps what is executed",
        ),
        ("C:\\Out\\x", Grant("C:\\OUT", Access.READ_EXEC), "overlaps what is executed"),
        ("C:\\out", Grant("C:\\out\\x", Access.READ), "holds `C:\\out\\x`"),
        ("C:\\Users\\me\\.ssh", Grant("C:\\x", Access.READ), "programs trust"),
        (
            "C:\\out",
            Grant("C:\\Users\\me\\AppData", Access.READ_EXEC),
            "writes its own folder",
        ),
    ],
)
def test_what_no_policy_may_grant_is_no_claim(
    tmp_path: Path, writable: str, other: Grant, words: str
) -> None:
    """A forged bundle agrees with itself, so its keys are judged as a policy's are."""
    sound = (Grant("C:\\bin", Access.READ_EXEC), Grant("C:\\out", Access.READ_WRITE))
    forged = (other, Grant(writable, Access.READ_WRITE))
    results = []
    for grants in (sound, forged):
        policy = Policy(appcontainer_name="example.app", grants=tuple(sorted(grants)))
        bundle = tmp_path / "x.stk"
        bundle.write_bytes(checked_bytes(build_windows(policy, "x", "windows")))
        results.append(_stockade("verify", str(bundle)))
    assert [done.returncode for done in results] == [0, 1]
    assert words in results[1].stderr


def _forge(artifact: Artifact, part: str) -> Artifact:
    level = artifact.levels[0]
    variant = level.variants[0]
    lines = tuple(replace(line, needs=()) for line in variant.requirements)
    forged = {
        "must": replace(variant, must=("landlock-abi-10",)),
        "needs": replace(variant, requirements=lines),
        "probes": replace(variant, probes=variant.probes[1:]),
        "scopes": replace(variant, scope_optional=0, scope_required=0),
    }
    match part:
        case "streams":
            return replace(artifact, streams=(*artifact.streams, "inet"))
        case "trusted":
            return replace(artifact, trusted=artifact.trusted[1:])
        case "canary":
            return replace(artifact, canary_folders=artifact.canary_folders[:1])
        case _:
            variants = (forged[part], *level.variants[1:])
            return replace(artifact, levels=(replace(level, variants=variants),))


@pytest.mark.parametrize(
    "part", ["must", "needs", "probes", "scopes", "streams", "trusted", "canary"]
)
def test_what_the_proof_does_not_judge_must_be_ours(tmp_path: Path, part: str) -> None:
    artifact = build_linux(_STRICT, "x", "linux-x86_64")
    bundle = tmp_path / "forged.stk"
    bundle.write_bytes(checked_bytes(_forge(artifact, part)))
    done = _stockade("verify", str(bundle))
    assert done.returncode == 1, done.stdout
    assert "is not what" in done.stderr


@pytest.mark.parametrize("path", ["/a\nb", "/\x1b[2J", "a\x1b[2J"])
def test_what_a_bundle_says_reaches_no_terminal(tmp_path: Path, path: str) -> None:
    """A reason that names a key of a hostile bundle is one line without controls."""
    bundle = tmp_path / "forged.macos.stk"
    made = build_macos(Policy(), "x", "macos")
    forged = replace(made, keys=(KeyRow("grant.read", path),))
    bundle.write_bytes(checked_bytes(forged))
    for command in (("verify", str(bundle)), ("diff", str(bundle), str(bundle))):
        done = _stockade(*command)
        assert done.stderr.count("\n") == 1 or done.returncode == 0
        assert "\x1b" not in done.stdout + done.stderr
    assert _stockade("verify", str(bundle)).returncode == 1


@pytest.mark.parametrize("command", ["verify", "disasm"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, command: str) -> None:
    whole = compile_policy(_STRICT, "x", "linux-x86_64").bundle
    for name, data in (("cut", whole[:-1]), ("empty", b""), ("text", b"version = 1")):
        path = tmp_path / name
        path.write_bytes(data)
        done = _stockade(command, str(path))
        assert done.returncode == 125
        assert done.stderr.startswith(f"stockade: `{path}` is no bundle: ")
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    for arguments in ((), ("/nonexistent",), ("a", "b"), ("/dev/zero",)):
        done = _stockade(command, *arguments)
        assert done.returncode == 125
        assert done.stderr.count("\n") == 1


def test_a_listing_names_calls_arguments_and_relocations(tmp_path: Path) -> None:
    bundle = tmp_path / "x.stk"
    policy = replace(_STRICT, children=Children.NONE)
    bundle.write_bytes(compile_policy(policy, "x", "linux-x86_64").bundle)
    done = _stockade("disasm", str(bundle))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "base/*: mount EPERM (mounts)" in lines
    assert "base/*: read allow" in lines
    assert any(line.endswith("; x86_64") for line in lines)
    assert any(line.endswith("; argument 1, low word") for line in lines)
    assert any(line.endswith("; filled in at start: own-pid") for line in lines)
    assert any(line.endswith("; filled in at start: witness") for line in lines)
    assert any("; mount_setattr" in line for line in lines)
