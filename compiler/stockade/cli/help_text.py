# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give the text of `--help`: one page for all commands, one for each, a screen each."""

from __future__ import annotations

import textwrap

from stockade.cli.options import OPTIONS, Option

_WIDTH = 79

OVERVIEW = """\
usage: stockade run [OPTIONS] [--] PROGRAM [ARGS...]
       stockade check [OPTIONS] [[--] PROGRAM]
       stockade compile POLICY [-o DIR] [--target TARGET]...
       stockade snapshot POLICY... [OPTIONS]
       stockade diff OLD NEW [OPTIONS]
       stockade query [OPTIONS] POLICY|BUNDLE REQUEST...
       stockade report POLICY|BUNDLE --html FILE; stockade fidelity POLICY
       stockade verify BUNDLE; stockade disasm BUNDLE

run      confine PROGRAM and become it
check    print what this host enforces of a policy, and start nothing
compile  write an artifact for the launcher, and its text for review
snapshot write bundles and texts anew, or say which are out of date
diff     say what two policies, bundles or revisions decide otherwise
query    say what is decided about one request, and why
report   write a page of what a policy or bundle means
fidelity say how well which host holds each key of a policy
verify   judge a bundle anew from its file alone
disasm   print a bundle's calls and programs, its profile or its manifest

`stockade COMMAND --help` lists the options of one.
TARGET: linux-x86_64, linux-aarch64, macos or windows; the last two simulated.
Status: PROGRAM's own, or 125: refused or failed, says why. check, verify,
query, snapshot --check, diff --fail-on: 0 yes, 1 no, 125 undecided or refused.
"""

_STARTS = """\
PATH and NAME options repeat. Paths add to the policy's; the others replace.
Without a policy nothing is granted but what programs need to start.
"""

_COMPILE = """\
Writes NAME.TARGET.stk and NAME.TARGET.txt into DIR, by default the policy's
own folder. TARGET is linux-x86_64, linux-aarch64, macos or windows; without
one, both of Linux, macos, and windows where the policy names its container.
What is made for macos and windows is simulated, never run there.
"""
_DIFF = """\
OLD and NEW are policies, bundles, or REV:PATH of git. No output means equal
decisions. KIND is newly-allowed, newly-denied, changed-error or
mechanism-changed; one found is status 1. --html writes the same as a page.
"""
_REPORT = """\
Writes one file that loads nothing else: the policy, its requirements by host,
its paths, and its calls by the reason of their refusal.
"""

_SNAPSHOT = """\
Writes for every POLICY, beside it or into DIR, what `compile` writes. With
--check nothing is written: status 1 and a difference where policy, bundle and
text do not belong together. With --text-only bundles are neither written nor
compared.
"""

_QUERY = """\
REQUEST is one of: read, write, list, exec, create, truncate, remove-file, ...
PATH; connect [udp] HOST:PORT; connect unix PATH|@NAME; bind [udp] PORT; listen
PORT; call NAME ARGS...; signal NAME [inside]; spawn; inspect; service NAME;
env NAME; stream KIND; start [without PATH]. Of what creates or removes, PATH is
the folder. TARGET: see `stockade --help`.
Status 0: allowed on every host, 1: not so.
"""

_FIDELITY = """\
Says of each key how each kind of Linux host, macOS and Windows hold its value:
enforced, weaker, stricter, granted, without meaning or refused, and why.
What it says of macOS and Windows is simulated, never run there.
"""
_VERIFY = """\
Status 0: proved, or for macOS and Windows simulated, never run there; 1: not
what it claims.
"""
_DISASM = """\
Prints a Linux bundle's calls and programs, a macOS profile with its parameters,
or a Windows manifest as JSON. The last two were never run there.
"""

_PAGES = {
    "run": ("stockade run [OPTIONS] [--] PROGRAM [ARGS...]", _STARTS),
    "check": ("stockade check [OPTIONS] [[--] PROGRAM]", _STARTS),
    "compile": ("stockade compile POLICY [-o DIR] [--target TARGET]...", _COMPILE),
    "snapshot": ("stockade snapshot POLICY... [OPTIONS]", _SNAPSHOT),
    "diff": ("stockade diff OLD NEW [OPTIONS]", _DIFF),
    "query": ("stockade query [OPTIONS] POLICY|BUNDLE REQUEST...", _QUERY),
    "report": ("stockade report POLICY|BUNDLE --html FILE [OPTIONS]", _REPORT),
    "fidelity": ("stockade fidelity POLICY", _FIDELITY),
    "verify": ("stockade verify BUNDLE", _VERIFY),
    "disasm": ("stockade disasm BUNDLE", _DISASM),
}


def page(command: str) -> str:
    """Give the page of one command, with every option that is built for it."""
    usage, notes = _PAGES[command]
    options = " ".join(
        f"{option.name}\N{NO-BREAK SPACE}{_value(option)}"
        if option.placeholder
        else option.name
        for option in OPTIONS.values()
        if command in option.commands and is_built(option)
    )
    lines = textwrap.wrap(
        options,
        _WIDTH - 2,
        break_long_words=False,
        break_on_hyphens=False,
        initial_indent="  ",
        subsequent_indent="  ",
    )
    text = "".join(f"{line}\n" for line in lines).replace("\N{NO-BREAK SPACE}", " ")
    return "\n".join(part for part in (f"usage: {usage}\n", text, notes) if part)


def is_built(option: Option) -> bool:
    """Tell whether an option does more than accept what holds without it."""
    return option.built and (option.key is None or bool(option.key.built))


def _value(option: Option) -> str:
    """Name the values of an option: of words, those that are built."""
    if option.key is not None and option.key.words:
        built = [word for word in option.key.words if word in option.key.built]
        return "|".join(built)
    return option.placeholder
