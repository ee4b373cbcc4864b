# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put a program's variables together: those of the base, passed ones, set ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stockade.model.policy import Base, Policy


class Origin(StrEnum):
    """The key that a variable comes from."""

    BASE = "base"
    PASS = "pass"  # noqa: S105 - the key
    SET = "set"


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


def base_names(base: Base) -> tuple[str, ...]:
    """List the variables that a base brings."""
    return (*_PASSED[base], *(name for name, _ in _SET[base]))


def variables(policy: Policy) -> tuple[Variable, ...]:
    """List a program's variables by name; `pass` goes over the base, `set` over all."""
    base = policy.environment_base
    found = {name: Variable(name, None, Origin.BASE) for name in _PASSED[base]}
    found |= {name: Variable(name, value, Origin.BASE) for name, value in _SET[base]}
    found |= {name: Variable(name, None, Origin.PASS) for name in policy.pass_names}
    found |= {
        name: Variable(name, value, Origin.SET) for name, value in policy.set_values
    }
    return tuple(found[name] for name in sorted(found))
