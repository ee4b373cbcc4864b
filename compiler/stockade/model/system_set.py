# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the system paths that programs need to start, and the places others trust.

Every path of the system set is optional: distributions lay it out differently,
and one that a host lacks is skipped there. None holds user data.
"""

from __future__ import annotations

from functools import cache

from stockade.model.policy import Ip, Policy, System

# Shared libraries and the dynamic loader; merged and split /usr alike.
_LIBRARIES = (
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
)
_TIME_ZONES = ("/etc/localtime", "/etc/timezone", "/usr/share/zoneinfo")
_READ_DEVICES = ("/dev/full", "/dev/random", "/dev/urandom", "/dev/zero")
# Name resolution and certificates, where the program may use the network, and what the
# host lets TLS accept: unread, libraries take their own laxer settings or end.
_NETWORK = (
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/run/systemd/resolve",
    "/etc/ca-certificates/extracted",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/usr/share/ca-certificates",
    "/var/lib/ca-certificates",
    "/etc/crypto-policies",
    "/etc/pki/tls/openssl.cnf",
    "/etc/ssl/openssl.cnf",
    "/usr/share/crypto-policies",
)
# Discarding output is writing to the null device, which holds nothing.
WRITABLE_DEVICE = "/dev/null"


def readable_system_paths(policy: Policy) -> tuple[str, ...]:
    """List the paths of the system set that a policy makes readable, sorted."""
    return _readable(policy.system, policy.ip)


@cache
def _readable(system: System, ip: Ip) -> tuple[str, ...]:
    if system is System.NONE:
        return ()
    network = () if ip is Ip.NONE else _NETWORK
    return tuple(sorted((*_LIBRARIES, *_TIME_ZONES, *_READ_DEVICES, *network)))


def writable_system_paths(policy: Policy) -> tuple[str, ...]:
    """List the devices of the system set that a policy makes writable."""
    return () if policy.system is System.NONE else (WRITABLE_DEVICE,)


# What other programs of the user read as configuration or run later: a file left
# there would run outside the sandbox. Paths below the home folder; "" is the
# folder itself.
TRUSTED_IN_HOME = (
    "",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo/config",
    ".cargo/config.toml",
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/plasma-workspace",
    ".config/systemd",
    ".gitconfig",
    ".gnupg",
    ".kshrc",
    ".local/share/systemd",
    ".pam_environment",
    ".profile",
    ".ssh",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
)
# Variables that move such configuration; the second kind may begin with `~/`.
TRUSTED_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
TRUSTED_HOME_VARIABLES = ("GNUPGHOME",)
