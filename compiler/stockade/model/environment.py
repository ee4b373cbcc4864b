# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put a program's variables together: those of the base, passed ones, set ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from stockade.abi.targets import System
from stockade.model.policy import Base, Policy


class Origin(StrEnum):
    """The key that a variable comes from, or the system that adds it."""

    BASE = "base"
    PASS = "pass"  # noqa: S105 - the key
    SET = "set"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable; `value` is None where the caller's is passed on, if it is set."""

    name: str
    value: str | None
    origin: Origin


# locale(7), and those categories that glibc adds.
_LOCALE = (
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
)
# INVARIANT: no variable of a base holds a credential, or code that a program loads.
_PASSED: dict[Base, tuple[str, ...]] = {
    Base.NONE: (),
    Base.LOCALE: ("LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    Base.TERMINAL: (
        *("PATH", "HOME", "TERM", "COLORTERM", "TZ", "USER", "LOGNAME"),
        *_LOCALE,
    ),
}
_SET: dict[Base, tuple[tuple[str, str], ...]] = {
    Base.NONE: (),
    Base.LOCALE: (("PATH", "/usr/bin:/bin"),),
    Base.TERMINAL: (),
}


# Who the user is, under the names that Windows has for it.
_PASSED_ON_WINDOWS: dict[Base, tuple[str, ...]] = {
    **_PASSED,
    Base.TERMINAL: (
        *_PASSED[Base.TERMINAL],
        *("HOMEDRIVE", "HOMEPATH", "USERNAME", "USERPROFILE"),
    ),
}
# Without these no program starts there; the launcher knows the values. The second
# one leads to the container's private folder.
ADDED_ON_WINDOWS = ("LOCALAPPDATA", "SystemRoot")


def base_names(base: Base) -> tuple[str, ...]:
    """List the variables that a base brings on systems other than Windows."""
    return (*_PASSED[base], *(name for name, _ in _SET[base]))


def variables(policy: Policy, system: System = System.LINUX) -> tuple[Variable, ...]:
    """List a program's variables by name; `pass` goes over the base, `set` over all.

    On Windows names are equal in any case of their letters, and two of the system's
    own are added where the policy does not name them.
    """
    found: dict[str, Variable] = {}
    for one in _given(policy, system):
        found[folded_name(one.name, system)] = one
    return tuple(sorted(found.values(), key=lambda one: one.name))


def folded_name(name: str, system: System) -> str:
    """Give what stands for all spellings of a variable's name on a system."""
    return name.casefold() if system is System.WINDOWS else name


def _given(policy: Policy, system: System) -> Iterator[Variable]:
    """Give every variable that something names, what goes over others last."""
    base = policy.environment_base
    if system is System.WINDOWS:
        for name in ADDED_ON_WINDOWS:
            yield Variable(name, None, Origin.SYSTEM)
        for name in _PASSED_ON_WINDOWS[base]:
            yield Variable(name, None, Origin.BASE)
    else:
        for name in _PASSED[base]:
            yield Variable(name, None, Origin.BASE)
        # A path of folders that Windows does not have.
        for name, value in _SET[base]:
            yield Variable(name, value, Origin.BASE)
    for name in policy.pass_names:
        yield Variable(name, None, Origin.PASS)
    for name, value in policy.set_values:
        yield Variable(name, value, Origin.SET)
