/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Constants and structures of the kernel that musl has no header for.  Numbers
 * are those of Linux 7.2's include/uapi; the header of each is named.
 */
#ifndef STOCKADE_KERNEL_H
#define STOCKADE_KERNEL_H

#include <stdint.h>

/* linux/stat.h */
#define STK_STATX_BASIC        0x7ffu
#define STK_STATX_MNT_ID       0x1000u
#define STK_AT_STATX_DONT_SYNC 0x4000

struct stk_statx {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, unused;
	uint64_t ino, size, blocks, attributes_mask;
	uint64_t times[8];
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t mnt_id, spare[13];
};
_Static_assert(sizeof(struct stk_statx) == 256, "struct statx");

/* linux/openat2.h */
#define STK_RESOLVE_NO_XDEV     0x01u
#define STK_RESOLVE_NO_SYMLINKS 0x04u
#define STK_RESOLVE_CACHED      0x20u

struct stk_open_how {
	uint64_t flags, mode, resolve;
};

/* linux/landlock.h */
#define STK_LANDLOCK_VERSION           1u
#define STK_LANDLOCK_ERRATA            2u
#define STK_LANDLOCK_RULE_PATH_BENEATH 1
#define STK_LANDLOCK_RULE_NET_PORT     2
#define STK_LANDLOCK_LOG_SAME_EXEC_OFF 1u
#define STK_FS_EXECUTE                 (UINT64_C(1) << 0)
#define STK_FS_WRITE_FILE              (UINT64_C(1) << 1)
#define STK_FS_READ_FILE               (UINT64_C(1) << 2)
#define STK_FS_READ_DIR                (UINT64_C(1) << 3)
#define STK_FS_MAKE_REG                (UINT64_C(1) << 8)
#define STK_FS_TRUNCATE                (UINT64_C(1) << 14)
#define STK_FS_IOCTL_DEV               (UINT64_C(1) << 15)
#define STK_FS_RESOLVE_UNIX            (UINT64_C(1) << 16)
/* The kernel refuses any other right on what is not a folder. */
#define STK_FS_OF_FILES                                                        \
	(STK_FS_EXECUTE | STK_FS_WRITE_FILE | STK_FS_READ_FILE |               \
	 STK_FS_TRUNCATE | STK_FS_IOCTL_DEV | STK_FS_RESOLVE_UNIX)

struct stk_landlock_ruleset {
	uint64_t fs, net, scope;
};

struct stk_landlock_path {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

struct stk_landlock_port {
	uint64_t rights, port;
};

/* linux/seccomp.h, linux/filter.h */
#define STK_SECCOMP_SET_MODE_FILTER  1u
#define STK_SECCOMP_GET_ACTION_AVAIL 2u
#define STK_SECCOMP_RET_ERRNO        0x00050000u

struct stk_sock_fprog {
	uint16_t length;
	const void *instructions;
};

/* linux/futex.h */
#define STK_FUTEX_WAIT 0
#define STK_FUTEX_WAKE 1

/* linux/capability.h */
#define STK_CAPABILITY_VERSION 0x20080522u

struct stk_capability_header {
	uint32_t version;
	int32_t pid;
};

struct stk_capability_data {
	uint32_t effective, permitted, inheritable;
};

/* linux/fcntl.h, linux/close_range.h */
#define STK_F_SEAL_EXEC         0x20
#define STK_CLOSE_RANGE_CLOEXEC 4u

/* linux/magic.h */
#define STK_PROC_MAGIC    0x9fa0
#define STK_SYSFS_MAGIC   0x62656572
#define STK_CGROUP_MAGIC  0x27e0eb
#define STK_CGROUP2_MAGIC 0x63677270
#define STK_NSFS_MAGIC    0x6e736673

/* linux/in.h, linux/netlink.h, asm-generic/ioctls.h */
#define STK_IPPROTO_MPTCP 262
#define STK_NETLINK_ROUTE 0
#define STK_TIOCGPTN      0x80045430u

#endif
