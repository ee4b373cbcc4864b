# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep processes that a confined program of the same user must not reach."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
import time
from pathlib import Path

VICTIMS = 3
_WORD = 0x76696374696D21
_READY = 0
_SYS = {
    "x86_64": {"ioprio_get": 252},
    "aarch64": {"ioprio_get": 31},
}[os.uname().machine]
_LIBC = ctypes.CDLL(None, use_errno=True)


class Processes:
    """Victims with a handler for every signal, and what can be seen of them."""

    def __init__(self) -> None:
        """Start the victims; each has a word of memory at one common address."""
        self._signals = [mmap.mmap(-1, 4096) for _ in range(VICTIMS)]
        # Private, so that each victim has its own behind the same address.
        self._memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory[:8] = _WORD.to_bytes(8, "little")
        self._buffer = ctypes.c_char.from_buffer(self._memory)
        self.address = ctypes.addressof(self._buffer)
        self.pids = [self._start(shared) for shared in self._signals]
        for shared in self._signals:
            while not shared[_READY]:
                time.sleep(0.001)

    @staticmethod
    def _start(shared: mmap.mmap) -> int:
        pid = os.fork()
        if pid:
            return pid
        # The highest signal tells the watcher that all others have arrived.
        for number in sorted(signal.valid_signals()):
            if number not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(number, lambda got, _frame: _record(shared, got))
        os.setpgid(0, 0)
        # Where Yama guards siblings from each other, these waive it.
        _LIBC.prctl(0x59616D61, ctypes.c_ulong(-1 & (1 << 64) - 1), 0, 0, 0)
        shared[_READY] = 1
        while True:
            time.sleep(1000)

    def look(self) -> dict[str, object]:
        """Return what the kernel and the victims tell about each."""
        seen: dict[str, dict[int, object]] = {}
        for pid, shared in zip(self.pids, self._signals, strict=True):
            for kind, fact in self._look_at(pid, shared).items():
                seen.setdefault(kind, {})[pid] = fact
        return dict(seen)

    def _look_at(self, pid: int, shared: mmap.mmap) -> dict[str, object]:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is not None:
            return {"process-ended": True}
        status = _fields(Path(f"/proc/{pid}/status").read_text())
        state = status["State"][0]
        return {
            "process-ended": False,
            "process-stopped": state in "Tt",
            "process-signal": self._signals_of(pid, shared, state),
            "process-memory": self._memory_of(pid),
            "process-priority": [
                os.getpriority(os.PRIO_PROCESS, pid),
                os.sched_getscheduler(pid),
                _LIBC.syscall(_SYS["ioprio_get"], 1, pid),
            ],
            "process-affinity": sorted(os.sched_getaffinity(pid)),
            "process-limits": Path(f"/proc/{pid}/limits").read_text(),
        }

    @staticmethod
    def _signals_of(pid: int, shared: mmap.mmap, state: str) -> object:
        highest = int(signal.SIGRTMAX)
        shared[highest] = 0
        if state not in "Tt":
            os.kill(pid, highest)
            until = time.monotonic() + 2
            while not shared[highest]:
                if time.monotonic() > until:
                    return "does not answer"
                time.sleep(0.0005)
        return [number for number in range(1, highest) if shared[number]]

    def _memory_of(self, pid: int) -> object:
        try:
            with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
                memory.seek(self.address)
                return memory.read(8).hex()
        except OSError as error:
            return f"errno {error.errno}"

    def end(self) -> None:
        """End the victims."""
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _record(shared: mmap.mmap, number: int) -> None:
    shared[number] = 1


def _fields(text: str) -> dict[str, str]:
    return {
        name: value.strip()
        for name, _, value in (line.partition(":") for line in text.splitlines())
    }


def limit_self(program_bytes: int) -> None:
    """Bound what one run may take of the host; called before it starts."""
    for what, most in (
        (resource.RLIMIT_AS, 1 << 30),
        (resource.RLIMIT_FSIZE, program_bytes),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_NPROC, 64),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 1 << 19),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, 20),
    ):
        resource.setrlimit(what, (most, most))
