# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what an artifact of any system may be."""

from __future__ import annotations

from typing import TypeAlias

from stockade.model.artifact import Artifact
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.windows_artifact import WindowsArtifact

AnyArtifact: TypeAlias = Artifact | MacosArtifact | WindowsArtifact
