# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the device and file requests (`ioctl`) that a Linux policy refuses.

Numbers from asm-generic/ioctls.h, linux/fs.h, linux/fscrypt.h, linux/fsverity.h,
linux/btrfs.h and linux/sockios.h of Linux 7.2; they are equal on x86_64 and
aarch64.
"""

from __future__ import annotations

from stockade.model.calls import (
    ArgumentTest,
    CallRule,
    any_bit,
    is_,
    negate,
    within,
)

_TERMINAL_INPUT = (
    0x5412,  # TIOCSTI
    0x541C,  # TIOCLINUX
)
# They change or lock a terminal that others share.
_TERMINAL_SHARED = (
    0x540C,  # TIOCEXCL
    0x541D,  # TIOCCONS
    0x5423,  # TIOCSETD
    0x5437,  # TIOCVHANGUP
)
# Terminal job control signals whole groups.
_TERMINAL_GROUPS = (0x5410,)  # TIOCSPGRP: SIGTTIN and SIGTTOU, which only stop
_TERMINAL_SIGNALS = (
    0x5414,  # TIOCSWINSZ: SIGWINCH
    0x40045436,  # TIOCSIG: SIGINT, SIGQUIT, SIGTSTP
)
_FILE_CHANGES = (
    0x40086602,  # FS_IOC_SETFLAGS
    0x40046602,  # FS_IOC32_SETFLAGS
    0x401C5820,  # FS_IOC_FSSETXATTR
    0x40087602,  # FS_IOC_SETVERSION
    0x40047602,  # FS_IOC32_SETVERSION
    0x40086604,  # EXT4_IOC_SETVERSION, the spelling of its own
    0x40046604,  # EXT4_IOC32_SETVERSION
    0x41009432,  # FS_IOC_SETFSLABEL
    0x40806685,  # FS_IOC_ENABLE_VERITY
    0x800C6613,  # FS_IOC_SET_ENCRYPTION_POLICY, numbered as if it only read
    0xC0506617,  # FS_IOC_ADD_ENCRYPTION_KEY
    0xC0406618,  # FS_IOC_REMOVE_ENCRYPTION_KEY
    0xC0406619,  # FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS
    0xC0189436,  # FIDEDUPERANGE
    0x40047211,  # FAT_IOCTL_SET_ATTRIBUTES
    0x6609,  # EXT4_IOC_MIGRATE
    0x660C,  # EXT4_IOC_ALLOC_DA_BLKS
    0x6611,  # EXT4_IOC_SWAP_BOOT
)
_BTRFS_CHANGES = (
    0x50009401,  # BTRFS_IOC_SNAP_CREATE
    0x5000940E,  # BTRFS_IOC_SUBVOL_CREATE
    0x5000940F,  # BTRFS_IOC_SNAP_DESTROY
    0x50009417,  # BTRFS_IOC_SNAP_CREATE_V2
    0x50009418,  # BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000943F,  # BTRFS_IOC_SNAP_DESTROY_V2
    0x50009402,  # BTRFS_IOC_DEFRAG
    0x40309410,  # BTRFS_IOC_DEFRAG_RANGE
    0x4008941A,  # BTRFS_IOC_SUBVOL_SETFLAGS
    0xC0C89425,  # BTRFS_IOC_SET_RECEIVED_SUBVOL
)
_ASYNC = (
    0x5452,  # FIOASYNC
    0x8901,  # FIOSETOWN
    0x8902,  # SIOCSPGRP
)
# Interface requests 0x8901 to 0x89ff, less SIOCATMARK 0x8905 and the time stamps
# SIOCGSTAMP 0x8906 and SIOCGSTAMPNS 0x8907, and those of wireless interfaces:
# any socket pair answers them.
_INTERFACES = ((0x8901, 0x8904), (0x8908, 0x89FF), (0x8B00, 0x8BFF))

# Below Landlock ABI 5 a device in a read grant keeps every request, so only
# requests that every program needs, or that no device driver sees, are answered.
_LISTED = (
    (0x0002, 0x0002),  # FIGETBSZ
    (0x5401, 0x540B),  # TCGETS to TCFLSH: modes, break, flow, flush
    (0x540F, 0x540F),  # TIOCGPGRP
    (0x5411, 0x5411),  # TIOCOUTQ
    (0x5413, 0x5413),  # TIOCGWINSZ
    (0x541B, 0x541B),  # FIONREAD
    (0x5421, 0x5421),  # FIONBIO
    (0x5429, 0x5429),  # TIOCGSID
    (0x5441, 0x5441),  # TIOCGPTPEER
    (0x5450, 0x5452),  # FIONCLEX, FIOCLEX, FIOASYNC
    (0x5460, 0x5460),  # FIOQSIZE
    (0x8901, 0x89FF),  # socket requests: sockets are no devices
    (0x40045431, 0x40045431),  # TIOCSPTLCK
    (0x402C542B, 0x402C542D),  # TCSETS2 to TCSETSF2, by which glibc 2.42 sets modes
    (0x40049409, 0x40049409),  # FICLONE
    (0x4020940D, 0x4020940D),  # FICLONERANGE
    (0x80045430, 0x80045430),  # TIOCGPTN
    (0x802C542A, 0x802C542A),  # TCGETS2
    (0x80086601, 0x80086601),  # FS_IOC_GETFLAGS
    (0x80087601, 0x80087601),  # FS_IOC_GETVERSION
    (0x801C581F, 0x801C581F),  # FS_IOC_FSGETXATTR
    (0xC020660B, 0xC020660B),  # FS_IOC_FIEMAP
)


# The direction bit of requests that hand the kernel data, asm-generic/ioctl.h.
_HANDS_DATA_IN = 0x40000000


def _ioctl(
    test: ArgumentTest, reason: str, requirement: str, when: str = "always"
) -> CallRule:
    return CallRule(("ioctl",), "EPERM", reason, requirement, when, (test,))


IOCTL_RULES: tuple[CallRule, ...] = (
    _ioctl(
        is_(1, *_TERMINAL_INPUT), "types into a terminal", "no-privilege-escalation"
    ),
    _ioctl(
        is_(1, *_TERMINAL_SHARED), "changes a shared terminal", "processes-protected"
    ),
    _ioctl(is_(1, *_FILE_CHANGES), "changes a file", "filesystem-confined"),
    _ioctl(is_(1, *_BTRFS_CHANGES), "changes subvolumes", "filesystem-confined"),
    _ioctl(
        is_(1, *_TERMINAL_GROUPS),
        "signals whole groups",
        "signals-isolated",
        "signals-inside",
    ),
    _ioctl(
        is_(1, *_TERMINAL_SIGNALS),
        "signals whole groups",
        "signals-isolated",
        "signals-restricted",
    ),
    _ioctl(
        is_(1, *_ASYNC),
        "signals by asynchronous I/O",
        "signals-isolated",
        "signals-restricted",
    ),
    _ioctl(
        within(1, *_INTERFACES),
        "interfaces and addresses",
        "ip-network-denied",
        "ip-none",
    ),
    _ioctl(
        any_bit(1, _HANDS_DATA_IN),
        "hands the kernel data",
        "ioctl-input-denied",
        "no-input",
    ),
    _ioctl(
        negate(within(1, *_LISTED)),
        "device requests are not listed",
        "filesystem-confined",
        "listed-ioctls",
    ),
)
