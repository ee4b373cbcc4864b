# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Collect what is wrong with a policy and say so."""

from stockade.diagnostics.codes import Code
from stockade.diagnostics.quote import quote
from stockade.diagnostics.report import Diagnostic, Note, PolicyRejected, Report

__all__ = ["Code", "Diagnostic", "Note", "PolicyRejected", "Report", "quote"]
