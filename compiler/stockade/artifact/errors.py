# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say why an artifact cannot become a bundle, or a bundle an artifact."""

from __future__ import annotations


class LimitExceeded(Exception):
    """A policy needs more of something than a bundle can hold."""

    def __init__(self, what: str, number: int, limit: int) -> None:
        super().__init__(f"{what}: {number}, and a bundle holds at most {limit}")
        self.what = what
        self.number = number
        self.limit = limit


class ArtifactMalformed(Exception):
    """The stages before made something that the bundle cannot express: our fault."""


class BundleRefused(Exception):
    """The launcher's parser refuses the bytes; `error` and `offset` are its answer."""

    def __init__(self, error: int, offset: int, text: str) -> None:
        super().__init__(f"{text} (error {error} at byte {offset})")
        self.error = error
        self.offset = offset
        self.text = text


class ParserMissing(Exception):
    """The launcher's parser is not where the package should have it."""
