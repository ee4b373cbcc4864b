# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bound what a bundle holds, the same for the compiler and for the launcher."""

from __future__ import annotations

# INVARIANT: both sides refuse what exceeds a limit; the launcher sizes its
# static tables from the same numbers.
LIMITS: dict[str, int] = {
    "BUNDLE_BYTES": 4 * 1024 * 1024,
    "VARIANTS": 64,
    "GRANTS": 16384,
    "PORTS": 256,
    "PATH_BYTES": 4095,
    # Bounds the time the parser spends on text that many records share.
    "TEXT_BYTES": 4095,
    # MAX_ARG_STRLEN of execve(2) without the zero byte.
    "ENTRY_BYTES": 131071,
    "INSTRUCTIONS": 4096,
    "ENVIRONMENT": 256,
    "PROBES_PER_VARIANT": 48,
    "LEVELS": 16,
    "CLASSES": 16,
    "REQUIREMENTS_PER_VARIANT": 32,
    "CANARY_FOLDERS": 8,
    "TRUSTED": 256,
    "FEATURES": 64,
    "WARNINGS": 64,
    # Every path is a key, and so are variables and the network's ports.
    "KEYS": 20480,
    "PROFILE_BYTES": 1024 * 1024,
    # A path of the policy has two.
    "PARAMETERS": 33792,
    # What Windows takes as the name of a container.
    "LABEL_BYTES": 64,
    "CAPABILITIES": 16400,
    "ENTRIES_PER_PATH": 16,
    "CONTAINER_ENTRIES": 16,
    "OPEN_FOLDERS": 16,
    "PREFLIGHT": 64,
    # A path of the policy has two, the container three.
    "REMOVALS": 33792,
}
