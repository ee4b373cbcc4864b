# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name well-known SIDs, and the two letters that SDDL has for them.

Source: learn.microsoft.com, "SID Strings". Letters that stand for accounts of a
domain have no SID without the domain's, so they are left out.
"""

from __future__ import annotations

EVERYONE = "S-1-1-0"
CREATOR_OWNER = "S-1-3-0"
CREATOR_GROUP = "S-1-3-1"
OWNER_RIGHTS = "S-1-3-4"
SYSTEM = "S-1-5-18"
AUTHENTICATED_USERS = "S-1-5-11"
ADMINISTRATORS = "S-1-5-32-544"
USERS = "S-1-5-32-545"
ALL_APPLICATION_PACKAGES = "S-1-15-2-1"
# It has no letters.
ALL_RESTRICTED_APPLICATION_PACKAGES = "S-1-15-2-2"
LOW_LEVEL, MEDIUM_LEVEL, HIGH_LEVEL, SYSTEM_LEVEL = (
    f"S-1-16-{level}" for level in (4096, 8192, 12288, 16384)
)

SID_BY_LETTERS: dict[str, str] = {
    "WD": EVERYONE,
    "CO": CREATOR_OWNER,
    "CG": CREATOR_GROUP,
    "OW": OWNER_RIGHTS,
    "NU": "S-1-5-2",
    "IU": "S-1-5-4",
    "SU": "S-1-5-6",
    "AN": "S-1-5-7",
    "PS": "S-1-5-10",
    "AU": AUTHENTICATED_USERS,
    "RC": "S-1-5-12",
    "SY": SYSTEM,
    "LS": "S-1-5-19",
    "NS": "S-1-5-20",
    "WR": "S-1-5-33",
    "BA": ADMINISTRATORS,
    "BU": USERS,
    "BG": "S-1-5-32-546",
    "AC": ALL_APPLICATION_PACKAGES,
    "LW": LOW_LEVEL,
    "ME": MEDIUM_LEVEL,
    "HI": HIGH_LEVEL,
    "SI": SYSTEM_LEVEL,
}
LETTERS_BY_SID: dict[str, str] = {sid: name for name, sid in SID_BY_LETTERS.items()}


def names_containers(sid: str) -> bool:
    """Tell whether a SID is one of containers or capabilities, not of users."""
    return sid.startswith(("S-1-15-2-", "S-1-15-3-"))
