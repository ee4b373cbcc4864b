# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how two artifacts hold what they hold: all that decides nothing itself.

INVARIANT: every field of an artifact is compared here or where its decisions are, so
that two artifacts without a difference are the same in all that matters.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, names_of
from stockade.model.artifact import Artifact, Probe, Variant
from stockade.review.change import Case, Change, Kind

_NONE = "none"


def artifact_changes(old: Artifact, new: Artifact) -> Iterator[Change]:
    """Give what changes beside levels and variants."""
    witness = "witness call"
    numbers = f"{old.witness_nr:#x}", f"{new.witness_nr:#x}"
    if numbers[0] != numbers[1]:
        yield _changed("the witness call is another", witness, numbers)
    for what, rows in (
        ("canary folder", _canaries),
        ("warning", _warnings),
        ("text on a missing feature", _features),
    ):
        yield from _rows(what, rows(old), rows(new))


def _canaries(artifact: Artifact) -> dict[str, str]:
    return {row.path: row.kind for row in artifact.canary_folders}


def _warnings(artifact: Artifact) -> dict[str, str]:
    return {row.id: row.text for row in artifact.warnings}


def _features(artifact: Artifact) -> dict[str, str]:
    return {
        " ".join((row.name, *row.when)): f"{row.reason}; {row.remedy}"
        for row in artifact.features
    }


def variant_changes(old: Variant, new: Variant) -> Iterator[Change]:
    """Give what changes in how one host holds the requirements."""
    before = {line.name: line for line in old.requirements}
    after = {line.name: line for line in new.requirements}
    for name in dict.fromkeys((*before, *after)):
        texts = tuple(
            f"{line.title}: {line.mechanism}" if (line := lines.get(name)) else _NONE
            for lines in (before, after)
        )
        if texts[0] != texts[1]:
            words = "is held otherwise"
            if _NONE in texts:
                gone = texts[1] == _NONE
                words = "is no longer promised" if gone else "is promised now"
            yield Change(
                Kind.MECHANISM,
                f"requirement `{name}` {words}",
                (Case(name, f"requirement {name}", *texts),),
            )
    for what, rights, masks in (
        ("required file rights", FS_RIGHTS, (old.fs_required, new.fs_required)),
        ("further file rights", FS_RIGHTS, (old.fs_optional, new.fs_optional)),
        ("required port rights", NET_RIGHTS, (old.net_required, new.net_required)),
        ("further port rights", NET_RIGHTS, (old.net_optional, new.net_optional)),
        ("required scopes", SCOPES, (old.scope_required, new.scope_required)),
        ("further scopes", SCOPES, (old.scope_optional, new.scope_optional)),
    ):
        if masks[0] != masks[1]:
            texts = tuple(" ".join(names_of(rights, one)) or _NONE for one in masks)
            yield _changed(f"Landlock judges other {what}", what, texts)
    yield from _rows("probe", _probes(old.probes), _probes(new.probes))


def _probes(probes: tuple[Probe, ...]) -> dict[str, str]:
    return {
        one.name: f"{one.requirement} by {one.mechanism}: {one.call} after"
        f" {one.setup}, {one.control_errno} becomes {one.expected_errno}"
        for one in probes
    }


def _rows(what: str, before: dict[str, str], after: dict[str, str]) -> Iterator[Change]:
    """Compare rows by name, and their order."""
    for name in dict.fromkeys((*before, *after)):
        texts = before.get(name, _NONE), after.get(name, _NONE)
        if texts[0] != texts[1]:
            words = "changed"
            if _NONE in texts:
                words = "new" if texts[0] == _NONE else "gone"
            yield _changed(f"{what} `{name}` is {words}", f"{what} {name}", texts)
    orders = [
        [name for name in one if name in other]
        for one, other in ((before, after), (after, before))
    ]
    if orders[0] != orders[1]:
        texts = " ".join(orders[0]), " ".join(orders[1])
        yield _changed(f"the order of {what}s is another", f"{what}s", texts)


def _changed(sentence: str, name: str, texts: tuple[str, ...]) -> Change:
    return Change(Kind.MECHANISM, sentence, (Case(name, name, texts[0], texts[1]),))
