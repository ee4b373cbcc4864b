# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give every test the stage, and judge every skip.

A skip names a feature and is believed only when that feature was measured on
this host and found missing; the session fails on any other. Where CI is set,
the feature must also stand in `expected_skips.txt`, so that a runner that loses
a feature is noticed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import host_features
import stage as stages

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPECTED_SKIPS = Path(__file__).resolve().parent / "expected_skips.txt"
_NEEDS = re.compile(r"(?:Skipped: )?needs ([a-z0-9._-]+)(?:[:;,]? .*)?")
_skips: list[tuple[str, str]] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--bless`, which rewrites expected files instead of comparing them."""
    parser.addoption(
        "--bless",
        action="store_true",
        default=False,
        help="rewrite expected files from what the code produces now",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; refuse to rewrite expectations where CI is set."""
    config.addinivalue_line(
        "markers", "needs(*features): skip where the host lacks one of them"
    )
    if config.getoption("--bless") and os.environ.get("CI"):
        message = "`--bless` is refused where CI is set; bless by hand and review"
        raise pytest.UsageError(message)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose marker names a feature that the host lacks."""
    for mark in item.iter_markers("needs"):
        stages.require(*mark.args)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember each skip with its reason."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        _skips.append((report.nodeid, str(reason)))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember a skip of a whole file as well."""
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        _skips.append((report.nodeid, str(reason)))


def _listed_features() -> dict[str, str]:
    """Read the features that the CI machine may lack, each with its reason."""
    listed = {}
    for line in _EXPECTED_SKIPS.read_text().splitlines():
        name, _, reason = line.partition(" ")
        if name and not name.startswith("#"):
            listed[name] = reason.strip()
    return listed


def judge_skip(reason: str) -> str | None:
    """Return why a skip is not believed, or None."""
    match = _NEEDS.fullmatch(reason.strip())
    if match is None:
        return f"its reason names no feature: `{reason}`"
    try:
        if host_features.has(match[1]):
            return f"this host has `{match[1]}`"
    except host_features.UnknownFeatureError:
        return f"nothing measures `{match[1]}`"
    if os.environ.get("CI") and match[1] not in _listed_features():
        return f"`{match[1]}` is not in `{_EXPECTED_SKIPS.name}`"
    return None


def stale_entries() -> list[str]:
    """Name listed features that this host has; binds CI only."""
    if not os.environ.get("CI"):
        return []
    return [name for name in _listed_features() if host_features.has(name)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session for a skip that no measured feature explains."""
    problems = [
        f"skip of {node} is not believed: {problem}"
        for node, reason in _skips
        if (problem := judge_skip(reason)) is not None
    ]
    problems += [
        f"`{name}` stands in `{_EXPECTED_SKIPS.name}` but this host has it"
        for name in stale_entries()
    ]
    session.config.stash[_PROBLEMS] = problems
    if problems and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_PROBLEMS = pytest.StashKey[list[str]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was skipped for which feature, and what is not believed."""
    counts: dict[str, int] = {}
    for _, reason in _skips:
        match = _NEEDS.fullmatch(reason.strip())
        if match:
            counts[match[1]] = counts.get(match[1], 0) + 1
    for name in sorted(counts):
        terminalreporter.line(f"skipped for lack of {name}: {counts[name]}")
    for problem in terminalreporter.config.stash.get(_PROBLEMS, []):
        terminalreporter.line(f"FAILED {problem}", red=True)


@pytest.fixture(scope="session")
def stage() -> Iterator[stages.Stage]:
    """Give the folder, the launcher and the unprivileged user of this session."""
    made = stages.open_stage()
    try:
        yield made
    finally:
        stages.close_stage(made)


@pytest.fixture(scope="session")
def probe(stage: stages.Stage) -> Path:
    """Give the escape program, built and copied where everyone can run it."""
    return stage.install(stages.build_probe(), "escape")


@pytest.fixture(scope="session")
def bless(request: pytest.FixtureRequest) -> bool:
    """Tell whether expected files are to be rewritten."""
    return bool(request.config.getoption("--bless"))
