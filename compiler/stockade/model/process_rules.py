# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the refused ways to reach, start and signal other processes."""

from __future__ import annotations

from stockade.model.calls import (
    CallRule,
    any_bit,
    is_,
    is_not,
    no_bit,
    not_null,
    not_own_process,
    refuse,
)

# Flags of clone, from linux/sched.h.
_CLONE_PARENT = 0x8000
_CLONE_THREAD = 0x10000

_PRIVILEGE = "no-privilege-escalation"
_PROCESSES = "processes-protected"
_SIGNALS = "signals-isolated"
_OTHERS = "others-fixed"
_CHILDREN = "children-denied"

PROCESS_RULES: tuple[CallRule, ...] = (
    # Landlock's ptrace scope keeps these to the sandbox as well.
    refuse(
        "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise",
        "EPERM",
        "other processes' memory and descriptors",
        _PROCESSES,
        when="surface-reduced",
    ),
    refuse("process_mrelease", "EPERM", "another process's memory", _PROCESSES),
    refuse(
        "shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl"
        " semtimedop",
        "EPERM",
        "shared with every process of the user",
        _PROCESSES,
        when="ipc-refused",
    ),
    # Landlock sees a queue opened, but not its name made or removed (measured), so
    # these stay refused where System V objects are shared.
    refuse(
        "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
        "EPERM",
        "queues of every process of the user",
        _PROCESSES,
    ),
    # RLIMIT_CORE and RLIMIT_CPU of another process are a way to its memory and end.
    # A child that outlives the program would meet the program's number again, as
    # that of a stranger (measured): with children only the caller itself, 0.
    refuse(
        "prlimit64",
        "EPERM",
        "another process's limits",
        _PROCESSES,
        not_null(2),
        not_own_process(0, 0),
        when="children-none",
    ),
    refuse(
        "prlimit64",
        "EPERM",
        "limits of a process by number",
        _PROCESSES,
        not_null(2),
        is_not(0, 0),
        when="children-allowed",
    ),
    # The caller would reap a stranger.
    refuse("clone", "EPERM", "CLONE_PARENT", _PRIVILEGE, any_bit(0, _CLONE_PARENT)),
    refuse(
        "clone",
        "EPERM",
        "a new process",
        _CHILDREN,
        no_bit(0, _CLONE_THREAD),
        when="children-none",
    ),
    refuse("fork vfork", "EPERM", "a new process", _CHILDREN, when="children-none"),
)

# Calls that act on a process by number: the calls, what they change, the argument.
_BY_PROCESS = (
    ("setpriority ioprio_set", "priority", 1),
    (
        "sched_setaffinity sched_setscheduler sched_setparam sched_setattr",
        "scheduling",
        0,
    ),
)

# Signals that end, stop or continue a process, and 0, which only asks:
# HUP, INT, QUIT, KILL, TERM, CONT, STOP of asm-generic/signal.h.
_TERMINATING = (0, 1, 2, 3, 9, 15, 18, 19)
# Calls that carry a signal's number: the argument that names the process, and the
# argument that holds the number.
_SENDING = (
    ("kill tkill rt_sigqueueinfo", 0, 1),
    ("tgkill rt_tgsigqueueinfo", 0, 2),
)

_BY_NUMBER = (
    refuse(
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo",
        "EPERM",
        "another process",
        _SIGNALS,
        not_own_process(0),
        when="signals-by-number",
    ),
    refuse(
        "pidfd_send_signal",
        "EPERM",
        "another process",
        _SIGNALS,
        when="signals-by-number",
    ),
    # A number is the program's own only while no child can outlive it.
    *(
        refuse(
            calls,
            "EPERM",
            "a signal that does more than end or stop another process",
            _SIGNALS,
            is_not(number, *_TERMINATING),
            *tests,
            when=when,
        )
        for calls, process, number in _SENDING
        for tests, when in (
            ((not_own_process(process),), "signals-terminate children-none"),
            ((), "signals-terminate children-allowed"),
        )
    ),
    refuse(
        "pidfd_send_signal",
        "EPERM",
        "a signal that does more than end or stop another process",
        _SIGNALS,
        is_not(1, *_TERMINATING),
        when="signals-terminate",
    ),
)

_LIMITS = (
    refuse(
        "setpriority",
        "EPERM",
        "groups and users",
        _OTHERS,
        is_not(0, 0),
        when="limits-fixed",
    ),
    refuse(
        "ioprio_set",
        "EPERM",
        "groups and users",
        _OTHERS,
        is_not(0, 1),
        when="limits-fixed",
    ),
    *(
        refuse(
            calls,
            "EPERM",
            f"another process's {what}",
            _OTHERS,
            test,
            when=f"limits-fixed {when}",
        )
        for calls, what, arg in _BY_PROCESS
        for test, when in (
            (not_own_process(arg, 0), "children-none"),
            (is_not(arg, 0), "children-allowed"),
        )
    ),
    # Reading them tells nothing worth a wall; `fixed` wants none of it.
    *(
        refuse(
            "prlimit64",
            "EPERM",
            "another process's limits",
            _OTHERS,
            test,
            when=f"others-fixed {when}",
        )
        for test, when in (
            (not_own_process(0, 0), "children-none"),
            (is_not(0, 0), "children-allowed"),
        )
    ),
    refuse(
        "pidfd_open pidfd_send_signal get_robust_list migrate_pages move_pages",
        "EPERM",
        "another process by number or descriptor",
        _OTHERS,
        when="others-fixed",
    ),
)

SIGNAL_RULES: tuple[CallRule, ...] = (
    refuse(
        "setpgid",
        "EPERM",
        "another job's process group",
        _SIGNALS,
        is_not(1, 0),
        when="signals-inside",
    ),
    *_LIMITS,
    *_BY_NUMBER,
    # The async rule: F_SETOWN 8, F_SETSIG 10, F_SETOWN_EX 15, and O_ASYNC by
    # F_SETFL 4, let the kernel send any signal to any process of the user. It holds
    # beside Landlock's scope as well: a standard stream may come with an owner that
    # was set outside, whom the scope does not see (measured), and some kernels let
    # signals to a whole group through (CVE-2026-72183).
    refuse(
        "fcntl",
        "EPERM",
        "signals by asynchronous I/O",
        _SIGNALS,
        is_(1, 8, 10, 15),
        when="signals-restricted",
    ),
    refuse(
        "fcntl",
        "EPERM",
        "signals by asynchronous I/O",
        _SIGNALS,
        is_(1, 4),
        any_bit(2, 0x2000),
        when="signals-restricted",
    ),
)
