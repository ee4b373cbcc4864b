# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the keys that mean something on one system only, and judge them for all."""

from __future__ import annotations

import re

from stockade.diagnostics import Code, Report, quote
from stockade.policy.settings import Settings

# What CreateAppContainerProfile takes: userenv.h, "AppContainer names".
_MOST_LETTERS = 64
_LETTERS = re.compile(r"[-_. A-Za-z0-9]+")
# Names that begin so get a SID by a rule that is not published.
_OTHER_RULE = "isolatedwin32"


def read_container_name(settings: Settings, report: Report) -> str:
    """Return the name of the Windows container, empty where none is written."""
    setting = settings.get("windows.appcontainer_name")
    if setting is None:
        return ""
    name = setting.word
    if not name:
        why = "is empty"
    elif len(name) > _MOST_LETTERS:
        why = f"has more than {_MOST_LETTERS} characters"
    elif not _LETTERS.fullmatch(name):
        why = "holds a character beside `-`, `_`, `.`, the space, letters and digits"
    elif name[-1] in ". " or name[0] == " ":
        why = "begins or ends with what Windows drops from a folder's name"
    elif name.lower().startswith(_OTHER_RULE):
        why = f"begins with `{_OTHER_RULE}`, whose SIDs follow another rule"
    else:
        return name
    report.add(
        Code.CONTAINER_NAME,
        f"{quote(name)} cannot name a container: it {why}",
        setting.node.span,
        advice=f"use 1 to {_MOST_LETTERS} letters of ASCII, digits, `-`, `_`, `.` and"
        " spaces",
    )
    return ""


def read_mach_services(settings: Settings) -> tuple[str, ...]:
    """Return the named services, sorted and each once; their names are judged."""
    setting = settings.get("macos.mach_services")
    return tuple(sorted({name for name, _ in setting.items})) if setting else ()
