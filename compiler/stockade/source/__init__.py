# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold source text and point into it."""

from stockade.source.text import Position, Source, Span

__all__ = ["Position", "Source", "Span"]
