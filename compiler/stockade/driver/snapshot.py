# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare a policy, its bundle and its snapshot, and name which do not belong together.

Each of the three stands for a bundle by its checksum: the policy by the one that is
made of it now, the snapshot by the one it names, the bundle by its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from stockade.artifact.errors import BundleRefused
from stockade.artifact.parser import parse
from stockade.artifact.write import checksum_of
from stockade.driver.compile import CompiledBundle
from stockade.render.text import plain

_CONTEXT = 2
_NAMES_BUNDLE = re.compile(r"^bundle ([0-9a-f]{8})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """What lies beside a policy for one target; None for what is missing."""

    policy: str
    bundle: str
    text: str
    bundle_data: bytes | None
    text_data: bytes | None


def problems(found: Found, wanted: CompiledBundle, *, bundles: bool) -> Iterator[str]:
    """Say as lines what does not belong together, and how the texts differ.

    Bundles are left out of the comparison where they are kept elsewhere.
    """
    text = _text(found.text_data)
    if bundles:
        yield from _bundle_problems(found, wanted)
    if text is None:
        yield f"{plain(found.text)}: missing; `stockade snapshot` writes it"
        return
    if text == wanted.snapshot:
        return
    yield f"{plain(found.text)}: {_why(found, text, wanted)}"
    yield from _difference(found, text, wanted.snapshot)


def _bundle_problems(found: Found, wanted: CompiledBundle) -> Iterator[str]:
    name = plain(found.bundle)
    if found.bundle_data is None:
        yield f"{name}: missing; `stockade snapshot` writes it"
    elif found.bundle_data != wanted.bundle:
        yield f"{name}: {_why_bundle(found, found.bundle_data, wanted)}"


def _why_bundle(found: Found, data: bytes, wanted: CompiledBundle) -> str:
    try:
        parse(data)
    except BundleRefused as refused:
        return f"is no bundle: {refused}"
    own, policy = checksum_of(data), checksum_of(wanted.bundle)
    named = _named(_text(found.text_data) or "")
    also = "" if named == own else f", nor to {plain(found.text)}"
    return (
        f"is bundle {own:08x} and does not belong to {plain(found.policy)}, of which"
        f" bundle {policy:08x} is made{also}"
    )


def _why(found: Found, text: str, wanted: CompiledBundle) -> str:
    named, policy = _named(text), checksum_of(wanted.bundle)
    if named is None:
        return "is no snapshot: it names no bundle"
    if named != policy:
        return (
            f"is of bundle {named:08x} and does not belong to {plain(found.policy)},"
            f" of which bundle {policy:08x} is made"
        )
    return (
        f"names bundle {named:08x}, which is made of {plain(found.policy)}, and is"
        " not the text of it"
    )


def _named(text: str) -> int | None:
    match = _NAMES_BUNDLE.search(text)
    return int(match[1], 16) if match else None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _difference(found: Found, text: str, wanted: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        text.splitlines(),
        wanted.splitlines(),
        found.text,
        f"{found.policy} as it is now",
        lineterm="",
        n=_CONTEXT,
    )
    yield from (plain(line) for line in lines)
