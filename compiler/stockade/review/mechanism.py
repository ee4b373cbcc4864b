# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how two artifacts hold what they hold: all that decides nothing itself.

INVARIANT: every field of an artifact is compared here or where its decisions are, so
that two artifacts without a difference are the same in all that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, names_of
from stockade.model.artifact import Artifact, Probe, Requirement, Variant
from stockade.render.prose import Sentence, code, sentence
from stockade.render.text import plain
from stockade.review.change import NOTHING, Case, Fact, Kind, Topic

# Writes a probe of a call on an architecture for a reader.
ProbeText = Callable[[Probe], str]


def artifact_changes(old: Artifact, new: Artifact) -> Iterator[Fact]:
    """Give what changes beside levels and variants."""
    yield from _rows(69, "what a start gives up", _conceded(old), _conceded(new))
    yield from _rows(75, "a path that must exist at start", _needed(old), _needed(new))
    yield from _rows(76, "a warning", _warnings(old), _warnings(new))
    yield from _rows(77, "a kind of path rule", _classes(old), _classes(new))
    yield from _rows(78, "a folder for the canary", _canaries(old), _canaries(new))
    yield from _rows(78, "the witness call", _witness(old), _witness(new))
    yield from _rows(
        79, "the text on a missing feature", _features(old), _features(new)
    )


def _conceded(artifact: Artifact) -> dict[str, str]:
    return dict.fromkeys(artifact.concessions, "given up")


def _needed(artifact: Artifact) -> dict[str, str]:
    """Tell of each path that a start refuses to do without."""
    return {row.path: "needed" for row in artifact.grants if not row.optional}


def _warnings(artifact: Artifact) -> dict[str, str]:
    return {row.id: row.text for row in artifact.warnings}


def _classes(artifact: Artifact) -> dict[str, str]:
    """Give what a kind of path rule holds, also where the filter refuses it anyway.

    Its words decide which paths may lie in one another.
    """
    found = {}
    for row in artifact.classes:
        words = (
            ("writes", row.write),
            ("executes", row.execute),
            ("system", row.system),
            ("command", row.command),
        )
        rights = names_of(FS_RIGHTS, row.rights)
        found[row.name] = " ".join((*rights, *(word for word, on in words if on)))
    return found


def _canaries(artifact: Artifact) -> dict[str, str]:
    return {row.path: row.kind for row in artifact.canary_folders}


def _witness(artifact: Artifact) -> dict[str, str]:
    return {"witness call": f"{artifact.witness_nr:#x}"}


def _features(artifact: Artifact) -> dict[str, str]:
    return {
        " ".join((row.name, *row.when)): f"{row.reason}; {row.remedy}"
        for row in artifact.features
    }


def variant_changes(
    old: Variant, new: Variant, probe_text: ProbeText
) -> Iterator[Fact]:
    """Give what changes in how one host holds the requirements."""
    yield from _requirements(old, new)
    for what, rights, masks in (
        ("file rights", FS_RIGHTS, (old.fs_required, new.fs_required)),
        ("further file rights", FS_RIGHTS, (old.fs_optional, new.fs_optional)),
        ("port rights", NET_RIGHTS, (old.net_required, new.net_required)),
        ("further port rights", NET_RIGHTS, (old.net_optional, new.net_optional)),
        ("scopes", SCOPES, (old.scope_required, new.scope_required)),
        ("further scopes", SCOPES, (old.scope_optional, new.scope_optional)),
    ):
        texts = tuple(" ".join(names_of(rights, one)) or NOTHING for one in masks)
        if texts[0] != texts[1]:
            yield _fact(74, f"Landlock judges other {what}", what, texts)
    yield from _rows(
        77, "a try at start", *(_probes(one, probe_text) for one in (old, new))
    )


def _requirements(old: Variant, new: Variant) -> Iterator[Fact]:
    before = {line.name: line for line in old.requirements}
    after = {line.name: line for line in new.requirements}
    for name in dict.fromkeys((*before, *after)):
        had, has = before.get(name), after.get(name)
        line = has or had
        if had == has or line is None:
            continue
        texts = _mechanism(had), _mechanism(has)
        rank, words = 73, "is held by other means"
        if has is None:
            rank, words = 70, "is no longer promised"
        elif had is None:
            rank, words = 72, "is promised now"
        thing = sentence(code(name), f" {words}: ", plain(line.title))
        yield _fact(rank, thing, name, texts)


def _mechanism(line: Requirement | None) -> str:
    if line is None:
        return NOTHING
    needs = f"; needs {' '.join(line.needs)}" if line.needs else ""
    shown = "; shows the rights in force" if line.show_rights else ""
    return f"{line.mechanism}{needs}{shown}"


def _probes(variant: Variant, probe_text: ProbeText) -> dict[str, str]:
    return {one.name: probe_text(one) for one in variant.probes}


def _rows(
    rank: int, what: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Fact]:
    """Compare rows by name, and their order."""
    for name in dict.fromkeys((*before, *after)):
        texts = before.get(name, NOTHING), after.get(name, NOTHING)
        if texts[0] != texts[1]:
            words = "is another"
            if name not in before:
                words = "is new"
            elif name not in after:
                words = "is gone"
            yield _fact(rank, f"{what} {words}", name, texts)
    orders = tuple(
        " ".join(name for name in one if name in other)
        for one, other in ((before, after), (after, before))
    )
    if orders[0] != orders[1]:
        yield _fact(rank, f"{what} stands elsewhere", what, orders)


def _fact(rank: int, thing: Sentence | str, name: str, texts: tuple[str, ...]) -> Fact:
    case = Case(plain(name), plain(name), plain(texts[0]), plain(texts[1]))
    whole = thing if isinstance(thing, Sentence) else sentence(thing)
    return Fact(Kind.MECHANISM, Topic.MECHANISM, rank, "", whole, case)
