# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say which values of a policy a system cannot hold, and which mean nothing there.

INVARIANT: a value that is in no list here changes what is made for the system. So
nothing that an author asked for is dropped in silence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from stockade.abi.targets import System
from stockade.model.decide import covers
from stockade.model.macos_paths import canonical_macos_path
from stockade.model.macos_set import READABLE, Purpose, every_macos_path
from stockade.model.overlap import overlaps
from stockade.model.path_family import (
    Family,
    family_of,
    family_on,
    folders_above,
    policy_on,
)
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
    Signals,
)
from stockade.model.policy import System as SystemSet
from stockade.plan.windows_places import fault_of_place

# PATH_MAX of macOS without the zero byte; see sys/syslimits.h there.
_LONGEST_ON_A_MAC = 1_023
# What has room in a rule with every folder above it, where each is a pattern.
_DEEPEST_ON_A_MAC = 50


class Lack(Enum):
    """Why a system cannot hold a value."""

    # A later version will.
    NOT_BUILT = "is not built yet"
    # No version will: the system has no means for it.
    IMPOSSIBLE = "cannot be held"
    # It lacks what only this system needs.
    MISSING = "must be written"


@dataclass(frozen=True, slots=True)
class Unbuilt:
    """One value that a system cannot hold: its field of Policy and its word.

    `word` is empty for lists and for what is missing, and a path where `grant` is
    the path rule that it is about. `why` goes on after "it".
    """

    field: str
    word: str
    why: str
    lack: Lack = Lack.NOT_BUILT
    grant: Grant | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """A value that a system cannot hold, and how to tell that a policy has it."""

    system: System
    unbuilt: Unbuilt
    applies: Callable[[Policy], bool]


def unbuilt(policy: Policy, system: System) -> tuple[Unbuilt, ...]:
    """List the values of a policy that a system cannot hold, in a fixed order.

    `policy` holds the paths of every system.
    """
    own = policy_on(policy, system)
    found = [row.unbuilt for row in _ROWS if row.system is system and row.applies(own)]
    found += _without_paths(policy, system)
    match system:
        case System.MACOS:
            found += _too_long_for_a_mac(policy)
            found += _overlaps_on_a_mac(policy)
            found += _over_libraries(policy)
            found += _folders_as_commands(policy)
        case System.WINDOWS:
            found += _of_places(own)
            found += _variables_by_case(own)
    return tuple(found)


def _is_private(policy: Policy) -> bool:
    return policy.ip is Ip.PRIVATE


def _has_relays_in(policy: Policy) -> bool:
    """Tell whether the program reaches ports that lead out of a private network."""
    return _is_private(policy) and bool(policy.forward or policy.egress)


def _guards_project_files(policy: Policy) -> bool:
    return policy.project_files is ProjectFiles.PROTECTED


def _relays(system: System) -> Iterator[_Row]:
    """Give the rows of a system for which nothing carries ports in and out yet."""
    why = "needs a process that carries connections in and out"
    for field in ("expose", "forward"):
        yield _Row(system, Unbuilt(field, "", why), _holds(field))
    broker = "needs a process that connects for the program"
    yield _Row(system, Unbuilt("egress", "", broker), _holds("egress"))


def _holds(field: str) -> Callable[[Policy], bool]:
    return lambda policy: bool(getattr(policy, field))


