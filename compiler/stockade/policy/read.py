# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a policy's text through every pass."""

from __future__ import annotations

from stockade.diagnostics import Report
from stockade.model.place import Places
from stockade.model.policy import Policy
from stockade.policy.lower import lower
from stockade.policy.places import places
from stockade.policy.settings import Setting
from stockade.policy.shape import read_settings
from stockade.policy.text import decode
from stockade.policy.toml import read_tree


def read_policy(text: str | bytes, name: str) -> Policy:
    """Return the policy that a text describes; raise PolicyRejected if it has mistakes.

    `name` is what diagnostics call the text, such as the path of its file.
    """
    data = text.encode() if isinstance(text, str) else text
    return read_placed(data, name)[0]


def read_placed(data: bytes, name: str) -> tuple[Policy, Places]:
    """Return the policy of a file, and where each part of it is written."""
    report = Report()
    settings = read_file(data, name, report)
    return lower(settings, report), places(settings)


def read_file(data: bytes, name: str, report: Report) -> dict[str, Setting]:
    """Return the settings of a file; raise PolicyRejected only where it is no TOML."""
    source = decode(data, name, report)
    return read_settings(read_tree(source, report), source, report)
