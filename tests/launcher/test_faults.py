# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what failed, in words, for calls that fail or succeed falsely.

That nothing runs unconfined, whatever fails, is tried in `faults/`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher_scene import (
    CHMODAT,
    EFAULT,
    EPERM,
    READ_CANARY,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
)

from stockade.model.artifact import Operand

pytestmark = pytest.mark.needs("strace", "release-launcher")

_SECRET = "the secret\n"


def _prepare(scene: Scene) -> tuple[list[str | Path], Path]:
    """Return a command that shows a secret unless it is confined, and its log."""
    chmod = probe("chmod", call(CHMODAT, number(-1), Operand()), EPERM, EFAULT)
    variant = {
        "probes": (READ_CANARY, chmod),
        "filter": filter_of((CHMODAT, EPERM)),
    }
    secret, granted = scene.file("secret", _SECRET), scene.file("granted")
    grants = {"read_write": [scene.folder("out")], "read": [granted]}
    path = scene.write(artifact(grants, variant=variant))
    program = ["/usr/bin/cat", secret, "/proc/self/fd/9"]
    return [scene.stage.launcher, path, "--", *program], scene.file("log", "")


@pytest.mark.parametrize(
    ("name", "nth", "expected"),
    [
        ("landlock_restrict_self", 1, "canary-read: expected EACCES, got success"),
        ("seccomp", 2, "witness: expected errno"),
        ("prctl", 2, "new privileges were not given up"),
    ],
)
def test_confinement_that_only_claims_to_be_is_named(
    scene: Scene, name: str, nth: int, expected: str
) -> None:
    command, log = _prepare(scene)
    inject = f"inject={name}:retval=0:when={nth}"
    done = scene.stage.run(["strace", "-o", log, "-e", inject, *command])
    assert done.returncode == 125
    assert expected in done.stderr.decode()


@pytest.mark.parametrize("fault", ["retval=0", "error=EPERM", "error=ENOSYS"])
def test_descriptor_that_stays_open_is_closed_or_refused(
    scene: Scene, fault: str
) -> None:
    """GL-026 the program tries to read descriptor 9, which the caller left."""
    command, log = _prepare(scene)
    secret = command[-2]
    keep = f'exec 9<{secret}; exec strace -o {log} -e inject=close_range:{fault} "$@"'
    done = scene.stage.run(["/bin/sh", "-c", keep, "sh", *command])
    assert _SECRET.encode() not in done.stdout
    assert done.returncode == 1
    assert done.stderr.count(b"No such file or directory") == 1


REFUSALS = (
    ("getresuid:error=EPERM", "cannot read the user: EPERM"),
    ("capget:error=EPERM", "cannot read the capabilities: EPERM"),
    ("statx:error=ENOSYS:when=1", "cannot inspect `/`: ENOSYS"),
    ("pread64:error=EIO:when=1", "cannot read the artifact `{artifact}`: EIO"),
    ("pread64:retval=0:when=1", "the artifact `{artifact}` shrank while it was read"),
    ("pread64:retval=1:when=2", "the artifact `{artifact}` grew while it was read"),
    ("prlimit64:error=EPERM:when=1", "cannot read the limit of descriptors: EPERM"),
    ("prlimit64:error=EPERM:when=2", "cannot restore the limit of descriptors: EPERM"),
    ("poll:error=ENOMEM", "cannot watch `/proc/self/mountinfo`: ENOMEM"),
    ("poll:retval=1", None),
    (
        "landlock_create_ruleset:error=EINVAL:when=3",
        "cannot make the Landlock ruleset: EINVAL",
    ),
    ("landlock_add_rule:error=EBADFD:when=2", "cannot grant `"),
    ("prctl:error=EINVAL:when=2", "cannot give up new privileges: EINVAL"),
    (
        "landlock_restrict_self:error=EPERM",
        "cannot restrict this process by Landlock: EPERM",
    ),
    (
        "landlock_restrict_self:error=E2BIG",
        "already inside 16 sandboxes, as many as the kernel nests",
    ),
    ("seccomp:error=EINVAL:when=2", "cannot attach the filter: EINVAL"),
    (
        "seccomp:error=ENOMEM:when=2",
        "cannot attach the filter: those of outer sandboxes leave no room",
    ),
    ("execve:error=ENOEXEC:when=1", "cannot start `/usr/bin/cat`: ENOEXEC"),
    ("execve:error=133:when=1", "cannot start `/usr/bin/cat`: errno 133"),
)


@pytest.mark.parametrize(("fault", "expected"), REFUSALS)
def test_refusal_says_what_failed(
    scene: Scene, fault: str, expected: str | None
) -> None:
    command, log = _prepare(scene)
    done = scene.stage.run(["strace", "-o", log, "-e", f"inject={fault}", *command])
    if expected is None:
        # An answer without a mark on the table is no change.
        assert done.returncode == 1
        return
    text = reason(done)
    assert text.startswith(expected.replace("{artifact}", str(command[1])))