_ROWS = (
    _Row(
        System.LINUX,
        Unbuilt("ip", "private", "needs a network of the program's own"),
        _is_private,
    ),
    *_relays(System.LINUX),
    _Row(
        System.LINUX,
        Unbuilt("children", "contained", "needs a parent that ends what is left"),
        lambda policy: policy.children is Children.CONTAINED,
    ),
    _Row(
        System.LINUX,
        Unbuilt("project_files", "protected", "needs a file system view of its own"),
        _guards_project_files,
    ),
    _Row(
        System.MACOS,
        Unbuilt(
            "system",
            "none",
            "leaves out the loader, without which no program starts on macOS; grant `/`"
            " if that is meant",
            Lack.IMPOSSIBLE,
        ),
        lambda policy: policy.system is SystemSet.NONE and "/" not in policy.accesses,
    ),
    _Row(
        System.MACOS,
        Unbuilt(
            "signals",
            "",
            "must be `isolated` or `self` there beside `forward` or `egress`: the"
            " program could end what carries its connections, and its port would be"
            " anyone's",
            Lack.IMPOSSIBLE,
        ),
        lambda policy: (
            _has_relays_in(policy)
            and policy.signals not in (Signals.ISOLATED, Signals.SELF)
        ),
    ),
    _Row(
        System.WINDOWS,
        Unbuilt("appcontainer_name", "", "names the container", Lack.MISSING),
        lambda policy: not policy.appcontainer_name,
    ),
    *_relays(System.WINDOWS),
    _Row(
        System.WINDOWS,
        Unbuilt(
            "project_files", "protected", "needs lists of access that do not inherit"
        ),
        _guards_project_files,
    ),
    _Row(
        System.WINDOWS,
        Unbuilt(
            "commands",
            "",
            'needs `children = "none"` there: every container may execute the'
            " system's own programs",
            Lack.IMPOSSIBLE,
        ),
        lambda policy: (
            policy.commands is Commands.LISTED and policy.children is not Children.NONE
        ),
    ),
)

_OF_LINUX = "is about calls of Linux"
_OF_MACOS = "is about macOS"
_OF_WINDOWS = "is about Windows"
# Fields whose value changes nothing on a system, and why that takes nothing away.
NOTHING: Mapping[System, Mapping[str, str]] = {
    System.LINUX: {
        "project_write": "takes from `project_files` alone",
        "relays": _OF_MACOS,
        "mach_services": _OF_MACOS,
        "appcontainer_name": _OF_WINDOWS,
        "win32k": _OF_WINDOWS,
        "junctions": _OF_WINDOWS,
    },
    System.MACOS: {
        "path_metadata": _OF_LINUX,
        "ioctls": _OF_LINUX,
        "kernel_surface": _OF_LINUX,
        "self_check": "is about a start, and nothing starts there yet",
        "appcontainer_name": _OF_WINDOWS,
        "win32k": _OF_WINDOWS,
        "junctions": _OF_WINDOWS,
    },
    System.WINDOWS: {
        "path_metadata": _OF_LINUX,
        "ioctls": _OF_LINUX,
        "kernel_surface": _OF_LINUX,
        "memory_files": "is about files that Windows does not have",
        "self_check": "is about a start, and nothing starts there yet",
        "symlinks": "is `deny` for every container",
        "ipc": "is `none` for every container",
        "others": "is `fixed` for every container",
        "signals": "is `isolated` for every container",
        "project_write": "takes from `project_files` alone",
        "relays": _OF_MACOS,
        "mach_services": _OF_MACOS,
    },
}
UNWRITTEN = "holds without being written"
# Words that a system makes no difference of to the word before them, strictest first,
# or to leaving the key out; and what holds them there, or tells that nothing does.
ALIKE: Mapping[System, Mapping[tuple[str, str], str]] = {
    System.LINUX: {},
    System.MACOS: {
        ("sockets", "none"): "a pair of sockets is nothing that a profile judges",
        ("others", "fixed"): "a program asks nothing of others there in any case",
        ("ipc", "isolated"): "is `none` there: no object is the program's own",
        ("ipc", "none"): UNWRITTEN,
        ("memory_files", "refused"): UNWRITTEN,
    },
    System.WINDOWS: {
        ("system", "none"): "every container reads what Windows opens to all of them",
        ("ip", "private"): "the loopback of a container leads to itself alone",
        ("unix_sockets", "all"): "a socket's own list of access decides",
        ("sockets", "none"): "a socket's own list of access decides",
        ("children", "contained"): "all of a container ends with its job",
        ("commands", "listed"): "needs `children` to be `none`, which starts none",
    },
}


