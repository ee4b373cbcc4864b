# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number the errors that policies and probes use (asm-generic/errno.h).

The host's own table is no source: artifacts are compiled on any system.
"""

from __future__ import annotations

ERRNO: dict[str, int] = {
    "EPERM": 1,
    "ENOENT": 2,
    "ESRCH": 3,
    "EIO": 5,
    "ENOEXEC": 8,
    "EBADF": 9,
    "EACCES": 13,
    "EFAULT": 14,
    "EEXIST": 17,
    "EINVAL": 22,
    "ETXTBSY": 26,
    "ENOSYS": 38,
    "EOPNOTSUPP": 95,
}
ERRNO_NAMES: dict[int, str] = {number: name for name, number in ERRNO.items()}
