# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make variants whose enforcement check is known, one probe at a time."""

from __future__ import annotations

import os

from launcher_scene import (
    AT_FDCWD,
    CHMODAT,
    EACCES,
    EFAULT,
    EPERM,
    ETXTBSY,
    EXECVE,
    OPENAT,
    READ_CANARY,
    TRUNCATE,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
)

from host_features import landlock_abi
from stockade.model.artifact import (
    Operand,
    Probe,
)

PATH, FOLDER = Operand("canary-path"), Operand("folder-fd")
# The last one differs between architectures.
READ_ONLY, READ_WRITE, TRUNCATING, TEMPORARY = 0, 2, 0o1000, os.O_TMPFILE
CLOSE_ON_EXEC = 0o2000000
NULL = Operand()


def open_canary(flags: int) -> object:
    return call(OPENAT, number(AT_FDCWD), PATH, number(flags | CLOSE_ON_EXEC))


CHMOD_BAD = probe("chmod", call(CHMODAT, number(-1), NULL), EPERM, EFAULT)
# Before ABI 3 Landlock has no right for it.
_TRUNCATION = (
    probe("canary-empty", open_canary(READ_ONLY | TRUNCATING), EACCES),
    probe("canary-length", call(TRUNCATE, PATH, number(0)), EACCES),
)
CANARY_PROBES = (
    READ_CANARY,
    probe("canary-write", open_canary(READ_WRITE), EACCES),
    *(_TRUNCATION if landlock_abi() >= 3 else ()),
    probe("canary-run", call(EXECVE, PATH, NULL, NULL), EACCES, ETXTBSY),
    probe(
        "canary-beside",
        call(
            OPENAT,
            FOLDER,
            Operand("data", data=b".\0"),
            number(TEMPORARY | READ_WRITE | CLOSE_ON_EXEC),
            number(0o600),
        ),
        EACCES,
    ),
)


def variant_of(*probes: Probe, denied: tuple[tuple[int, int], ...] = ()) -> dict:
    return {"probes": probes, "filter": filter_of(*denied)}


def refusal(scene: Scene, variant: dict, **how: object) -> str:
    text = reason(scene.start(artifact(variant=variant), **how))
    return text.removeprefix("refused: enforcement check: ")