def _without_paths(policy: Policy, system: System) -> Iterator[Unbuilt]:
    own = family_on(system)
    families = [family_of(grant.path) for grant in policy.grants]
    if families and own not in families:
        yield Unbuilt(
            "grants",
            "",
            "would have none, as all here are of other systems",
            Lack.MISSING,
        )


def _too_long_for_a_mac(policy: Policy) -> Iterator[Unbuilt]:
    for grant in _posix(policy):
        spelled = canonical_macos_path(grant.path)
        if len(spelled.encode("utf-8", "surrogateescape")) > _LONGEST_ON_A_MAC:
            why = f"has more than {_LONGEST_ON_A_MAC} bytes as macOS spells it"
            yield Unbuilt("grants", grant.path, why, Lack.IMPOSSIBLE, grant)
        elif spelled.count("/") > _DEEPEST_ON_A_MAC:
            why = (
                f"lies more than {_DEEPEST_ON_A_MAC} folders deep, each a pattern there"
            )
            yield Unbuilt("grants", grant.path, why, Lack.IMPOSSIBLE, grant)


def _overlaps_on_a_mac(policy: Policy) -> Iterator[Unbuilt]:
    """Find overlaps of names that are one name there and two in the policy.

    On most volumes of a Mac the case of letters does not count, nor how an accent is
    written, and some folders of the root are links.
    """
    for one in overlaps(_posix(policy), _as_a_mac_reads):
        how = "overlaps executable path" if one.executes else "holds path"
        yield Unbuilt(
            "grants",
            one.writable.path,
            f"{how} `{one.other.path}` as macOS compares names",
            Lack.IMPOSSIBLE,
            one.writable,
        )


def _over_libraries(policy: Policy) -> Iterator[Unbuilt]:
    """Find writable paths that share files with what every program loads."""
    libraries = [row.path for row in READABLE if row.purpose is Purpose.LIBRARIES]
    for grant in _posix(policy):
        path = canonical_macos_path(grant.path).casefold()
        for library in libraries if grant.access is Access.READ_WRITE else ():
            if covers(path, library.casefold()) or covers(library.casefold(), path):
                why = (
                    f"shares files with `{library}`, which every program loads code"
                    " from; no code of a writable path is loaded there"
                )
                yield Unbuilt("grants", grant.path, why, Lack.IMPOSSIBLE, grant)
                break


def _folders_as_commands(policy: Policy) -> Iterator[Unbuilt]:
    """Find listed commands that are folders of the system, or devices."""
    folders = {
        above
        for path in (*every_macos_path(), "/dev/x")
        for above in folders_above(_as_a_mac_reads(path))
    }
    for grant in _posix(policy):
        path = _as_a_mac_reads(grant.path)
        is_none = path in folders or path.startswith("/dev/")
        if grant.access is Access.COMMAND and is_none:
            yield Unbuilt(
                "grants", grant.path, "is no program there", Lack.IMPOSSIBLE, grant
            )


def _posix(policy: Policy) -> list[Grant]:
    return [one for one in policy.grants if family_of(one.path) is Family.POSIX]


def _as_a_mac_reads(path: str) -> str:
    plain = unicodedata.normalize("NFD", canonical_macos_path(path))
    return unicodedata.normalize("NFD", plain.casefold())


def _of_places(policy: Policy) -> Iterator[Unbuilt]:
    """Find paths where no container gets an entry."""
    for grant in policy.grants:
        why = fault_of_place(grant, policy.appcontainer_name)
        if why:
            yield Unbuilt("grants", grant.path, why, Lack.IMPOSSIBLE, grant)


def _variables_by_case(policy: Policy) -> Iterator[Unbuilt]:
    """Find variables that are one variable on Windows."""
    seen: dict[str, str] = {}
    names = [(name, "pass_names") for name in policy.pass_names]
    names += [(name, "set_values") for name, _ in policy.set_values]
    for name, field in names:
        first = seen.setdefault(name.upper(), name)
        if first != name:
            why = f"is the variable `{first}` as well: case does not count there"
            yield Unbuilt(field, name, why, Lack.IMPOSSIBLE)
