# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what any caller can do to a process before it starts another."""

from __future__ import annotations

from surrounding import by_user

_LOW = "raise the hard limit (`ulimit -Hn`)"
LIMITS = (
    by_user("files-0", "no descriptors at all", ("limit", "NOFILE", 0), refused=_LOW),
    by_user("files-3", "3 descriptors", ("limit", "NOFILE", 3), refused=_LOW),
    by_user("files-16", "16 descriptors", ("limit", "NOFILE", 16), refused=_LOW),
    by_user("files-64", "64 descriptors", ("limit", "NOFILE", 64)),
    by_user(
        "files-soft-4",
        "4 descriptors, a limit that could be raised",
        ("soft-limit", "NOFILE", 4),
        refused="the limit of descriptors is 4 and proving the start takes 16; raise"
        " it (`ulimit -n`)",
    ),
    by_user(
        "files-soft-16",
        "16 descriptors, a limit that could be raised",
        ("soft-limit", "NOFILE", 16),
    ),
    by_user(
        "processes-0",
        "no processes",
        ("limit", "NPROC", 0),
        ("no-processes",),
        undecided=True,
    ),
    by_user("size-0", "no bytes in files", ("limit", "FSIZE", 0)),
    by_user("core-0", "no core files", ("limit", "CORE", 0)),
    by_user("space-8m", "8 MiB of address space", ("limit", "AS", 8 << 20)),
    by_user(
        "space-2m",
        "2 MiB of address space: the kernel cannot load the launcher",
        ("limit", "AS", 2 << 20),
        ended="SIGSEGV",
    ),
    by_user("stack-64k", "64 KiB of stack", ("limit", "STACK", 64 << 10)),
    by_user(
        "stack-4k",
        "4 KiB of stack: less than the kernel itself puts there",
        ("limit", "STACK", 4 << 10),
        ended="SIGSEGV",
    ),
)

_HOSTILE = {
    "LD_PRELOAD": "/nonexistent.so",
    "LD_AUDIT": "/nonexistent.so",
    "LD_LIBRARY_PATH": "/tmp",
    "LD_BIND_NOW": "1",
    "LD_DEBUG": "all",
    "GCONV_PATH": "/tmp",
    "LOCPATH": "/tmp",
    "NLSPATH": "/tmp/%N",
    "PYTHONPATH": "/tmp",
    "PYTHONHOME": "/tmp",
    "PYTHONSTARTUP": "/tmp/start.py",
    "GLIBC_TUNABLES": "glibc.malloc.check=3:glibc.rtld.optional_static_tls=1",
    "MALLOC_CHECK_": "3",
    "MALLOC_PERTURB_": "165",
    "HOME": "/etc",
    "TMPDIR": "/nonexistent",
    "XDG_RUNTIME_DIR": "/",
    "XDG_CONFIG_HOME": "relative",
    "IFS": "/",
}
PROCESSES = (
    by_user("closed", "0, 1 and 2 closed", ("close", 0, 1, 2), unheard=True),
    by_user("closed-input", "0 closed", ("close", 0)),
    by_user("open-many", "200 descriptors and a high one open", ("open-many", 200)),
    by_user("ignored", "SIGCHLD and SIGPIPE ignored", ("ignore", "SIGCHLD", "SIGPIPE")),
    by_user("ignored-all", "every signal ignored", ("ignore-all",)),
    by_user("blocked-all", "every signal blocked", ("block-all",)),
    by_user(
        "pending",
        "signals blocked and pending, SIGSEGV and SIGSYS among them",
        ("pending", "SIGTERM", "SIGUSR1", "SIGCHLD", "SIGSEGV", "SIGSYS"),
    ),
    by_user("alarm", "an alarm set", ("alarm", 30)),
    by_user("stop-and-go", "stopped and continued over and over", ("stop-and-go",)),
    by_user(
        "in-background",
        "in the background of a terminal that stops whoever writes",
        ("in-background",),
    ),
    by_user("session", "a session without a terminal", ("session",)),
    by_user("hostile-variables", "variables that mislead", ("variables", _HOSTILE)),
    by_user("many-variables", "10,000 variables", ("many-variables", 10_000)),
    by_user(
        "no-arguments",
        "no arguments, not even a name",
        ("arguments",),
        refused="no artifact is named; see --help",
    ),
    by_user("deleted-folder", "a working folder that is deleted", ("deleted-folder",)),
    by_user("outside-folder", "a working folder outside", ("working-folder", "/")),
    by_user(
        "setgid-folder",
        "a working folder with the set-group-ID bit",
        ("working-folder", "SETGID"),
    ),
    by_user("umask-0", "umask 0", ("umask", "0")),
    by_user("umask-777", "umask 777", ("umask", "777")),
    by_user("not-random", "addresses not randomised", ("personality", 0x40000)),
    by_user("read-executes", "what can be read can run", ("personality", 0x400000)),
    by_user("machine-32", "a 32-bit personality", ("personality", 8)),
    by_user("no-write-execute", "PR_SET_MDWE", ("prctl", 65, 1), needs=("linux-6.3",)),
    by_user("not-dumpable", "not dumpable", ("prctl", 4, 0)),
    by_user("timer-slack", "a timer slack of a second", ("prctl", 29, 10**9)),
    by_user("no-new-privileges", "`NoNewPrivileges=yes`", ("no-new-privileges",)),
    by_user("idle", "the lowest priority", ("nice", 19)),
)
