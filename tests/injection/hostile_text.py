# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make texts that would do harm wherever they were taken for more than text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from stockade.diagnostics import Report
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
    Signals,
    Symlinks,
    UnixSockets,
)
from stockade.policy.paths import normal_path
from stockade.source import Source, Span

# Marks of TOML, Seatbelt profiles, JSON, SDDL, shells and terminals; whole pieces that
# would add a rule, an entry, a capability or a line; what paths and names must not be.
_PIECES = (
    *('"', "'", "\\", "(", ")", ";", "#|", "|#", "`", "$", "%", "{", "}", "[", "]"),
    *(",", ":", "=", "&", "<", ">", "*", "?", "|", "~", "!", "#", "@", "^", "\x7f"),
    *("\n", "\r", "\t", "\0", "\x1b[31m", "\u202e", "\u2028", "\ufeff", "\u0085"),
    *("é", "e\u0301", "😀", "\U000e0041", "ß", "İ", " ", ".", "..", "/", "//", "/../"),
    *("(allow default)", '(param "WRITE_0")', '") (allow file-write* (subpath "/'),
    *('")\n(allow network*)\n;', "(A;;FA;;;WD)", "D:P(A;OICI;FA;;;WD)", "S-1-1-0"),
    *('"],"capabilities":["internetClient"],"x":["', '","kind":"path', "null", "true"),
    *(
        "[grants]\n",
        "\nbundle 00000000\n",
        "[left out]",
        "base/*",
        "{{ 1 }}",
        "{% x %}",
    ),
    *("C:", "C:\\", "c:/", "\\\\server\\share", "\\\\?\\", "NUL", "com1.txt", "a:b"),
    *("internetClient", "registryRead", "isolatedWin32", "com.apple.", "LD_PRELOAD"),
    *("</script>", "<!--", "&quot;", "WRITE_0", "_WRITTEN", "x", "a", "A", "0", "-"),
)
TEXTS = st.lists(
    st.one_of(st.sampled_from(_PIECES), st.text(max_size=4)), min_size=1, max_size=5
).map("".join)


def toml_string(text: str) -> str:
    """Write any text as a string of TOML, by escapes alone."""
    return '"' + "".join(f"\\U{ord(one):08x}" for one in text) + '"'


def carried(path: str) -> str | None:
    """Give a path as a policy holds it, or None where it is refused."""
    span = Span(Source("a test", path), 0, len(path))
    return normal_path(path, span, Report())


def _paths(prefix: str) -> st.SearchStrategy[str]:
    """Make paths below a folder that a policy takes."""

    def below(text: str) -> str | None:
        path = carried(prefix + text)
        return path if path and path.startswith(prefix) else None

    return TEXTS.map(below).filter(bool).map(str)


NAMES = TEXTS.filter(lambda text: bool(re.fullmatch(r"[^\0-\x1f\x7f=]+", text)))
VALUES = TEXTS.filter(lambda text: "\0" not in text)
# Below folders of their own, so that no path overlaps another.
_FOLDERS = {
    Access.READ: "r",
    Access.READ_EXEC: "e",
    Access.READ_WRITE: "w",
    Access.COMMAND: "c",
}


@dataclass(frozen=True, slots=True)
class Twins:
    """A policy with hostile texts, and one with as many plain ones."""

    hostile: Policy
    plain: Policy


@st.composite
def twins(draw: st.DrawFn, *roots: str) -> Twins:
    """Draw words, and paths below each of the roots, which end with their mark."""
    words = draw(st.sampled_from(_WORDS))
    listed = words.commands is Commands.LISTED
    pairs: list[tuple[Grant, Grant]] = []
    for root in roots:
        for access, folder in _FOLDERS.items():
            most = 0 if access is Access.COMMAND and not listed else 2
            for number in range(draw(st.integers(0, most))):
                inside = f"{root}{folder}{number}{root[-1]}"
                path = draw(_paths(inside))
                pairs.append((Grant(path, access), Grant(f"{inside}x", access)))
    name, value = draw(NAMES), draw(VALUES)
    hostile = _with(words, [one for one, _ in pairs], name, value)
    return Twins(hostile, _with(words, [one for _, one in pairs], "NAME", "value"))


def _with(words: Policy, grants: list[Grant], name: str, value: str) -> Policy:
    freed = [one.path for one in grants if one.access is Access.READ_WRITE][:1]
    return replace(
        words,
        grants=tuple(sorted(grants)),
        project_write=tuple(freed),
        set_values=((name, value),),
    )


# Words that bring the most of a profile or manifest with them.
_NAMED = Policy(appcontainer_name="example.app")
_WORDS = (
    _NAMED,
    replace(
        _NAMED,
        ip=Ip.PRIVATE,
        signals=Signals.ISOLATED,
        children=Children.CONTAINED,
        project_files=ProjectFiles.PROTECTED,
        expose=(Expose("127.0.0.1:18080", 8080),),
        forward=(Forward(18081, "127.0.0.1:8081"),),
        egress=Egress(1080),
    ),
    replace(
        _NAMED,
        ip=Ip.CLIENT,
        children=Children.NONE,
        commands=Commands.LISTED,
        mach_services=("com.apple.trustd.agent",),
    ),
    replace(_NAMED, ip=Ip.ALL, unix_sockets=UnixSockets.ALL, symlinks=Symlinks.ALLOW),
)
