# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the system paths that programs need to start, and those of a network client.

Every path is optional: distributions lay them out differently, with a merged /usr or
without, and what a host lacks is skipped there. What leads elsewhere is followed, so a
link needs no row for its end. None holds user data.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from stockade.model.policy import Ip, Policy, System


class Purpose(StrEnum):
    """What a path of the system set is there for."""

    LIBRARIES = "shared libraries and the dynamic loader"
    TIME_ZONES = "time zones"
    DEVICES = "devices"
    RESOLVER = "name resolution"
    CERTIFICATES = "certificates and settings of TLS"


# What programs need only where they may use the network.
_OF_NETWORKS = (Purpose.RESOLVER, Purpose.CERTIFICATES)


@dataclass(frozen=True, slots=True)
class SystemPath:
    """One path of the set, what it is for, and the systems that have it."""

    path: str
    purpose: Purpose
    systems: str


_EVERYWHERE = "all"


def _rows(purpose: Purpose, systems: str, *paths: str) -> tuple[SystemPath, ...]:
    return tuple(SystemPath(path, purpose, systems) for path in paths)


READABLE: tuple[SystemPath, ...] = (
    *_rows(Purpose.LIBRARIES, _EVERYWHERE, "/lib", "/usr/lib", "/usr/local/lib"),
    *_rows(
        Purpose.LIBRARIES,
        "Debian, Ubuntu, Fedora, Arch",
        "/lib64",
        "/usr/lib64",
        "/etc/ld.so.cache",
        "/etc/ld.so.preload",
    ),
    *_rows(Purpose.LIBRARIES, "Fedora", "/usr/local/lib64"),
    *_rows(
        Purpose.LIBRARIES,
        "Debian, Ubuntu, Arch",
        "/lib32",
        "/libx32",
        "/usr/lib32",
        "/usr/libx32",
    ),
    *_rows(
        Purpose.LIBRARIES,
        "Alpine",
        "/etc/ld-musl-x86_64.path",
        "/etc/ld-musl-aarch64.path",
    ),
    # The store holds every package, libraries among them; all of it is public.
    *_rows(
        Purpose.LIBRARIES,
        "NixOS",
        "/nix/store",
        "/run/current-system/sw/lib",
        "/run/opengl-driver/lib",
    ),
    *_rows(Purpose.TIME_ZONES, _EVERYWHERE, "/etc/localtime", "/usr/share/zoneinfo"),
    *_rows(Purpose.TIME_ZONES, "Debian, Ubuntu", "/etc/timezone"),
    *_rows(Purpose.TIME_ZONES, "Alpine, NixOS", "/etc/zoneinfo"),
    *_rows(
        Purpose.DEVICES,
        _EVERYWHERE,
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
        "/dev/zero",
    ),
    *_rows(
        Purpose.RESOLVER,
        _EVERYWHERE,
        "/etc/gai.conf",
        "/etc/host.conf",
        "/etc/hosts",
        "/etc/nsswitch.conf",
        "/etc/protocols",
        "/etc/resolv.conf",
        "/etc/services",
    ),
    # Folders of resolvers: `/etc/resolv.conf` is a link to a file in one, and the
    # file is replaced by renaming, so that a grant of the file alone would be lost.
    *_rows(
        Purpose.RESOLVER,
        "where systemd-resolved or resolvconf writes the file",
        "/run/systemd/resolve",
        "/run/resolvconf",
    ),
    *_rows(
        Purpose.CERTIFICATES,
        "Debian, Ubuntu, Arch, Alpine, NixOS",
        "/etc/ssl/certs",
        "/etc/ssl/openssl.cnf",
    ),
    *_rows(
        Purpose.CERTIFICATES,
        "Debian, Ubuntu, Arch, Alpine",
        "/usr/local/share/ca-certificates",
        "/usr/share/ca-certificates",
    ),
    *_rows(
        Purpose.CERTIFICATES,
        "Arch",
        "/etc/ca-certificates/extracted",
        "/etc/ca-certificates/trust-source",
    ),
    *_rows(Purpose.CERTIFICATES, "Alpine", "/etc/ssl/cert.pem"),
    *_rows(
        Purpose.CERTIFICATES,
        "Fedora",
        "/etc/crypto-policies",
        "/etc/pki/ca-trust/extracted",
        "/etc/pki/ca-trust/source",
        "/etc/pki/tls/cert.pem",
        "/etc/pki/tls/certs",
        "/etc/pki/tls/openssl.cnf",
        "/etc/pki/tls/openssl.d",
        "/usr/share/crypto-policies",
        "/usr/share/pki/ca-trust-source",
    ),
    *_rows(Purpose.CERTIFICATES, "openSUSE", "/var/lib/ca-certificates"),
)
# Discarding output is writing to the null device, which holds nothing.
WRITABLE: tuple[SystemPath, ...] = (
    SystemPath("/dev/null", Purpose.DEVICES, _EVERYWHERE),
)


def readable_system_paths(policy: Policy) -> tuple[str, ...]:
    """List the paths of the system set that a policy makes readable, sorted."""
    return _readable(policy.system, policy.ip)


@cache
def _readable(system: System, ip: Ip) -> tuple[str, ...]:
    if system is System.NONE:
        return ()
    return tuple(
        sorted(
            row.path
            for row in READABLE
            if ip is not Ip.NONE or row.purpose not in _OF_NETWORKS
        )
    )


def writable_system_paths(policy: Policy) -> tuple[str, ...]:
    """List the devices of the system set that a policy makes writable."""
    if policy.system is System.NONE:
        return ()
    return tuple(row.path for row in WRITABLE)
