# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what a host must have for a container, and what the launcher reads back.

No Windows has run these checks: their reasons are documented behaviour and reports
of others, named in docs/windows.md.
"""

from __future__ import annotations

from stockade.model.policy import Access, Junctions, Policy
from stockade.model.windows_artifact import Preflight, PreflightKind
from stockade.targets.windows.network import loopback_exempt

_VERSION = Preflight(
    "windows-version",
    PreflightKind.REQUIRED,
    "Windows 10 version 1809 or Windows Server 2019, or newer",
)
_FIREWALL_FIX = Preflight(
    "firewall-fix",
    PreflightKind.REQUIRED,
    "the fix for CVE-2021-41338, by which containers went around the firewall",
)
_NOT_EMULATED = Preflight(
    "not-emulated",
    PreflightKind.REQUIRED,
    "no emulator of Windows: such a host takes these settings and enforces none",
)
_SAME_SIDS = Preflight(
    "same-sids",
    PreflightKind.REQUIRED,
    "the system derives the SIDs that stand here; a caller that is itself packaged"
    " gets others",
)
_NAME_FREE = Preflight(
    "name-free",
    PreflightKind.REQUIRED,
    "no program of another policy runs under this container's name",
)
_LOCAL_PATHS = Preflight(
    "local-paths",
    PreflightKind.REQUIRED,
    "every path is on a local volume with access lists, and each step to it, opened"
    " without following links, ends at its final name",
)
_ENTRIES_ALLOWED = Preflight(
    "entries-allowed",
    PreflightKind.REQUIRED,
    "this user may change the access list of every path, or the path is open to the"
    " container already",
)
_WRITABLE_APART = Preflight(
    "writable-not-executable",
    PreflightKind.REQUIRED,
    "no writable path is executable to all application packages already",
)
_JUNCTIONS_REFUSED = Preflight(
    "junctions-refused",
    PreflightKind.REQUIRED,
    "no junction lies on the way to a folder of the policy",
)
_JUNCTION_CLOSED = Preflight(
    "junction-closed",
    PreflightKind.WARNING,
    "a junction on the way to a folder of the policy is not this user's own and gets"
    " no entry: the program opens the folder by its other names only",
)
_SESSION_ZERO = Preflight(
    "session-zero",
    PreflightKind.WARNING,
    "the launcher runs in session 0, where services run: the container's objects are"
    " named beside theirs",
)
_EXEMPT = Preflight(
    "loopback-exemption",
    PreflightKind.SETUP,
    "the container is on the machine's list of loopback exemptions; foreign entries of"
    " that list stay",
)
_NOT_EXEMPT = Preflight(
    "no-loopback-exemption",
    PreflightKind.SETUP,
    "the container is not on the machine's list of loopback exemptions",
)
_DRIVE_ROOT = Preflight(
    "drive-root",
    PreflightKind.ADVICE,
    "programs that look at each folder above a path, such as Node.js, fail where the"
    " drive's root tells a container nothing; stockade never changes it",
)
_NULL_DEVICE = Preflight(
    "null-device",
    PreflightKind.ADVICE,
    "programs that open NUL fail where the device is closed to containers, which"
    " Windows restores at each boot; the three streams are handed over open",
)
_ENTRIES_READ_BACK = Preflight(
    "entries",
    PreflightKind.READ_BACK,
    "the access list of every path holds the entries that were written",
)
_TOKEN_READ_BACK = Preflight(
    "token",
    PreflightKind.READ_BACK,
    "the process has this container's SID, these capabilities and no other",
)
_PROCESS_READ_BACK = Preflight(
    "process",
    PreflightKind.READ_BACK,
    "the process is in the job, with the limits and mitigations that stand here",
)


def preflight(policy: Policy) -> tuple[Preflight, ...]:
    """List, in order, what is checked before a start and what is read back in it."""
    writable = any(grant.access is Access.READ_WRITE for grant in policy.grants)
    refused = policy.junctions is Junctions.REFUSE
    candidates = (
        (True, _VERSION),
        (True, _FIREWALL_FIX),
        (True, _NOT_EMULATED),
        (True, _SAME_SIDS),
        (True, _NAME_FREE),
        (bool(policy.grants), _LOCAL_PATHS),
        (bool(policy.grants), _ENTRIES_ALLOWED),
        (writable, _WRITABLE_APART),
        (bool(policy.grants), _JUNCTIONS_REFUSED if refused else _JUNCTION_CLOSED),
        (True, _SESSION_ZERO),
        (True, _EXEMPT if loopback_exempt(policy.ip) else _NOT_EXEMPT),
        (True, _DRIVE_ROOT),
        (True, _NULL_DEVICE),
        (True, _ENTRIES_READ_BACK),
        (True, _TOKEN_READ_BACK),
        (True, _PROCESS_READ_BACK),
    )
    return tuple(one for holds, one in candidates if holds)
