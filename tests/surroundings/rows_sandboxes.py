# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List surroundings that are sandboxes: filters, layers, our own."""

from __future__ import annotations

from surrounding import NO_MOUNTS, by_user, under

_HIDDEN_LANDLOCK = (
    "Landlock's calls do not answer, and an outer seccomp filter is in force here that"
    " may hide them; let the enclosing container or service allow `seccomp` and the"
    " `landlock_*` calls"
)
_HIDDEN_SECCOMP = (
    "the `seccomp` call does not answer, and an outer seccomp filter is in force here"
    " that may hide it; let the enclosing container or service allow `seccomp` and the"
    " `landlock_*` calls"
)
_MAY_REFUSE = (
    "an outer seccomp filter is in force here and may refuse the call: let the"
    " enclosing container or service allow it"
)

FILTERS = (
    under("docker", "Docker's default profile", "docker"),
    under(
        "docker-before-20-10",
        "the same as of 2019: EPERM for every call since Linux 5.1",
        "old-docker",
        refused=_HIDDEN_LANDLOCK,
    ),
    under(
        "service",
        "systemd's `SystemCallFilter=@system-service`, answering EPERM",
        "service",
        refused=_HIDDEN_SECCOMP,
    ),
    under(
        "service-killing",
        "the same, killing",
        "service-killing",
        refused=_HIDDEN_SECCOMP,
    ),
    under(
        "service-sandbox",
        "the same, killing, with `seccomp` and the `landlock_*` calls allowed",
        "service-sandbox",
    ),
    under(
        "privileged",
        "`SystemCallFilter=~@privileged @resources @mount`, answering EPERM",
        "privileged",
    ),
    under("privileged-killing", "the same, killing", "privileged-killing"),
    under("native", "`SystemCallArchitectures=native`", "native"),
    under(
        "hardened",
        "`SystemCallFilter=@system-service` with `seccomp` and `landlock_*`,"
        " `~@privileged @resources`, `RestrictNamespaces`, `RestrictAddressFamilies`,"
        " `MemoryDenyWriteExecute`, `LockPersonality`, `RestrictRealtime`,"
        " `RestrictSUIDSGID`",
        "hardened",
    ),
    under(
        "hardened-in-docker",
        "Docker's profile, the two rows before in it",
        "docker",
        "native",
        "hardened",
    ),
    under(
        "landlock-unknown",
        "a filter that answers ENOSYS to Landlock's calls",
        "ENOSYS:landlock_create_ruleset,landlock_add_rule,landlock_restrict_self",
        refused=_HIDDEN_LANDLOCK,
    ),
    under(
        "landlock-restrict",
        "a filter that refuses `landlock_restrict_self` only",
        "EPERM:landlock_restrict_self",
        refused=_HIDDEN_LANDLOCK,
    ),
    under(
        "landlock-killing",
        "a filter that kills at `landlock_add_rule`",
        "KILL_PROCESS:landlock_add_rule",
        refused=_HIDDEN_LANDLOCK,
    ),
    under(
        "seccomp-killing",
        "a filter that kills at `seccomp`",
        "KILL_PROCESS:seccomp",
        refused=_HIDDEN_SECCOMP,
    ),
    under(
        "seccomp-trapping",
        "a filter that sends SIGSYS at `seccomp`",
        "TRAP:seccomp",
        refused=_HIDDEN_SECCOMP,
    ),
    under(
        "statx",
        "a filter that refuses `statx`",
        "EPERM:statx",
        refused=_MAY_REFUSE,
    ),
    under(
        "statx-killing",
        "a filter that kills at `statx`, as no list of today does",
        "KILL_PROCESS:statx",
        ended="SIGSYS",
    ),
    under(
        "newer-calls",
        "a filter that refuses `openat2`, `close_range`, `faccessat2` and `clone3`",
        "EPERM:openat2,close_range,faccessat2,clone3",
    ),
    under(
        "no-new-processes",
        "a filter that refuses every new process and thread",
        "EPERM:clone,clone3,fork,vfork",
        undecided=True,
    ),
    under(
        "no-new-processes-killing",
        "the same, killing: nobody is left to find out",
        "KILL_PROCESS:clone,clone3,fork,vfork",
        ended="SIGSYS",
    ),
    by_user(
        "supervised",
        "a supervisor answers `openat`, `clone`, `seccomp` and `execve`",
        ("supervised", "NOTIFY:openat,clone,seccomp,execve"),
    ),
)

SANDBOXES = (
    by_user("layers-15", "15 layers of Landlock around", ("layers", 15)),
    by_user(
        "layers-16",
        "16 layers of Landlock around",
        ("layers", 16),
        refused="already inside 16 sandboxes, as many as the kernel nests",
    ),
    by_user(
        "nested-other",
        "a sandbox of another policy, which grants `/proc`",
        through=("wide",),
    ),
    by_user(
        "nested-twice",
        "two sandboxes of another policy, which grants `/proc`",
        through=("wide", "wide"),
    ),
    by_user(
        "nested-same",
        "a sandbox of the same policy, which grants what the launcher needs",
        policy="wide",
        through=("wide", "wide"),
    ),
    by_user(
        "nested-without-proc",
        "a sandbox that does not grant `/proc`, and a writable path inside",
        through=("narrow",),
        refused=NO_MOUNTS,
    ),
    by_user(
        "nested-without-proc-reading",
        "the same, and no writable path inside",
        policy="reading",
        through=("narrow",),
    ),
    by_user(
        "nested-alone",
        'a sandbox with `children = "none"`',
        through=("alone",),
        undecided=True,
    ),
)
