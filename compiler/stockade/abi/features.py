# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number the bits of a host's feature set, which compiler and launcher share.

ABI bits are a thermometer: a kernel with Landlock ABI 7 sets bits 1 to 7, so
"at least" is one mask test and a variant for newer kernels needs one bit more.
"""

from __future__ import annotations

LANDLOCK_ABI_NEWEST = 11

FEATURES: dict[str, int] = {
    **{f"landlock-abi-{n}": 1 << (n - 1) for n in range(1, LANDLOCK_ABI_NEWEST + 1)},
    **{f"landlock-erratum-{n}": 1 << (15 + n) for n in range(1, 9)},
    # landlock-built: the system calls exist (not ENOSYS); landlock-abi-1 lacking
    # although they do means that Landlock is switched off at boot (EOPNOTSUPP).
    "landlock-built": 1 << 32,
    "seccomp-filter": 1 << 33,
    # Not wanted by any variant: it only chooses between two texts of a reason.
    "outer-filter": 1 << 40,
}
