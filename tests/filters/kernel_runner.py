# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Attach raw programs in children and tell what the kernel answers to calls.

Reads JSON from standard input: cases of {"program": HEX or null, "own": [indices],
"calls": [[number, six arguments]...]}; an argument "own" is the child's process ID.
Prints for each case a list of [process ID, result, errno], or of [process ID,
"signal", number] for a call that ended its child. Needs nothing but Python itself,
since it runs as an unprivileged user where the project may be out of reach.
"""

import ctypes
import json
import os
import resource
import struct
import sys

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _attach(program: bytes) -> None:
    instructions = ctypes.c_char_p(program)
    made = _Program(len(program) // 8, instructions)
    if _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")
    mode = ctypes.c_ulong(_SECCOMP_MODE_FILTER)
    if _LIBC.prctl(_PR_SET_SECCOMP, mode, ctypes.byref(made), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_SECCOMP")


def _filled(case: dict) -> bytes:  # type: ignore[type-arg]
    program = bytearray.fromhex(case["program"])
    for index in case["own"]:
        struct.pack_into("<I", program, 8 * index + 4, os.getpid())
    return bytes(program)


def _call(call: list[int]) -> tuple[int, int]:
    words = [ctypes.c_ulong(word) for word in call]
    ctypes.set_errno(0)
    result = _LIBC.syscall(*words)
    return result, ctypes.get_errno()


def _child(case: dict, first: int, out: int) -> None:  # type: ignore[type-arg]
    """Attach and make the calls from the first on, one line an answer."""
    own = os.getpid()
    if case["program"] is not None:
        _attach(_filled(case))
    for call in case["calls"][first:]:
        result, errno = _call([own if word == "own" else word for word in call])
        os.write(out, f"[{own},{result},{errno}]\n".encode())
    os._exit(0)


def _answers(case: dict) -> list[object]:  # type: ignore[type-arg]
    """Go on with a new child after each call that ends one."""
    found: list[object] = []
    while len(found) < len(case["calls"]):
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            _child(case, len(found), writable)
        os.close(writable)
        with os.fdopen(readable) as lines:
            found += [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            found.append([child, "signal", os.WTERMSIG(status)])
        elif status != 0:
            sys.exit(f"a child ended with status {status}")
    return found


def main() -> None:
    """Answer every case."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump([_answers(case) for case in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
