# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start the command line in a Python that took nothing from its surroundings.

INVARIANT: nothing but `os` and `sys`, which Python itself has loaded by then, is
imported before the interpreter is known to be isolated, so that no PYTHONPATH,
user site or working directory lends a module to the program that writes policies.
INVARIANT: whatever goes wrong, the status is 125: 0 and 1 mean something.
"""

from __future__ import annotations

import os
import sys

_REFUSED = 125
_AGAIN = "import sys; from stockade.cli.start import again; sys.exit(again())"


def main() -> int:
    """Run the command line and return its exit status."""
    _fill_standard_streams()
    if sys.flags.isolated:
        return _run(os.fsencode(sys.argv[0]), _arguments(1))
    return _start_isolated()


def again() -> int:
    """Go on as the isolated Python that `main` became; its entry is an argument."""
    entry, *arguments = _arguments(1)
    return _run(entry, arguments)


def _run(entry: bytes, arguments: list[bytes]) -> int:
    try:
        from stockade.cli.main import run  # noqa: PLC0415 - see the first invariant

        return run(entry, arguments)
    except KeyboardInterrupt:
        return _refuse("interrupted")
    except BaseException as error:  # noqa: BLE001 - see the second invariant
        lines = str(error).splitlines()
        detail = f": {lines[0]}" if lines else ""
        return _refuse(f"internal error: {type(error).__name__}{detail}")


def _refuse(reason: str) -> int:
    message = "".join(one if one.isprintable() else "?" for one in reason)
    try:  # noqa: SIM105 - contextlib is not loaded yet
        os.write(2, f"stockade: {message}\n".encode("utf-8", "replace"))
    except OSError:
        pass
    return _REFUSED


def _fill_standard_streams() -> None:
    """Open the null device where the caller closed 0, 1 or 2, as the launcher does."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open("/dev/null", os.O_RDWR), True)  # noqa: FBT003 - its only argument


def _start_isolated() -> int:
    """Replace this process by the same one under `python -I`."""
    entry = os.fsencode(sys.argv[0])
    start = [sys.executable, "-I", "-c", _AGAIN]
    command = [*map(os.fsencode, start), entry, *_arguments(1)]
    try:
        become(command, given_environment())
    except (OSError, ValueError) as error:
        return _refuse(f"cannot start `{sys.executable}`: {error}")
    raise AssertionError


def _arguments(skipped: int) -> list[bytes]:
    """Return the command line's arguments, byte for byte, whatever the locale."""
    number = len(sys.argv) - skipped
    try:
        with open("/proc/self/cmdline", "rb") as file:  # noqa: PTH123 - no pathlib
            every = file.read().split(b"\0")[:-1]
    except OSError:
        every = [os.fsencode(argument) for argument in sys.argv]
    return every[len(every) - number :]


def become(command: list[bytes], environment: Environment) -> None:
    """Replace this process by a command in exactly this environment."""
    # A mapping as far as execve looks, which is `keys` and `values`.
    os.execve(command[0], command, environment)  # type: ignore[arg-type]  # noqa: S606 - no shell


class Environment:
    """The environment as the caller gave it, for `os.execve`.

    Python's own differs: it adds LC_CTYPE under the C locale (PEP 538). A name that
    comes twice comes twice here too; an entry without `=` cannot be passed on.
    """

    def __init__(self, block: bytes) -> None:
        pairs = [entry.partition(b"=") for entry in block.split(b"\0")]
        self._pairs = [(name, value) for name, sign, value in pairs if name and sign]

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, name: bytes) -> bytes:
        return dict(reversed(self._pairs))[name]

    def keys(self) -> list[bytes]:
        """Return the names, in order."""
        return [name for name, _ in self._pairs]

    def values(self) -> list[bytes]:
        """Return the values, in the order of their names."""
        return [value for _, value in self._pairs]


def given_environment() -> Environment:
    """Return what the caller gave; raise OSError where /proc does not show it."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - no pathlib
        return Environment(file.read())
