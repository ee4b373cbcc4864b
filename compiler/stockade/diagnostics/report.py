# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Collect diagnostics, so that one run shows every mistake.

A pass adds what it finds and goes on as far as that makes sense;
`raise_if_errors` ends the stage.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stockade.diagnostics.codes import Code
from stockade.source import Span


@dataclass(frozen=True, slots=True)
class Note:
    """A remark of a diagnostic, with the other place it is about."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake of an author: what, where, why, and what to do about it."""

    code: Code
    message: str
    span: Span
    notes: tuple[Note, ...] = ()
    help: str = ""


class PolicyRejected(Exception):
    """The policy has mistakes; `diagnostics` lists them in the order of the text."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        first = diagnostics[0]
        super().__init__(f"{first.code}: {first.message}")
        self.diagnostics = diagnostics


@dataclass(slots=True)
class Report:
    """The diagnostics found so far."""

    _found: list[Diagnostic] = field(default_factory=list)

    def add(
        self, code: Code, message: str, span: Span, *notes: Note, advice: str = ""
    ) -> None:
        """Add one mistake."""
        self._found.append(Diagnostic(code, message, span, notes, advice))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what was found, by source, then by place."""
        sources: list[int] = []
        for found in self._found:
            if id(found.span.source) not in sources:
                sources.append(id(found.span.source))
        return tuple(
            sorted(
                self._found,
                key=lambda found: (
                    sources.index(id(found.span.source)),
                    found.span.start,
                    found.code,
                ),
            )
        )

    def raise_if_errors(self) -> None:
        """End the stage when anything was found; raise PolicyRejected."""
        if self._found:
            raise PolicyRejected(self.diagnostics)
