# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what is said of prepared changes with the texts that were read for sense.

A reviewer who has only the text must see what widens access: each change that does
begins with what is newly allowed and a request that shows it, the others never do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from edits import abis_of

from stockade.cli.main import run
from stockade.render.shell import shell_words

_CASES = Path(__file__).parent / "cases"
# What each change lets through that was refused, as its first request shows it.
_DANGEROUS = {
    "agent": "env SSH_AUTH_SOCK",
    "children": "spawn",
    "ip-client": "connect example.com:443",
    "metadata": "call fchmodat",
    "preload": "env LD_PRELOAD",
    "read-to-write": "write /srv/out",
    "signals-any": "signal KILL",
    "unix-all": "connect unix /run/user/1000/bus",
    "wider": "read /srv",
}
_HARMLESS = (
    *("comment-only", "commands-shorter", "narrower", "reorder", "signals-isolated"),
)


@pytest.mark.parametrize("name", sorted((*_DANGEROUS, *_HARMLESS)))
@pytest.mark.parametrize(("form", "option"), [("txt", ()), ("md", (b"--markdown",))])
def test_a_prepared_change_is_said_as_it_was_read(
    name: str,
    form: str,
    option: tuple[bytes, ...],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(_CASES / name)
    assert run(b"stockade", [b"diff", *option, b"old.toml", b"new.toml"]) == 0
    said = capfd.readouterr().out
    expected = _CASES / name / f"expected.{form}"
    if request.config.getoption("--bless"):
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")
    if name in _HARMLESS:
        assert "newly allowed" not in said.lower()
    elif form == "txt":
        assert said.startswith("newly allowed (")
        assert said.splitlines()[2].strip().startswith(f"{_DANGEROUS[name]}: ")
    else:
        assert said.splitlines()[2].startswith("### Newly allowed")
        assert said.splitlines()[4].startswith(f"- `{_DANGEROUS[name]}")


@pytest.mark.parametrize("name", sorted(_DANGEROUS))
def test_a_query_answers_a_witness_as_the_report_says(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(_CASES / name)
    asked = 0
    for change in _answered(capfd, "diff", "old.toml", "new.toml")["changes"]:
        if change["kind"] == "mechanism-changed":
            continue
        first = change["cases"][0]
        for side in ("before", "after"):
            allowed = first[side] not in {"absent", "refused"} and (
                first[side] in {"allow", "passed"} or first[side].startswith("set ")
            )
            file = "old.toml" if side == "before" else "new.toml"
            words = shell_words(first["witness"])
            target = f"--target={first['targets'][0]}"
            answers = _answered(capfd, "query", target, file, *words)["answers"]
            same = [one for one in answers if _meets(one["hosts"], first["hosts"])]
            assert {one["allowed"] for one in same} == {allowed}, first
            asked += 1
    assert asked


def _answered(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    run(b"stockade", [word.encode() for word in (words[0], "--json", *words[1:])])
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def _meets(some: str, others: str) -> bool:
    return bool(abis_of(some) & abis_of(others))


def test_every_prepared_change_is_tried() -> None:
    assert {one.name for one in _CASES.iterdir()} == {*_DANGEROUS, *_HARMLESS}
