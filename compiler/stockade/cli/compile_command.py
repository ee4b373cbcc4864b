# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`compile`: write a policy's artifacts and their texts, for one target or for all."""

from __future__ import annotations

from pathlib import Path

from stockade.cli.arguments import read_arguments
from stockade.cli.compiling import compile_one, known_target
from stockade.cli.output import Refusal, write_out
from stockade.cli.policy_file import STANDARD_INPUT, PolicyFile, read_policy_file
from stockade.diagnostics import quote
from stockade.driver.compile import write_bundles
from stockade.driver.targets import chosen_targets
from stockade.policy import read_placed
from stockade.source.visible import visible

COMMAND = "compile"


def compile_command(entry: bytes, raw: list[bytes]) -> int:
    """Write the files of a policy and print their paths; return the status."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(COMMAND, arguments, operands_anywhere=True)
    if not read.operands:
        raise Refusal("no policy is given; see `stockade --help`")
    if len(read.operands) > 1:
        raise Refusal(f"one policy at a time: {quote(read.operands[1])} is one more")
    wanted = [known_target(one) for one in read.values("--target")]
    path = read.operands[0]
    if path == STANDARD_INPUT:
        raise Refusal("`compile` names its files after the policy's; give it a file")
    file = read_policy_file(path)
    name = file_stem(file)
    policy, places = read_placed(file.data, file.name)
    chosen = chosen_targets(policy, wanted, places, file.name)
    compiled = {one: compile_one(policy, name, one) for one in chosen}
    directory = Path(read.value("-o") or Path(path).parent)
    try:
        written = write_bundles(directory, name, compiled)
    except OSError as error:
        raise Refusal(
            f"cannot write to {quote(str(directory))}: {error.strerror}"
        ) from error
    write_out("".join(f"{visible(str(one))}\n" for one in written))
    return 0


def file_stem(file: PolicyFile) -> str:
    """Return what the files of a policy are named after; raise Refusal for nothing."""
    if not file.stem or not file.stem.isprintable():
        raise Refusal(
            f"no file can be named after {quote(file.name)}; rename the policy"
        )
    return file.stem
