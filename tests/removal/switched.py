# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make one launcher out of which each refusal can be taken by changing a number.

The sources are copied and rewritten: every refusal becomes `if (removal_here(N))`
before it, every part of an `or` that leads to one becomes `removal_part(N, …)`.
Which N does nothing is a word in the program's data, so that hundreds of launchers
with one thing missing need one compilation.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stage import REPOSITORY

_SOURCES = REPOSITORY / "launcher-c"
# Composes what the refusals say, and decides nothing.
_NOT_REWRITTEN = frozenset({"message.c"})
_LITERAL = re.compile(
    r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
# A statement that refuses: what ends the process, or returns an error of the parser.
_REFUSAL = re.compile(
    r"(?:\w+ \*)?\b(?:die\w*|refuse\w*|\w+_refuse\w*)\s*\("
    r"|return\s+stk_refuse\s*\(|return\s+STK_BUNDLE_(?!OK\b)\w+\s*;"
)
_IF = re.compile(r"\bif\s*\(")
_MAGIC = b"removal switch\0\0"


@dataclass(frozen=True, slots=True)
class Site:
    """One thing that can be taken out: a refusal, or a part of its condition."""

    number: int
    file: str
    line: int
    text: str
    part: bool

    @property
    def name(self) -> str:
        """Name the site by what it says, since lines move."""
        return f"`{self.file}`: {self.text}"


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _closing(text: str, opening: int) -> int:
    """Give the place of the parenthesis that closes the one here."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    message = "a parenthesis stays open"
    raise ValueError(message)


def _statement(code: str, start: int) -> int | None:
    """Give the end of the refusal that begins here, or None where none does."""
    if not _REFUSAL.match(code, start):
        return None
    before = code[:start].rstrip()
    if not before.endswith((";", "{", "}", ")", ":", "else", "do")):
        return None
    return code.index(";", start) + 1


def _parts(code: str, opening: int, closing: int) -> list[tuple[int, int]]:
    """Split a condition at its outermost `||`."""
    found, depth, start = [], 0, opening + 1
    at = start
    while at < closing:
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0 and code.startswith("||", at):
            found.append((start, at))
            start = at = at + 2
            continue
        at += 1
    return [*found, (start, closing)]


def _short(text: str) -> str:
    return " ".join(text.split())


class Rewriter:
    """Numbers the sites of all files as it rewrites them."""

    def __init__(self) -> None:
        self.sites: list[Site] = []

    def rewrite(self, source: str, name: str) -> str:
        """Return a file's text with switches before its refusals."""
        # Places are found in the code alone, texts are taken from the source.
        code = _LITERAL.sub(_blank, source)
        edits = [
            *self._refusals(source, code, name),
            *self._conditions(source, code, name),
        ]
        for edit in sorted(edits, key=lambda one: -one.start):
            source = source[: edit.start] + edit.text + source[edit.end :]
        return source

    def _add(self, name: str, code: str, at: int, text: str, *, part: bool) -> int:
        line = code.count("\n", 0, at) + 1
        self.sites.append(Site(len(self.sites) + 1, name, line, text, part))
        return len(self.sites)

    def _refusals(self, source: str, code: str, name: str) -> Iterator[_Edit]:
        for match in _REFUSAL.finditer(code):
            start, end = match.start(), _statement(code, match.start())
            if end is None:
                continue
            text = f"`{_short(source[start : end - 1])}`"
            number = self._add(name, code, start, text, part=False)
            yield _Edit(start, start, f"do {{ if (removal_here({number})) ")
            yield _Edit(end, end, " } while (0);")

    def _conditions(self, source: str, code: str, name: str) -> Iterator[_Edit]:
        for match in _IF.finditer(code):
            opening = match.end() - 1
            closing = _closing(code, opening)
            body = re.compile(r"\s*\{?\s*").match(code, closing + 1)
            parts = _parts(code, opening, closing)
            if body is None or _statement(code, body.end()) is None or len(parts) < 2:
                continue
            for start, end in parts:
                text = f"`{_short(source[start:end])}` in its condition"
                number = self._add(name, code, start, text, part=True)
                yield _Edit(start, start, f" removal_part({number}, ")
                yield _Edit(end, end, ")")


_RUNTIME = """
#include <sys/shm.h>
#include "removal.h"
struct removal_switch removal_switch = {MAGIC, 0, 0};
unsigned char removal_own[SITES];
static unsigned char *removal_hits = removal_own;
__attribute__((constructor)) static void removal_begin(void)
{
	int id;
	if (removal_switch.key == 0)
		return;
	id = shmget((key_t)removal_switch.key, SITES, 0);
	void *at = id < 0 ? (void *)-1 : shmat(id, 0, 0);
	if (at != (void *)-1)
		removal_hits = at;
}
int removal_here(unsigned number)
{
	removal_hits[number] = 1;
	return removal_switch.off != number;
}
int removal_part(unsigned number, int holds)
{
	if (!holds)
		return 0;
	return removal_here(number);
}
"""
_HEADER = """
#pragma once
struct removal_switch { char magic[16]; volatile unsigned off, key; };
extern struct removal_switch removal_switch;
int removal_here(unsigned number);
int removal_part(unsigned number, int holds);
"""


@dataclass(frozen=True, slots=True)
class Switched:
    """The launcher and the parser's library with switches, and what they switch."""

    launcher: bytes
    library: Path
    sites: tuple[Site, ...]

    def without(self, number: int, key: int = 0) -> bytes:
        """Return the launcher without one site; what it reaches is told at a key."""
        at = self.launcher.index(_MAGIC) + len(_MAGIC)
        word = struct.pack("<II", number, key)
        return self.launcher[:at] + word + self.launcher[at + len(word) :]


def build(folder: Path) -> Switched:
    """Build both in a folder."""
    for name in ("compiler", "templates", "pyproject.toml"):
        (folder / name).symlink_to(REPOSITORY / name)
    copy = folder / "launcher-c"
    shutil.copytree(_SOURCES, copy)
    rewriter = Rewriter()
    # Nothing of the other systems is built here.
    sources = (*copy.glob("src/core/*.c"), *copy.glob("src/linux/*.c"))
    for path in sorted(sources):
        if path.name not in _NOT_REWRITTEN:
            name = str(path.relative_to(copy / "src"))
            path.write_text(rewriter.rewrite(path.read_text(), name))
    magic = '"' + _MAGIC.rstrip(b"\0").decode() + '"'
    runtime = _RUNTIME.replace("MAGIC", magic)
    runtime = runtime.replace("SITES", str(len(rewriter.sites) + 1))
    (copy / "src/core/removal.c").write_text(runtime)
    (copy / "src/core/removal.h").write_text(_HEADER)
    build_folder = folder / "build"
    header = copy / "src/core/removal.h"
    (build_folder / "include").mkdir(parents=True)
    shutil.copy(
        REPOSITORY / "build/include/stk_bundle_format.h", build_folder / "include"
    )
    done = subprocess.run(
        [
            *("make", "-s", "-C", copy, "launcher", "library"),
            f"BUILD={build_folder}",
            f"PYTHON={os.fspath(REPOSITORY / '.venv/bin/python')}",
            # A refusal that is gone returns.
            f"WARNINGS=-w -D_Noreturn= -include {header}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    return Switched(
        (build_folder / "stockade-launch").read_bytes(),
        build_folder / "libstockade-bundle.so",
        tuple(rewriter.sites),
    )
