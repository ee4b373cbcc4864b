# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shut a watcher and what it runs off from the host, then become its user.

    unshare --pid --fork --kill-child --mount-proc --net --ipc --uts \
        python3 scene.py USER GROUP WATCHER CONFIGURATION

The host lies read only below, with small file systems of its own where the user
writes: what is tried without a sandbox, to see that the watcher sees it, harms
nobody, and fills nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

_SIZE = "size=32m,nr_inodes=20000,mode=1777"
# The watcher may be stopped or ended by what it runs, too.
_GRACE = 3
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


def main() -> None:
    """Arrange the mounts, raise loopback, run the watcher as the user."""
    user, group, watcher, configuration = sys.argv[1:]
    given = json.loads(Path(configuration).read_text())
    arena, seconds = str(given["arena"]), float(given["seconds"]) + _GRACE
    for words in (
        ["--make-rprivate", "/"],
        ["-o", "remount,bind,ro", "/"],
        *(
            ["-t", "tmpfs", "-o", _SIZE, "none", place]
            for place in ("/tmp", "/dev/shm")
        ),
        ["-t", "tmpfs", "-o", _SIZE, "none", arena],
        ["-t", "mqueue", "-o", "X-mount.mkdir", "none", "/tmp/queues"],
    ):
        subprocess.run(["mount", *words], check=True)
    _raise_loopback()
    watching = subprocess.Popen(
        [sys.executable, "-E", "-s", watcher, configuration],
        user=int(user),
        group=int(group),
        extra_groups=[],
    )
    # All of them: one that is traced is only gone when its tracer is.
    signal.signal(signal.SIGALRM, lambda *_: os.kill(-1, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # The first process of its namespace is handed every orphan.
    while True:
        pid, status = os.wait()
        if pid == watching.pid:
            sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


if __name__ == "__main__":
    main()
