# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask the verifier library whether a finished seccomp program is well formed.

The library is Rust and knows the kernel's rules and nothing of the compiler.
INVARIANT: whatever goes wrong in asking, a missing or other library included,
ends in an exception, so that no program passes unjudged.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol, cast

from cffi import FFI

# The number ffi.rs answers; both change whenever bpfverify.h does.
ABI = 4

_ACCEPTED = 0
_REFUSED = 1
_REASON_BYTES = 256


class StructureRefused(Exception):
    """Say which instruction of a program breaks which rule."""

    def __init__(self, index: int, reason: str) -> None:
        """Keep the instruction's index, from zero, and the reason, one line."""
        super().__init__(f"instruction {index} {reason}")
        self.index = index
        self.reason = reason


class VerifierUnusable(Exception):
    """Say why the verifier library cannot be asked at all."""


class _Library(Protocol):
    def stockade_bpfverify_abi(self) -> int: ...

    def stockade_bpfverify_check(
        self, prog: Any, len_bytes: int, ret_index: Any, why: Any, why_cap: int
    ) -> int: ...

    def stockade_bpfverify_longest_path(  # noqa: PLR0913 - as in the header
        self,
        prog: Any,
        len_bytes: int,
        ret_steps: Any,
        ret_index: Any,
        why: Any,
        why_cap: int,
    ) -> int: ...

    def stockade_bpfverify_prove(self, *arguments: Any) -> int: ...

    def stockade_bpfverify_floor(self, *arguments: Any) -> int: ...

    def stockade_bpfverify_cacheable(self, *arguments: Any) -> int: ...

    def stockade_bpfverify_compare(self, *arguments: Any) -> int: ...


def verifier() -> tuple[FFI, _Library]:
    """Give the loaded library or raise VerifierUnusable; `prover` asks it more."""
    return _load()


def check_structure(program: bytes) -> None:
    """Accept a program of raw little-endian instructions or raise StructureRefused."""
    ffi, library = _load()
    prog = ffi.from_buffer("uint8_t[]", program)
    index = ffi.new("uint32_t *")
    why = ffi.new("char[]", _REASON_BYTES)
    status = library.stockade_bpfverify_check(
        prog, len(program), index, why, _REASON_BYTES
    )
    _raise_unless_accepted(ffi, status, index, why)


def longest_path(program: bytes) -> int:
    """Count the instructions executed on a program's longest path, in instructions.

    Raises StructureRefused for a program that the structure check refuses.
    """
    ffi, library = _load()
    prog = ffi.from_buffer("uint8_t[]", program)
    steps = ffi.new("uint32_t *")
    index = ffi.new("uint32_t *")
    why = ffi.new("char[]", _REASON_BYTES)
    status = library.stockade_bpfverify_longest_path(
        prog, len(program), steps, index, why, _REASON_BYTES
    )
    _raise_unless_accepted(ffi, status, index, why)
    return int(steps[0])


def _raise_unless_accepted(ffi: FFI, status: int, index: Any, why: Any) -> None:
    if status == _ACCEPTED:
        return
    reason = cast("bytes", ffi.string(why)).decode("utf-8", "replace")
    if status == _REFUSED:
        raise StructureRefused(int(index[0]), reason)
    message = f"the verifier ended with status {status}: {reason}"
    raise VerifierUnusable(message)


@cache
def _load() -> tuple[FFI, _Library]:
    # find_spec gives the path whatever suffix the build chose, in a wheel and in
    # an editable install alike, and does not execute the file.
    spec = find_spec("stockade._bpfverify")
    if spec is None or spec.origin is None:
        message = (
            "the verifier library is missing; install stockade, as `make build` does"
        )
        raise VerifierUnusable(message)
    ffi = FFI()
    header = files("stockade.proof") / "bpfverify.h"
    ffi.cdef(header.read_text(encoding="utf-8"))
    try:
        library = cast("_Library", ffi.dlopen(spec.origin))
    except OSError as error:
        message = f"cannot load the verifier library `{spec.origin}`: {error}"
        raise VerifierUnusable(message) from error
    found = library.stockade_bpfverify_abi()
    if found != ABI:
        message = (
            f"the verifier library `{spec.origin}` speaks interface {found}, "
            f"this package {ABI}; build both from one source, for example `make build`"
        )
        raise VerifierUnusable(message)
    return ffi, library
