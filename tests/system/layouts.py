# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rebuild what distributions have of the system set: folders, files and links.

Written from what their packages install; a text that begins with `-> ` is a link.
`read` are files that a client must be able to read there by the name programs use,
`closed` what it must not.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Layout:
    """One distribution: its tree, and what a program finds in it."""

    tree: dict[str, str]
    network: tuple[str, ...]
    always: tuple[str, ...] = ("/lib/libc.so.6", "/etc/localtime")
    closed: tuple[str, ...] = field(default=("/etc/passwd", "/etc/hostname"))


_COMMON = {
    "/etc/passwd": "nobody",
    "/etc/hostname": "host",
    "/etc/hosts": "127.0.0.1 localhost",
    "/etc/services": "http 80/tcp",
    "/etc/protocols": "tcp 6 TCP",
    "/usr/share/zoneinfo/UTC": "TZif2",
    "/etc/localtime": "-> ../usr/share/zoneinfo/UTC",
    "/home/user/secret": "a secret",
}
_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/protocols")
_DEBIAN_BUNDLE = {
    "/etc/ssl/certs/ca-certificates.crt": "the bundle",
    "/etc/ssl/certs/Root.pem": "-> /usr/share/ca-certificates/mozilla/Root.crt",
    "/usr/share/ca-certificates/mozilla/Root.crt": "a root",
    "/etc/ssl/certs/Own.pem": "-> /usr/local/share/ca-certificates/Own.crt",
    "/usr/local/share/ca-certificates/Own.crt": "an own root",
    "/etc/ssl/openssl.cnf": "settings",
    "/etc/ssl/private/key.pem": "a private key",
    "/usr/lib/ssl/certs": "-> /etc/ssl/certs",
    "/usr/lib/ssl/openssl.cnf": "-> /etc/ssl/openssl.cnf",
}
_DEBIAN_READ = (
    *("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/Root.pem"),
    *("/etc/ssl/certs/Own.pem", "/usr/lib/ssl/openssl.cnf", "/usr/lib/ssl/certs/"),
)
_CLOSED = ("/etc/passwd", "/etc/hostname", "/home/user/secret")
_PRIVATE = (*_CLOSED, "/etc/ssl/private/key.pem")

