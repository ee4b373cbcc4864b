# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put variables together: base, pass, set."""

from __future__ import annotations

import pytest

from stockade.abi.targets import System
from stockade.model.environment import variables
from stockade.model.policy import Base, Policy

_CREDENTIALS = (
    "SSH_AUTH_SOCK",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
)


def _texts(policy: Policy) -> list[str]:
    return [f"{one.name}={one.value} {one.origin}" for one in variables(policy)]


def test_no_base_brings_nothing() -> None:
    assert _texts(Policy()) == []


def test_base_of_the_locale() -> None:
    """GL-033."""
    assert _texts(Policy(environment_base=Base.LOCALE)) == [
        "LANG=None base",
        "LC_ALL=None base",
        "LC_CTYPE=None base",
        "PATH=/usr/bin:/bin base",
        "TZ=None base",
    ]


def test_base_of_a_terminal() -> None:
    """GL-034."""
    names = [one.name for one in variables(Policy(environment_base=Base.TERMINAL))]
    plain = [name for name in names if not name.startswith("LC_")]
    assert plain == [
        *("COLORTERM", "HOME", "LANG", "LANGUAGE", "LOGNAME"),
        *("PATH", "TERM", "TZ", "USER"),
    ]
    assert {"LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_TIME"} <= set(names)


@pytest.mark.parametrize("base", Base)
def test_no_base_brings_a_credential(base: Base) -> None:
    """GL-035."""
    names = {one.name for one in variables(Policy(environment_base=base))}
    assert not names & set(_CREDENTIALS)


def test_pass_goes_over_the_base_and_set_over_both() -> None:
    """GL-036."""
    policy = Policy(
        environment_base=Base.LOCALE,
        pass_names=("LANG", "PATH", "SSH_AUTH_SOCK"),
        set_values=(("LC_ALL", "C"), ("TZ", "")),
    )
    assert _texts(policy) == [
        "LANG=None pass",
        "LC_ALL=C set",
        "LC_CTYPE=None base",
        "PATH=None pass",
        "SSH_AUTH_SOCK=None pass",
        "TZ= set",
    ]


def test_windows_has_two_variables_of_its_own_and_no_folder_of_unix() -> None:
    """S1-311 GL-034: what the system needs, and who the user is under its names."""
    locale = variables(Policy(environment_base=Base.LOCALE), System.WINDOWS)
    assert [f"{one.name} {one.origin}" for one in locale] == [
        "LANG base",
        "LC_ALL base",
        "LC_CTYPE base",
        "LOCALAPPDATA system",
        "SystemRoot system",
        "TZ base",
    ]
    terminal = variables(Policy(environment_base=Base.TERMINAL), System.WINDOWS)
    names = {one.name for one in terminal}
    assert {"HOMEDRIVE", "HOMEPATH", "USERNAME", "USERPROFILE"} <= names


def test_names_differ_on_windows_by_more_than_their_case() -> None:
    """GL-036: what goes over a variable does so in any spelling."""
    policy = Policy(
        environment_base=Base.TERMINAL,
        pass_names=("localappdata",),
        set_values=(("Path", "C:\\tools"),),
    )
    found = {one.name: one.value for one in variables(policy, System.WINDOWS)}
    assert found["Path"] == "C:\\tools"
    assert not {"PATH", "LOCALAPPDATA"} & set(found)
    on_linux = {one.name for one in variables(policy)}
    assert {"PATH", "Path"} <= on_linux
