# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask about paths of a Mac by the names that its links have."""

from __future__ import annotations

import pytest

from stockade.driver.query import query
from stockade.driver.review import read_side

_POLICY = b'version = 1\nfilesystem.read_write = ["/tmp/in"]\n'


@pytest.mark.parametrize("verb", ["write", "metadata", "hard-link"])
def test_a_link_of_the_root_is_asked_about_by_what_it_leads_to(verb: str) -> None:
    """S2-330: both spellings are one path, and one below another link is not."""
    side = read_side(_POLICY, "p.toml", ["macos"])
    answers = [
        query(side, [verb, path])[0].decision
        for path in ("/tmp/in/x", "/private/tmp/in/x", "/var/in/x")
    ]
    assert answers[0] == answers[1] == "allow"
    assert answers[2] != "allow"


def test_no_answer_is_about_the_program_by_accident() -> None:
    """The program is what a start names; a path of the policy is executed as before."""
    policy = b'version = 1\nfilesystem.read_exec = ["/opt/tools"]\n'
    side = read_side(policy, "p.toml", ["macos"])
    for path in ("/usr/bin/true", "/bin/sh"):
        assert query(side, ["exec", path])[0].decision != "allow"
    assert query(side, ["exec", "/opt/tools/x"])[0].decision == "allow"
