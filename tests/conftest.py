# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give every test the stage, and judge every skip.

A skip names a feature and is believed only when that feature was measured on
this host and found missing; the session fails on any other (skips.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import skips
import stage as stages

_SEEN = pytest.StashKey[list[tuple[str, str]]]()
_PROBLEMS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--bless`, which rewrites expected files instead of comparing them."""
    parser.addoption(
        "--bless",
        action="store_true",
        default=False,
        help="rewrite expected files from what the code produces now",
    )
    parser.addoption(
        "--long",
        action="store_true",
        default=False,
        help="run the tests that are marked long, and only those",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; refuse to rewrite expectations where CI is set."""
    config.addinivalue_line(
        "markers", "needs(*features): skip where the host lacks one of them"
    )
    config.addinivalue_line("markers", "long: takes minutes; only with `--long`")
    if config.getoption("--bless") and os.environ.get("CI"):
        raise pytest.UsageError(
            "`--bless` is refused where CI is set; bless by hand and review"
        )
    config.stash[_SEEN] = []
    config.pluginmanager.register(_SkipRecorder(config.stash[_SEEN]))


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave either the long tests or all others."""
    wanted = bool(config.getoption("--long"))
    left_out = [
        item for item in items if bool(item.get_closest_marker("long")) != wanted
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


class _SkipRecorder:
    """Remember each skip, of a test or of a whole file, with its reason."""

    def __init__(self, seen: list[tuple[str, str]]) -> None:
        self._seen = seen

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in the report of one test."""
        if not hasattr(report, "wasxfail"):
            self._take(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take in the report of one file."""
        self._take(report)

    def _take(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped:
            place = report.longrepr
            reason = place[2] if isinstance(place, tuple) else str(place)
            self._seen.append((report.nodeid, str(reason)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose marker names a feature that the host lacks."""
    for mark in item.iter_markers("needs"):
        stages.require(*mark.args)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session for a skip that no measured feature explains."""
    problems = [
        f"skip of {node} is not believed: {why}"
        for node, reason in session.config.stash[_SEEN]
        if (why := skips.doubt(reason, os.environ)) is not None
    ]
    problems += [
        f"`{name}` stands in `{skips.EXPECTED.name}` but this host has it"
        for name in skips.stale(os.environ)
    ]
    session.config.stash[_PROBLEMS] = problems
    if problems and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was skipped for which feature, and what is not believed."""
    config = terminalreporter.config
    counts: dict[str, int] = {}
    for _, reason in config.stash[_SEEN]:
        if name := skips.feature_of(reason):
            counts[name] = counts.get(name, 0) + 1
    for name in sorted(counts):
        terminalreporter.line(f"skipped for lack of {name}: {counts[name]}")
    for problem in config.stash.get(_PROBLEMS, []):
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
