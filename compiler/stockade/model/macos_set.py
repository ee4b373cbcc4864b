# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what the minimal system set grants on macOS 14 to 27, and why.

Paths as Seatbelt sees them: see `macos_paths`. None holds data of a user. What each
row rests on stands beside it; no start was ever tried on a Mac by this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache

from stockade.model.policy import Ip, Policy, System


class Purpose(StrEnum):
    """What a path of the macOS set is there for."""

    LIBRARIES = "system libraries and the dynamic loader"
    DATA = "data of the system libraries"
    TIME_ZONES = "time zones"
    SHELL = "the shell behind /bin/sh"
    DEVICES = "devices"
    RESOLVER = "name resolution"
    CERTIFICATES = "certificates and settings of TLS"


_OF_NETWORKS = (Purpose.RESOLVER, Purpose.CERTIFICATES)


@dataclass(frozen=True, slots=True)
class MacosPath:
    """One path with all below it, what it is for, and who says that it is needed."""

    path: str
    purpose: Purpose
    source: str


_DYLD = "Apple's dyld-support.sb of macOS 14 to 26, as reported"
_BASELINE = "the baseline that microsoft/mxc runs in its tests on macOS"
_OLDER = "NixOS/nix#5888: the cache of the loader before macOS 13"

READABLE: tuple[MacosPath, ...] = (
    MacosPath("/Library/Apple", Purpose.LIBRARIES, _BASELINE),
    MacosPath("/System/Cryptexes", Purpose.LIBRARIES, _DYLD),
    MacosPath("/System/Library", Purpose.LIBRARIES, _BASELINE),
    MacosPath("/System/Volumes/Preboot/Cryptexes", Purpose.LIBRARIES, _DYLD),
    MacosPath("/private/var/db/dyld", Purpose.LIBRARIES, _OLDER),
    MacosPath("/usr/lib", Purpose.LIBRARIES, _BASELINE),
    MacosPath("/usr/share", Purpose.DATA, _BASELINE),
    MacosPath(
        "/private/etc/localtime", Purpose.TIME_ZONES, "a link into the next path"
    ),
    MacosPath(
        "/private/var/db/timezone",
        Purpose.TIME_ZONES,
        "reports of SIGABRT in tzsetwall_basic without it",
    ),
    MacosPath(
        "/private/var/select/sh", Purpose.SHELL, "sandbox-defaults.sb of NixOS/nix"
    ),
    MacosPath("/dev/random", Purpose.DEVICES, _BASELINE),
    MacosPath("/dev/urandom", Purpose.DEVICES, _BASELINE),
    MacosPath("/private/etc/hosts", Purpose.RESOLVER, "hosts(5)"),
    MacosPath("/private/etc/protocols", Purpose.RESOLVER, "protocols(5)"),
    MacosPath("/private/etc/resolv.conf", Purpose.RESOLVER, "a link into the next"),
    MacosPath("/private/var/run/resolv.conf", Purpose.RESOLVER, "resolver(5)"),
    MacosPath("/private/etc/services", Purpose.RESOLVER, "services(5)"),
    MacosPath(
        "/private/etc/ssl/cert.pem", Purpose.CERTIFICATES, "LibreSSL of the system"
    ),
    MacosPath(
        "/private/etc/ssl/openssl.cnf", Purpose.CERTIFICATES, "LibreSSL of the system"
    ),
)
WRITABLE: tuple[MacosPath, ...] = (
    MacosPath("/dev/null", Purpose.DEVICES, _BASELINE),
    MacosPath("/dev/zero", Purpose.DEVICES, _BASELINE),
)
# Folders that may be listed, with nothing below them: the loader opens `/` to find
# the cryptexes by relative names, and a program without it ends by SIGABRT (measured
# by akitaonrails/ai-jail#77 on macOS 26.5.2). The others are those between.
LISTED: tuple[MacosPath, ...] = tuple(
    MacosPath(path, Purpose.LIBRARIES, _DYLD)
    for path in ("/", "/System", "/System/Volumes", "/System/Volumes/Preboot")
)
# The socket of mDNSResponder(8), which answers getaddrinfo(3).
RESOLVER_SOCKET = "/private/var/run/mDNSResponder"


class _Group(Enum):
    """Rows of the tables above that are asked for together."""

    READABLE = (*READABLE, *WRITABLE)
    WRITABLE = WRITABLE
    LISTED = LISTED
    MAPPED = tuple(row for row in READABLE if row.purpose is Purpose.LIBRARIES)


def readable_macos_paths(policy: Policy) -> tuple[str, ...]:
    """List the paths of the system set that may be read, sorted."""
    return _paths(_Group.READABLE, policy.system, policy.ip)


def writable_macos_devices(policy: Policy) -> tuple[str, ...]:
    """List the devices of the system set that may be written, sorted."""
    return _paths(_Group.WRITABLE, policy.system, policy.ip)


def listed_macos_folders(policy: Policy) -> tuple[str, ...]:
    """List the folders whose names may be listed, but nothing below them, sorted."""
    return _paths(_Group.LISTED, policy.system, policy.ip)


def mapped_macos_paths(policy: Policy) -> tuple[str, ...]:
    """List the paths of the system set whose code may be loaded, sorted."""
    return _paths(_Group.MAPPED, policy.system, policy.ip)


def every_macos_path() -> tuple[str, ...]:
    """List the paths of the start set of any policy, without the root folder."""
    return tuple(row.path for row in (*READABLE, *WRITABLE, *LISTED) if row.path != "/")


@cache
def _paths(group: _Group, system: System, ip: Ip) -> tuple[str, ...]:
    if system is System.NONE:
        return ()
    return tuple(
        sorted(
            row.path
            for row in group.value
            if ip is not Ip.NONE or row.purpose not in _OF_NETWORKS
        )
    )
