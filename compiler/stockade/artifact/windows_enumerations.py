# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number what closed fields of Windows bundles may hold."""

from __future__ import annotations

from stockade.artifact.shape import Enumeration

WINDOWS_ENUMERATIONS: tuple[Enumeration, ...] = (
    Enumeration(
        "junctions",
        (
            ("REFUSE", 1, "a junction on the way to a granted path refuses"),
            ("GRANT", 2, "it gets an entry of its own"),
        ),
    ),
    Enumeration(
        "job_limit",
        (
            ("KILL_ON_CLOSE", 1, "`JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`"),
            (
                "DIE_ON_UNHANDLED_EXCEPTION",
                2,
                "`JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION`",
            ),
            ("ONE_ACTIVE_PROCESS", 4, "`JOB_OBJECT_LIMIT_ACTIVE_PROCESS` of 1"),
        ),
        bits=True,
    ),
    Enumeration(
        "ui_limit",
        (
            ("READ_CLIPBOARD", 1, "`JOB_OBJECT_UILIMIT_READCLIPBOARD`"),
            ("WRITE_CLIPBOARD", 2, "`JOB_OBJECT_UILIMIT_WRITECLIPBOARD`"),
            ("SYSTEM_PARAMETERS", 4, "`JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS`"),
            ("DISPLAY_SETTINGS", 8, "`JOB_OBJECT_UILIMIT_DISPLAYSETTINGS`"),
            ("GLOBAL_ATOMS", 16, "`JOB_OBJECT_UILIMIT_GLOBALATOMS`"),
            ("DESKTOP", 32, "`JOB_OBJECT_UILIMIT_DESKTOP`"),
            ("EXIT_WINDOWS", 64, "`JOB_OBJECT_UILIMIT_EXITWINDOWS`"),
            ("IME", 128, "`JOB_OBJECT_UILIMIT_IME`, where Windows has it"),
            ("INJECTION", 256, "`JOB_OBJECT_UILIMIT_INJECTION`, where it has it"),
        ),
        bits=True,
    ),
    Enumeration(
        "mitigation",
        (
            ("NO_EXTENSION_POINTS", 1, "no legacy extension points"),
            ("NO_UNTRUSTED_FONTS", 2, "fonts of the system's folder alone"),
            ("NO_REMOTE_IMAGES", 4, "no images from the network"),
            ("NO_LOW_LABEL_IMAGES", 8, "no images with a low integrity label"),
            ("NO_WIN32K", 16, "no calls of the window system's driver"),
            ("NO_CHILD_PROCESSES", 32, "no further processes"),
        ),
        bits=True,
    ),
    Enumeration(
        "handle",
        (
            ("STANDARD_INPUT", 1, ""),
            ("STANDARD_OUTPUT", 2, ""),
            ("STANDARD_ERROR", 4, ""),
        ),
        bits=True,
    ),
    Enumeration(
        "capability",
        (
            ("PROGRAM", 1, "for the program file; one at most"),
            ("PATH", 2, "for one granted path"),
            ("NETWORK", 3, "of Windows, for the network"),
        ),
    ),
    Enumeration(
        "access_entry",
        (
            ("FOLDER", 1, "for a path that is a folder"),
            ("FILE", 2, "for a path that is a file"),
            ("JUNCTION", 3, "for a junction on the way to a folder"),
        ),
    ),
    Enumeration(
        "container_entry",
        (
            ("PROGRAM", 1, "for the program file; names its capability"),
            ("PRIVATE_FOLDER", 2, "for the container's folder; names the container"),
        ),
    ),
    Enumeration(
        "preflight",
        (
            ("REQUIRED", 1, "the start is refused"),
            ("SETUP", 2, "the start is refused until `setup` has run"),
            ("WARNING", 3, "a warning of this name"),
            ("ADVICE", 4, "some programs fail"),
            ("READ_BACK", 5, "read again once set; a difference refuses"),
        ),
    ),
    Enumeration(
        "removal",
        (
            ("ENTRIES", 1, "of the path, the entries of the capability"),
            ("PROGRAM_ENTRIES", 2, "the same of the program file; no subject"),
            ("JUNCTION_ENTRIES", 3, "the same of junctions on the way to the path"),
            ("LOOPBACK_EXEMPTION", 4, "of the container"),
            ("PROFILE", 5, "of the container, and its folder"),
        ),
    ),
)
