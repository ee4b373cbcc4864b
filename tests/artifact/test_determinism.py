# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The same artifact gives the same bytes, whatever surrounds the compiler."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from examples import example
from surgery import entry

import stockade
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode

_HERE = Path(__file__).resolve().parent
_PACKAGE = Path(stockade.__file__).resolve().parents[1]
_PROGRAM = (
    "import sys, hashlib;"
    f"sys.path[:0] = [{str(_PACKAGE)!r}, {str(_HERE)!r}];"
    "from examples import example;"
    "from stockade.artifact.encode import encode;"
    "print(hashlib.sha256(encode(example('linux-aarch64'))).hexdigest())"
)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_bytes_do_not_depend_on_seed_or_locale(
    seed: str, locale: str, tmp_path: Path
) -> None:
    environment = {"PYTHONHASHSEED": seed, "LC_ALL": locale, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    here = hashlib.sha256(encode(example("linux-aarch64"))).hexdigest()
    assert done.stdout.strip() == here


def test_strings_come_in_the_order_of_first_use() -> None:
    data = encode(example())
    offset, count = entry(data, "strings")
    strings = data[offset : offset + count].split(b"\0")
    assert strings[1:5] == [
        b"seccomp-filter",
        b"no seccomp filters",
        b"use another kernel",
        b"landlock-built",
    ]
    assert strings[-2] == b"signals reach other processes"


def test_order_of_records_is_kept() -> None:
    """Rows are neither sorted nor merged: their order is the compiler's word."""
    artifact = example()
    twice = (*artifact.grants, artifact.grants[0])
    for rows in (twice, twice[::-1]):
        assert decode(encode(replace(artifact, grants=rows))).grants == rows
