# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hand an artifact to the launcher by becoming it.

INVARIANT: the launcher starts as if the caller had started it: same process, same
environment, signal mask, limits, working directory and standard streams. Python
ignores two signals at its start and cannot tell what they were; they get their
default back.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from typing import NoReturn

from stockade.cli.output import Refusal
from stockade.cli.start import become, given_environment
from stockade.diagnostics import quote

# Only this one, never one from PATH: it parses what this very compiler writes.
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - plain text for exec
LAUNCHER = f"{_PACKAGE}/_bin/stockade-launch"

# linux/memfd.h; Python has no name for it before 3.13.
_MFD_NOEXEC_SEAL = 0x0008
_SEALS = (
    fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
)
_CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
# What this command is made of beside its own package.
_IMPORTED = ("cffi", "jinja2", "markupsafe", "tomlkit")


def become_launcher(
    bundle: bytes, options: list[bytes], protected: list[bytes], program: list[bytes]
) -> NoReturn:
    """Replace this process by the launcher; raise Refusal where that fails."""
    try:
        environment = given_environment()
    except OSError as error:
        raise Refusal(
            f"cannot read `/proc/self/environ`: {error.strerror}; mount /proc"
        ) from error
    descriptor = _sealed(bundle)
    command = [LAUNCHER.encode("utf-8", "surrogateescape"), *options]
    command += [b"--artifact-fd", str(descriptor).encode()]
    for path in (*protected, *_own_places()):
        command += [b"--protect", path]
    command.append(b"--")
    for number in _CHANGED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        become([*command, *program], environment)
    except OSError as error:
        raise Refusal(
            f"cannot start the launcher {quote(LAUNCHER)}: {error.strerror};"
            " install stockade again"
        ) from error
    raise AssertionError


def _sealed(bundle: bytes) -> int:
    """Put the artifact where nobody can change it any more."""
    try:
        descriptor = _memfd()
        left = memoryview(bundle)
        while left:
            left = left[os.write(descriptor, left) :]
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    except OSError as error:
        raise Refusal(
            f"cannot hold the artifact in memory: {error.strerror}"
        ) from error
    os.set_inheritable(descriptor, True)  # noqa: FBT003 - its only argument
    return descriptor


def _memfd() -> int:
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        return os.memfd_create("stockade-artifact", flags | _MFD_NOEXEC_SEAL)
    except OSError as error:
        # Before Linux 6.3 the flag is unknown, and nothing asks for it.
        if error.errno != errno.EINVAL:
            raise
        return os.memfd_create("stockade-artifact", flags)


def _own_places() -> list[bytes]:
    """List the folders of the code that is running, which no grant may write."""
    folders = [_PACKAGE]
    for name in _IMPORTED:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file:
            folders.append(os.path.dirname(os.path.abspath(file)))  # noqa: PTH100, PTH120 - plain text for exec
    return [folder.encode("utf-8", "surrogateescape") for folder in folders]
