# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a bundle back into an artifact, through the launcher's own parser.

INVARIANT: `decode(encode(artifact)) == canonical(artifact)`; the compiler compares
the two before it writes anything.
"""

from __future__ import annotations

from stockade.abi.targets import SYSTEM_OF, System
from stockade.artifact.linux_reader import linux_artifact
from stockade.artifact.macos_reader import macos_artifact
from stockade.artifact.parser import parse
from stockade.artifact.windows_reader import windows_artifact
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact


def decode(data: bytes) -> AnyArtifact:
    """Return the artifact that a bundle holds; raise BundleRefused like the parser."""
    bundle = parse(data)
    match SYSTEM_OF[bundle.target]:
        case System.LINUX:
            return linux_artifact(bundle)
        case System.MACOS:
            return macos_artifact(bundle)
        case System.WINDOWS:
            return windows_artifact(bundle)


def decode_linux(data: bytes) -> Artifact:
    """Return the artifact of a Linux bundle; one of another system is refused too."""
    target = parse(data).target
    if SYSTEM_OF[target] is not System.LINUX:
        target = next(one for one in SYSTEM_OF if SYSTEM_OF[one] is System.LINUX)
    return linux_artifact(parse(data, target))
