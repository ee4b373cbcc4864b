# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`snapshot`: keep the texts of policies beside them, or say which are out of date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stockade.artifact.layout import LIMITS
from stockade.cli.arguments import Arguments, read_arguments
from stockade.cli.compile_command import file_stem
from stockade.cli.compiling import compile_one, known_target
from stockade.cli.output import (
    Refusal,
    write_error,
    write_out,
    write_rejection,
    write_unheld,
)
from stockade.cli.policy_file import STANDARD_INPUT, PolicyFile, read_policy_file
from stockade.diagnostics import PolicyRejected, quote
from stockade.driver.compile import CompiledBundle, write_bundles
from stockade.driver.snapshot import Found, problems
from stockade.driver.targets import TargetsRefusedError, chosen_targets
from stockade.policy import read_placed
from stockade.source.visible import visible

COMMAND = "snapshot"
_OUT_OF_DATE, _REFUSED = 1, 125
# More than a bundle, and far more than a text, may have.
_MOST_BYTES = LIMITS["BUNDLE_BYTES"] + 1


def snapshot_command(entry: bytes, raw: list[bytes]) -> int:
    """Go through the policies and say all there is; return the worst status."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(COMMAND, arguments, operands_anywhere=True)
    if not read.operands:
        raise Refusal("no policy is given; see `stockade --help`")
    if STANDARD_INPUT in read.operands:
        raise Refusal("`snapshot` names its files after the policy's; give it a file")
    work = _check if read.value("--check") is not None else _write
    wanted = [known_target(one) for one in read.values("--target")]
    status = 0
    for path in read.operands:
        try:
            file = read_policy_file(path)
            policy, places = read_placed(file.data, file.name)
            name = file_stem(file)
            chosen = chosen_targets(policy, wanted, places, file.name)
            made = {one: compile_one(policy, name, one) for one in chosen}
            status = max(status, work(read, file, made))
        except PolicyRejected as rejected:
            write_rejection(rejected)
            status = _REFUSED
        except TargetsRefusedError as refused:
            write_unheld(refused)
            status = _REFUSED
        except Refusal as refusal:
            write_error(f"stockade: {refusal}\n")
            status = _REFUSED
    return status


def _write(read: Arguments, file: PolicyFile, made: dict[str, CompiledBundle]) -> int:
    directory = _directory(read, file)
    try:
        written = write_bundles(directory, file.stem, made, bundles=_with_bundles(read))
    except OSError as error:
        raise Refusal(
            f"cannot write to {quote(str(directory))}: {error.strerror}"
        ) from error
    write_out("".join(f"{visible(str(one))}\n" for one in written))
    return 0


def _check(read: Arguments, file: PolicyFile, made: dict[str, CompiledBundle]) -> int:
    lines = list(_problems(read, file, made))
    write_out("".join(f"{line}\n" for line in lines))
    return _OUT_OF_DATE if lines else 0


def _problems(
    read: Arguments, file: PolicyFile, made: dict[str, CompiledBundle]
) -> Iterator[str]:
    for target, wanted in made.items():
        base = _directory(read, file) / f"{file.stem}.{target}"
        bundle, text = f"{base}.stk", f"{base}.txt"
        found = Found(file.name, bundle, text, _bytes(bundle), _bytes(text))
        yield from problems(found, wanted, bundles=_with_bundles(read))


def _with_bundles(read: Arguments) -> bool:
    return read.value("--text-only") is None


def _directory(read: Arguments, file: PolicyFile) -> Path:
    return Path(read.value("-o") or Path(file.name).parent)


def _bytes(path: str) -> bytes | None:
    try:
        with Path(path).open("rb") as file:
            return file.read(_MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refusal(f"cannot read {quote(path)}: {error.strerror}") from error
