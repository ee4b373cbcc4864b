# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a bundle without its policy: repeat its proof, and show its programs.

A bundle's requirement lines say what it claims. The policy that would make these
claims is rebuilt from them, and the gate judges the bundle by it, as it did when
the bundle was compiled. What the gate does not judge, such as probes and needs,
must be what this version makes of the policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.landlock import fs_mask
from stockade.artifact import listing
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.snapshot import call_lines, named_filters
from stockade.driver.linux import build_linux
from stockade.model.artifact import Artifact, Filter, Level
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Grant,
    Ioctls,
    Ip,
    Others,
    PathMetadata,
    Policy,
    Signals,
    Sockets,
    Symlinks,
    System,
    UnixSockets,
)
from stockade.model.quiet_keys import with_quiet_keys
from stockade.proof.gate import GateRefusedError, judge

_NO_FILTER = Filter((), ())
_SIGNALS = (
    ("signals-self", Signals.SELF),
    ("signals-isolated", Signals.ISOLATED),
    ("signals-terminate", Signals.TERMINATE),
)
_METADATA = (
    ("open-metadata-protected", PathMetadata.DENY_ALL),
    ("metadata-protected", PathMetadata.DENY),
)


def verify(data: bytes) -> tuple[Artifact, int]:
    """Judge a bundle; give what it holds and the number of programs proved.

    Raises BundleRefused for what is no bundle, GateRefusedError with the variant
    and a counterexample when a judge disagrees with the claims.
    """
    artifact = decode(data)
    policy = _policy_or_refusal(artifact)
    proved = judge(policy, artifact)
    for part in foreign_parts(artifact):
        message = (
            f"{artifact.target}: {part} is not what this version of stockade makes of"
            " these claims"
        )
        raise GateRefusedError(message)
    return artifact, proved


def _policy_or_refusal(artifact: Artifact) -> Policy:
    try:
        return claimed_policy(artifact)
    except KeyError as unknown:
        message = f"{artifact.target}: class {unknown} of a grant is none of a policy"
        raise GateRefusedError(message) from None


def foreign_parts(artifact: Artifact) -> Iterator[str]:
    """Name the parts, filters aside, that differ from a bundle compiled here.

    Raises GateRefusedError for an artifact that no policy claims to hold.
    """
    policy = _policy_or_refusal(artifact)
    made = canonical(build_linux(policy, artifact.policy_name, artifact.target))
    for one in fields(Artifact):
        found, expected = getattr(artifact, one.name), getattr(made, one.name)
        if one.name == "levels":
            found, expected = _without_filters(found), _without_filters(expected)
        if one.name == "warnings":
            # Warnings may be left out on request, never added or reworded.
            expected = tuple(line for line in expected if line in found)
        if found != expected:
            yield f"section `{one.name}`"


def _without_filters(levels: tuple[Level, ...]) -> list[object]:
    """Give all of a level but its programs, which the proof has judged."""
    return [
        (level.name, [replace(one, filter=_NO_FILTER) for one in level.variants])
        for level in levels
    ]


def disassemble(data: bytes) -> Iterator[str]:
    """Give a bundle's programs as lines: calls by name, then the instructions.

    Raises BundleRefused for what is no bundle.
    """
    artifact = decode(data)
    arch = LINUX_TARGETS[artifact.target].arch
    yield "[calls]"
    yield from call_lines(claimed_policy(artifact), arch, artifact)
    for program, name in named_filters(artifact).items():
        yield ""
        yield f"[filter {name}: {len(program.instructions)} instructions]"
        yield from listing.disassemble(listing.annotate(program, arch))


def claimed_policy(artifact: Artifact) -> Policy:
    """Rebuild the policy that a bundle's requirements and tables claim to hold."""
    names = {
        line.name
        for level in artifact.levels
        for variant in level.variants
        for line in variant.requirements
    }
    accesses = {str(access): access for access in Access}
    policy = Policy(
        system=(
            System.NONE
            if all(row.policy for row in artifact.grants)
            else System.MINIMAL
        ),
        grants=tuple(
            sorted(
                Grant(row.path, accesses[row.class_name])
                for row in artifact.grants
                if row.policy
            )
        ),
        symlinks=_symlinks(artifact),
        commands=Commands.LISTED if "commands-limited" in names else Commands.ANY,
        ip=_ip(names),
        sockets=Sockets.NONE if "sockets-denied" in names else Sockets.POLICY,
        unix_sockets=(
            UnixSockets.NONE if "unix-sockets-denied" in names else UnixSockets.ALL
        ),
        signals=next((word for name, word in _SIGNALS if name in names), Signals.ANY),
        children=Children.NONE if "children-denied" in names else Children.ALLOWED,
        pass_names=tuple(row.name for row in artifact.environment if row.value is None),
        set_values=tuple(
            (row.name, row.value)
            for row in artifact.environment
            if row.value is not None
        ),
        path_metadata=next(
            (word for name, word in _METADATA if name in names), PathMetadata.ALLOW
        ),
        others=Others.FIXED if "others-fixed" in names else Others.VISIBLE,
        ioctls=Ioctls.NO_INPUT if "ioctl-input-denied" in names else Ioctls.LISTED,
    )
    return with_quiet_keys(policy, (*sorted(names), *artifact.concessions))


def _ip(names: set[str]) -> Ip:
    if "ip-network-denied" in names:
        return Ip.NONE
    return Ip.CLIENT if "ip-inbound-denied" in names else Ip.ALL


def _symlinks(artifact: Artifact) -> Symlinks:
    """Read from the right itself whether links may be made: no line denies them."""
    rights = {row.name: row.rights for row in artifact.classes}
    right = fs_mask("MAKE_SYM")
    return Symlinks.ALLOW if rights.get("read_write", 0) & right else Symlinks.DENY