LAYOUTS: dict[str, Layout] = {
    "debian-merged-resolvconf": Layout(
        _COMMON
        | _DEBIAN_BUNDLE
        | {
            "/lib": "-> usr/lib",
            "/lib64": "-> usr/lib64",
            "/usr/lib/libc.so.6": "a library",
            "/usr/lib64/ld-linux-x86-64.so.2": "-> ../lib/libc.so.6",
            "/etc/timezone": "Etc/UTC",
            "/etc/nsswitch.conf": "hosts: files dns",
            "/etc/resolv.conf": "-> ../run/resolvconf/resolv.conf",
            "/run/resolvconf/resolv.conf": "nameserver 192.0.2.53",
        },
        (*_NAMES, "/etc/nsswitch.conf", *_DEBIAN_READ),
        always=("/lib/libc.so.6", "/lib64/", "/etc/localtime", "/etc/timezone"),
        closed=_PRIVATE,
    ),
    "debian-split": Layout(
        _COMMON
        | _DEBIAN_BUNDLE
        | {
            "/lib/libc.so.6": "a library",
            "/lib64/ld-linux-x86-64.so.2": "-> /lib/libc.so.6",
            "/usr/lib/libz.so.1": "a library",
            "/etc/resolv.conf": "nameserver 192.0.2.53",
        },
        (*_NAMES, *_DEBIAN_READ),
        always=("/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/lib/libz.so.1"),
        closed=_PRIVATE,
    ),
    "ubuntu-resolved": Layout(
        _COMMON
        | _DEBIAN_BUNDLE
        | {
            "/lib": "-> usr/lib",
            "/usr/lib/libc.so.6": "a library",
            "/etc/resolv.conf": "-> ../run/systemd/resolve/stub-resolv.conf",
            "/run/systemd/resolve/stub-resolv.conf": "nameserver 127.0.0.53",
            "/run/systemd/resolve/resolv.conf": "nameserver 192.0.2.53",
        },
        (*_NAMES, "/run/systemd/resolve/resolv.conf", *_DEBIAN_READ),
        closed=_PRIVATE,
    ),
    "fedora": Layout(
        _COMMON
        | {
            "/lib": "-> usr/lib",
            "/lib64": "-> usr/lib64",
            "/usr/lib64/libc.so.6": "a library",
            "/usr/lib/modules": "text",
            "/etc/ssl/certs": "-> ../pki/tls/certs",
            "/etc/pki/tls/certs/ca-bundle.crt": (
                "-> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
            ),
            "/etc/pki/tls/cert.pem": (
                "-> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
            ),
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem": "the bundle",
            "/etc/pki/tls/private/key.pem": "a private key",
            "/etc/pki/tls/openssl.cnf": "settings",
            "/usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit": "roots",
            "/etc/crypto-policies/back-ends/openssl.config": (
                "-> /usr/share/crypto-policies/DEFAULT/openssl.txt"
            ),
            "/usr/share/crypto-policies/DEFAULT/openssl.txt": "ciphers",
            "/etc/resolv.conf": "-> ../run/systemd/resolve/stub-resolv.conf",
            "/run/systemd/resolve/stub-resolv.conf": "nameserver 127.0.0.53",
        },
        (
            *_NAMES,
            "/etc/ssl/certs/ca-bundle.crt",
            "/etc/pki/tls/cert.pem",
            "/etc/pki/tls/openssl.cnf",
            "/etc/crypto-policies/back-ends/openssl.config",
            "/usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit",
        ),
        always=("/lib64/libc.so.6", "/etc/localtime"),
        closed=(*_CLOSED, "/etc/pki/tls/private/key.pem"),
    ),
    "arch": Layout(
        _COMMON
        | {
            "/lib": "-> usr/lib",
            "/lib64": "-> usr/lib",
            "/usr/lib64": "-> lib",
            "/usr/lib/libc.so.6": "a library",
            "/usr/lib32/libc.so.6": "a library",
            "/etc/ssl/certs/ca-certificates.crt": (
                "-> ../../ca-certificates/extracted/tls-ca-bundle.pem"
            ),
            "/etc/ssl/cert.pem": "-> ../ca-certificates/extracted/tls-ca-bundle.pem",
            "/etc/ca-certificates/extracted/tls-ca-bundle.pem": "the bundle",
            "/usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit": "roots",
            "/etc/ssl/openssl.cnf": "settings",
            "/etc/resolv.conf": "nameserver 192.0.2.53",
        },
        (
            *_NAMES,
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/ssl/cert.pem",
            "/etc/ssl/openssl.cnf",
            "/usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit",
        ),
        always=("/lib64/libc.so.6", "/usr/lib32/libc.so.6"),
        closed=_CLOSED,
    ),
    "alpine": Layout(
        _COMMON
        | {
            "/lib/ld-musl-x86_64.so.1": "the loader",
            "/usr/lib/libz.so.1": "a library",
            "/etc/ld-musl-x86_64.path": "/lib:/usr/lib",
            "/etc/zoneinfo/UTC": "TZif2",
            "/etc/localtime": "-> /etc/zoneinfo/UTC",
            "/etc/ssl/certs/ca-certificates.crt": "the bundle",
            "/etc/ssl/cert.pem": "-> certs/ca-certificates.crt",
            "/etc/ssl/openssl.cnf": "settings",
            "/etc/resolv.conf": "nameserver 192.0.2.53",
        },
        (*_NAMES, "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf"),
        always=(
            "/lib/ld-musl-x86_64.so.1",
            "/usr/lib/libz.so.1",
            "/etc/ld-musl-x86_64.path",
            "/etc/localtime",
        ),
        closed=_CLOSED,
    ),
    "nixos": Layout(
        _COMMON
        | {
            "/nix/store/1-glibc/lib/libc.so.6": "a library",
            "/nix/store/2-etc/etc/ssl/certs/ca-bundle.crt": "-> /nix/store/3-cacert/b",
            "/nix/store/3-cacert/b": "the bundle",
            "/nix/store/4-tzdata/UTC": "TZif2",
            "/etc/static": "-> /nix/store/2-etc/etc",
            "/etc/zoneinfo": "-> /nix/store/4-tzdata",
            "/etc/localtime": "-> /etc/zoneinfo/UTC",
            "/etc/ssl/certs/ca-bundle.crt": "-> /etc/static/ssl/certs/ca-bundle.crt",
            "/etc/ssl/certs/ca-certificates.crt": (
                "-> /etc/static/ssl/certs/ca-bundle.crt"
            ),
            "/etc/resolv.conf": "nameserver 192.0.2.53",
        },
        (
            *_NAMES,
            "/etc/ssl/certs/ca-bundle.crt",
            "/etc/ssl/certs/ca-certificates.crt",
        ),
        always=("/nix/store/1-glibc/lib/libc.so.6", "/etc/localtime"),
        closed=_CLOSED,
    ),
}
