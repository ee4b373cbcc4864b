# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build and run the coverage-guided fuzzer of the bundle parser.

libFuzzer drives `tests/artifact/parse_driver.c`, which makes length and checksum
right before it parses, so that changes reach what lies behind them. The first
bundles are compiled when it starts: the golden policies and the small examples.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "artifact"))

from parse_driver import CORE, PARSER_SOURCES, render_header  # noqa: E402
from system_examples import TARGETS, example_for  # noqa: E402

from stockade.abi.targets import SYSTEM_OF  # noqa: E402
from stockade.artifact.encode import encode  # noqa: E402
from stockade.driver.compile import compile_policy  # noqa: E402
from stockade.driver.targets import default_targets  # noqa: E402
from stockade.plan.support import unbuilt  # noqa: E402
from stockade.policy import read_policy  # noqa: E402

_GOLDEN = ROOT / "tests" / "golden" / "cases"
_FLAGS = (
    *("-std=c17", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-DSTK_LIBFUZZER"),
    *("-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"),
)
_LIMITS = ("-timeout=5", "-rss_limit_mb=1024", "-max_len=131072")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: how many inputs, how many places of the code, what broke."""

    inputs: int
    places: int
    report: str


def seeds() -> list[bytes]:
    """Return the bundles that a run starts from."""
    made = [encode(example_for(target)) for target in TARGETS]
    for path in sorted(_GOLDEN.glob("*/policy.toml")):
        policy = read_policy(path.read_bytes(), path.name)
        made += [
            compile_policy(policy, "seed", name).bundle
            for name in default_targets(policy)
            if not unbuilt(policy, SYSTEM_OF[name])
        ]
    return made


def build(folder: Path) -> Path:
    """Build the fuzzer in a folder."""
    program = folder / "fuzz-bundle"
    include = render_header(folder)
    source = ROOT / "tests" / "artifact" / "parse_driver.c"
    command = ["clang", *_FLAGS, f"-I{include}", f"-I{CORE}", source, *PARSER_SOURCES]
    subprocess.run([*command, "-o", program], check=True)
    return program


def run(
    program: Path, corpus: Path, kept: Path, seconds: int, seed: int = 1
) -> Outcome:
    """Fuzz for a time; the corpus grows, and what breaks is written to `kept`."""
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds()):
        (corpus / f"seed-{number}").write_bytes(data)
    command = [program, *_LIMITS, f"-max_total_time={seconds}", f"-seed={seed}"]
    command += ["-print_final_stats=1", f"-artifact_prefix={kept}/", corpus]
    # The search for leaks needs ptrace, and nothing here allocates.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(command, capture_output=True, env=environment)
    return read_outcome(done.returncode, done.stderr.decode(errors="replace"))


def read_outcome(status: int, text: str) -> Outcome:
    """Read what libFuzzer printed."""
    inputs = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    places = re.findall(r" cov: (\d+)", text)
    sound = status == 0 and inputs is not None and places
    return Outcome(
        int(inputs[1]) if inputs else 0,
        int(places[-1]) if places else 0,
        "" if sound else text[-4000:],
    )
