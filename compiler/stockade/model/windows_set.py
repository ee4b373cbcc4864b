# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what every container has on Windows, whatever a policy grants.

From documentation and from reports on running systems; not measured.
"""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.model.path_family import folded, folders_above

# Windows gives ALL APPLICATION PACKAGES read and execute on these and, by
# inheritance, on what is installed below them; where single files differ, less is
# open. Written for the usual drive: the launcher compares with the real folders.
OPEN_FOLDERS = (
    "C:\\Program Files",
    "C:\\Program Files (x86)",
    "C:\\Windows",
)
_OPEN = frozenset(folded(folder, System.WINDOWS) for folder in OPEN_FOLDERS)


def open_to_containers(path: str) -> bool:
    """Tell whether Windows itself lets every container read and execute a path."""
    return any(folded(above, System.WINDOWS) in _OPEN for above in folders_above(path))
