# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive the SIDs that Windows gives to containers and capabilities by their names.

Sources: the package SID is the first 28 bytes of SHA-256 over the lower-cased name
(devblogs.microsoft.com/oldnewthing/20220502-00/?p=106550, microsoft/testfx#10491);
a capability's is all of SHA-256 over the upper-cased one (the remarks of
DeriveCapabilitySidsFromName, ntdoc.m417z.com/rtlderivecapabilitysidsfromname). Names
are hashed as UTF-16LE without an end. Compared with published SIDs in tests/abi,
never with a running Windows.
"""

from __future__ import annotations

import hashlib
import re
import struct

# What CreateAppContainerProfile takes.
_CONTAINER_NAME = re.compile(r"[-_. A-Za-z0-9]{1,64}")
# Windows derives these capabilities by a rule of their own that nobody published.
_UNKNOWN_CLASS = "isolatedwin32"
# In the order of their numbers, S-1-15-3-1 to S-1-15-3-12, which they keep whatever
# their hash is (Chromium base/win/sid_unittest.cc).
_NUMBERED = (
    *("internetClient", "internetClientServer", "privateNetworkClientServer"),
    *("picturesLibrary", "videosLibrary", "musicLibrary", "documentsLibrary"),
    *("enterpriseAuthentication", "sharedUserCertificates", "removableStorage"),
    *("appointments", "contacts"),
)
_BY_NUMBER = {name.lower(): number for number, name in enumerate(_NUMBERED, 1)}


class NameNotDerivableError(ValueError):
    """No SID is known for a name."""


def container_sid(name: str) -> str:
    """Give the SID of the container of a name; case does not matter."""
    if not _CONTAINER_NAME.fullmatch(name):
        raise NameNotDerivableError(
            f"`{name}` is no container name: 1 to 64 of `-_. A-Za-z0-9`"
        )
    return _joined("S-1-15-2", _words(name.lower())[:7])


def capability_sid(name: str) -> str:
    """Give the SID of a capability's name in a token; case does not matter."""
    words = _capability_words(name)
    number = _BY_NUMBER.get(name.lower())
    if number is not None:
        return f"S-1-15-3-{number}"
    return _joined("S-1-15-3-1024", words)


def group_sid(name: str) -> str:
    """Give the SID of the group of a capability's name, hashed for every name."""
    return _joined("S-1-5-32", _capability_words(name))


def _capability_words(name: str) -> tuple[int, ...]:
    # Other letters have casings that differ between systems. Without a letter there is
    # a SID all the same: Chromium's base/win/sid_unittest.cc derives one.
    if not name.isascii():
        raise NameNotDerivableError(f"`{name}` is no capability name: ASCII only")
    if name.lower().startswith(_UNKNOWN_CLASS):
        raise NameNotDerivableError(
            f"`{name}` is a capability whose SID Windows derives by an unknown rule"
        )
    return _words(name.upper())


def _words(text: str) -> tuple[int, ...]:
    """Hash a text into eight words."""
    return struct.unpack("<8I", hashlib.sha256(text.encode("utf-16-le")).digest())


def _joined(prefix: str, words: tuple[int, ...]) -> str:
    return "-".join((prefix, *map(str, words)))
