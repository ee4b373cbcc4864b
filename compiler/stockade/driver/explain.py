# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what a policy allows on one path, from the artifact that is made of it."""

from __future__ import annotations

from collections.abc import Mapping

from stockade.artifact.decode import decode_linux
from stockade.diagnostics import Code, Report, quote
from stockade.model.path_family import Family, family_of
from stockade.model.policy import Policy
from stockade.policy.paths import normal_path
from stockade.policy.places import places
from stockade.policy.settings import Setting
from stockade.proof.evaluator import row_allows
from stockade.review.rows import explain
from stockade.review.subject import Subject
from stockade.source import Source, Span


def explain_path(
    bundle: bytes, policy: Policy, settings: Mapping[str, Setting], path: str
) -> str:
    """Explain a path in one line; raise PolicyRejected for one that is no path."""
    report = Report()
    source = Source("option `--explain-path`", path)
    normal = normal_path(path, Span(source, 0, len(path)), report)
    if normal and family_of(normal) is not Family.POSIX:
        message = f"path {quote(path)} is one of Windows, and this is Linux"
        report.add(Code.NOT_ABSOLUTE, message, Span(source, 0, len(path)))
    report.raise_if_errors()
    assert normal is not None
    artifact = decode_linux(bundle)
    subject = Subject(artifact, policy, places(settings))
    return explain(
        subject, normal, lambda row, action: row_allows(artifact, row, action)
    )
