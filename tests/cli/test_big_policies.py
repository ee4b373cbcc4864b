# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A policy that is too big for a target is refused as such, by every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from stockade.cli.main import run

_MACOS = b"--target=macos"


def _policy(folder: Path, paths: int) -> bytes:
    listed = ", ".join(f'"/srv/w/{number}"' for number in range(paths))
    file = folder / "p.toml"
    file.write_text(f"version = 1\n[filesystem]\nread = [{listed}]\n", "utf-8")
    return str(file).encode()


@pytest.mark.parametrize(
    "words",
    [
        [b"compile", b"{}", _MACOS],
        [b"query", _MACOS, b"{}", b"read", b"/srv/w/1"],
        [b"diff", _MACOS, b"{}", b"{}"],
    ],
    ids=lambda words: words[0].decode(),
)
def test_a_profile_without_end_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[bytes]
) -> None:
    def done(paths: int) -> tuple[int, str]:
        policy = _policy(tmp_path, paths)
        status = run(b"stockade", [policy if one == b"{}" else one for one in words])
        return status, capfd.readouterr().err

    status, error = done(8_000)
    assert status == 125
    assert "too big" in error
    assert "characters of a profile" in error
    assert {one.name for one in tmp_path.iterdir()} == {"p.toml"}
    assert done(2)[0] == 0
