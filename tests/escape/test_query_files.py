# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask the artifact and the running kernel about a thousand paths alike.

One start does all of them. Outside every request goes through, so that inside
nothing but the sandbox can deny one; what is answered must be what the query says.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import host_features
from stage import Stage, machine_target
from stockade.artifact.decode import decode
from stockade.driver.query import query
from stockade.driver.review import Side, read_side

_REQUESTS = 1000
_FOLDERS = ("read", "exec", "write", "none")
# The file that an action needs before, and whether the query is on the folder.
_ON_FILES = ("read", "write", "truncate", "exec")
_ON_ENTRIES = {
    "create-file": "",
    "create-fifo": "",
    "create-socket": "",
    "create-folder": "",
    "create-link": "",
    "remove-file": "file",
    "remove-folder": "folder",
}
_KEYS = (
    "",
    'symlinks = "allow"\n',
    '[network]\nunix_sockets = "all"\n',
    '[commands]\nallow = ["{root}/exec/inner/tool"]\n',
)


@dataclass(frozen=True, slots=True)
class _Ask:
    """One request: the probe's line, and the words of the query."""

    line: str
    words: tuple[str, str]


def _tree(stage: Stage, probe: Path) -> Path:
    root = stage.folder("decide")
    for name in _FOLDERS:
        for folder in (root / name, root / name / "inner", root / f"{name}.beside"):
            folder.mkdir()
    tool = root / "exec" / "inner" / "tool"
    # A listed command is looked at before the start.
    tool.write_bytes(probe.read_bytes())
    tool.chmod(0o755)
    return root


def _asks(stage: Stage, root: Path, seed: int, count: int) -> list[_Ask]:
    choose = random.Random(seed)
    folders = sorted(path for path in root.rglob("*") if path.is_dir())
    asks = []
    for number in range(count):
        folder = choose.choice(folders)
        action = choose.choice([*_ON_FILES, "list", *_ON_ENTRIES])
        path = folder / f"{action}-{seed}-{number}"
        if action in _ON_FILES or _ON_ENTRIES.get(action) == "file":
            path.write_bytes(b"\0 no program")
            path.chmod(0o755)
        if _ON_ENTRIES.get(action) == "folder":
            path.mkdir()
        if action == "list":
            path = folder
        asked = folder if action in _ON_ENTRIES else path
        asks.append(_Ask(f"{action} {path}", (action, str(asked))))
    stage.give(root)
    return asks


def _text(root: Path, key: str) -> str:
    return (
        f"version = 1\n[filesystem]\nread = ['{root}/read']\n"
        f"read_exec = ['{root}/exec']\nread_write = ['{root}/write']\n"
        f"{key.format(root=root)}"
    )


def _here(bundle: Path, asks: list[_Ask]) -> list[str]:
    """Answer as the query does on a host of this Landlock ABI."""
    side = read_side(bundle.read_bytes(), str(bundle))
    abi = host_features.landlock_abi()
    return [_decision(side, ask, abi) for ask in asks]


def _decision(side: Side, ask: _Ask, abi: int) -> str:
    (one,) = (
        answer
        for answer in query(side, ask.words)
        if abi in [host.landlock_abi for host in answer.on]
    )
    return "ok" if one.decision == "allow" else one.decision


_IDS = ("plain", "links", "sockets", "commands")


@pytest.mark.parametrize("seed", range(len(_KEYS)), ids=_IDS)
def test_kernel_and_query_agree(stage: Stage, probe: Path, seed: int) -> None:
    """The issue asks for a thousand generated requests on files."""
    root = _tree(stage, probe)
    asks = _asks(stage, root, seed, _REQUESTS // len(_KEYS))
    bundle = stage.compile(_text(root, _KEYS[seed]), "decide")
    assert decode(bundle.read_bytes()).target == machine_target()
    expected = _here(bundle, asks)
    lines = "".join(f"{ask.line}\n" for ask in asks).encode()
    inside = stage.launch(bundle, probe, "decide", input=lines)
    assert inside.returncode == 0, inside.stderr
    answers = inside.stdout.decode().splitlines()
    differ = [
        f"{ask.line}: query {said}, kernel {answer}"
        for ask, said, answer in zip(asks, expected, answers, strict=True)
        if said != answer
    ]
    assert not differ, "\n".join(differ)
    # Outside nothing denies what was denied inside, and inside not all was.
    assert answers.count("ok") > len(answers) // 10
    denied = [
        ask.line for ask, answer in zip(asks, answers, strict=True) if answer != "ok"
    ]
    assert len(denied) > len(answers) // 10
    control = stage.run(
        [probe, "decide"], input="".join(f"{line}\n" for line in denied).encode()
    )
    assert control.stdout.decode().split() == ["ok"] * len(denied)
