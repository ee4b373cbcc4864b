# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the coverage-guided fuzzer of policy reading.

Atheris (libFuzzer for Python) owns the process it runs in, so that is another one:
policy_target.py.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import policy_mutation
from bundle_fuzzer import Outcome, read_outcome

# Ten times what a hostile text of the largest size takes (tests/policy).
_LIMITS = ("-timeout=30", "-rss_limit_mb=1024", "-max_len=8192")


def run(corpus: Path, kept: Path, seconds: int, seed: int = 1) -> Outcome:
    """Fuzz for a time; the corpus grows, and what breaks is written to `kept`."""
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(policy_mutation.seeds()):
        (corpus / f"seed-{number}").write_bytes(data)
    words = kept / "policy-words.txt"
    words.write_text(policy_mutation.dictionary())
    target = Path(__file__).with_name("policy_target.py")
    command = [sys.executable, target, *_LIMITS, f"-dict={words}", f"-seed={seed}"]
    command += [f"-max_total_time={seconds}", "-print_final_stats=1"]
    command += [f"-artifact_prefix={kept}/", corpus]
    done = subprocess.run(command, capture_output=True)
    text = done.stdout + b"\n" + done.stderr
    return read_outcome(done.returncode, text.decode(errors="replace"))
