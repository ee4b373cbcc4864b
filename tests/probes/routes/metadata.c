/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that change what is written about a file: mode, owner, times,
 * attributes. Landlock sees none of these calls, so a file outside every grant
 * is within reach.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "route.h"

#define ATTRIBUTE "user.stockade"

enum { FLAG_NODUMP = 0x40 };

/* FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR */
static const long get_flags = 0x80086601, set_flags = 0x40086602;
static const long get_extended = 0x801c581f, set_extended = 0x401c5820;

static const struct timespec long_ago[2] = {{1, 0}, {1, 0}};

/* One call on the path of the file outside. */
#define ON_SECRET(function, step, ...)                                         \
	static int function(const struct arena *arena)                         \
	{                                                                      \
		const char *path = at(arena, "outside/secret");                \
		long done;                                                     \
		ATTEMPT(done, step, call(__VA_ARGS__));                        \
		return 0;                                                      \
	}

#ifdef SYS_chmod
ON_SECRET(metadata_chmod, "chmod", SYS_chmod, path, 0640)
ON_SECRET(metadata_chown, "chown", SYS_chown, path, -1, getgid())
ON_SECRET(metadata_lchown, "lchown", SYS_lchown, path, -1, getgid())
ON_SECRET(metadata_utime, "utime", SYS_utime, path, ((long[2]){1, 1}))
ON_SECRET(metadata_utimes, "utimes", SYS_utimes, path, ((long[4]){1, 0, 1, 0}))
ON_SECRET(metadata_futimesat, "futimesat", SYS_futimesat, AT_FDCWD, path,
	  ((long[4]){1, 0, 1, 0}))
#endif
ON_SECRET(metadata_fchmodat, "fchmodat", SYS_fchmodat, AT_FDCWD, path, 0640)
ON_SECRET(metadata_fchmodat2, "fchmodat2", NR_FCHMODAT2, AT_FDCWD, path, 0640,
	  0)
ON_SECRET(metadata_fchownat, "fchownat", SYS_fchownat, AT_FDCWD, path, -1,
	  getgid(), 0)
ON_SECRET(metadata_utimensat, "utimensat", SYS_utimensat, AT_FDCWD, path,
	  long_ago, 0)
ON_SECRET(metadata_setxattr, "setxattr", SYS_setxattr, path, ATTRIBUTE, "new",
	  3, 0)
ON_SECRET(metadata_lsetxattr, "lsetxattr", SYS_lsetxattr, path, ATTRIBUTE,
	  "new", 3, 0)
ON_SECRET(metadata_removexattr, "removexattr", SYS_removexattr, path, ATTRIBUTE)
ON_SECRET(metadata_lremovexattr, "lremovexattr", SYS_lremovexattr, path,
	  ATTRIBUTE)
ON_SECRET(metadata_removexattrat, "removexattrat", NR_REMOVEXATTRAT, AT_FDCWD,
	  path, 0, ATTRIBUTE)

static int metadata_setxattrat(const struct arena *arena)
{
	struct {
		unsigned long value;
		unsigned size, flags;
	} attribute = {(unsigned long)"new", 3, 0};
	long done;

	ATTEMPT(done, "setxattrat",
		call(NR_SETXATTRAT, AT_FDCWD, at(arena, "outside/secret"), 0,
		     ATTRIBUTE, &attribute, sizeof attribute));
	return 0;
}

static int metadata_file_setattr(const struct arena *arena)
{
	struct {
		unsigned long flags;
		unsigned extent, extents, project, copy_extent;
	} attributes = {0x80 /* FS_XFLAG_NODUMP */, 0, 0, 0, 0};
	long done;

	ATTEMPT(done, "file_setattr",
		call(NR_FILE_SETATTR, AT_FDCWD, at(arena, "outside/secret"),
		     &attributes, sizeof attributes, 0));
	return 0;
}

/* Descriptors name a file without a path: by an empty one, or below /proc. */
static long secret_path_descriptor(const struct arena *arena)
{
	return call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"), O_PATH);
}

static int metadata_own_link(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)", secret_path_descriptor(arena));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	ATTEMPT(done, "fchmodat", call(SYS_fchmodat, AT_FDCWD, path, 0640));
	return 0;
}

static int metadata_empty_chmod(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)", secret_path_descriptor(arena));
	ATTEMPT(done, "fchmodat2(AT_EMPTY_PATH)",
		call(NR_FCHMODAT2, descriptor, "", 0640, AT_EMPTY_PATH));
	return 0;
}

static int metadata_empty_chown(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)", secret_path_descriptor(arena));
	ATTEMPT(done, "fchownat(AT_EMPTY_PATH)",
		call(SYS_fchownat, descriptor, "", -1, getgid(),
		     AT_EMPTY_PATH));
	return 0;
}

static int metadata_empty_times(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)", secret_path_descriptor(arena));
	ATTEMPT(done, "utimensat(AT_EMPTY_PATH)",
		call(SYS_utimensat, descriptor, "", long_ago, AT_EMPTY_PATH));
	return 0;
}

/* One call on a descriptor of a file that is granted for reading only. */
#define ON_READ_GRANT(function, step, ...)                                     \
	static int function(const struct arena *arena)                         \
	{                                                                      \
		long descriptor, done;                                         \
		PREPARE(descriptor, "openat",                                  \
			call(SYS_openat, AT_FDCWD, at(arena, "read/data"),     \
			     O_RDONLY));                                       \
		ATTEMPT(done, step, call(__VA_ARGS__));                        \
		return 0;                                                      \
	}

ON_READ_GRANT(metadata_fchown, "fchown", SYS_fchown, descriptor, -1, getgid())
ON_READ_GRANT(metadata_fsetxattr, "fsetxattr", SYS_fsetxattr, descriptor,
	      ATTRIBUTE, "new", 3, 0)
ON_READ_GRANT(metadata_fremovexattr, "fremovexattr", SYS_fremovexattr,
	      descriptor, ATTRIBUTE)

static int change_flags(const struct arena *arena, long request)
{
	long descriptor, done, flags = 0;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	PREPARE(done, "ioctl(FS_IOC_GETFLAGS)",
		call(SYS_ioctl, descriptor, get_flags, &flags));
	flags |= FLAG_NODUMP;
	ATTEMPT(done, "ioctl(FS_IOC_SETFLAGS)",
		call(SYS_ioctl, descriptor, request, &flags));
	return 0;
}

static int metadata_flags(const struct arena *arena)
{
	return change_flags(arena, set_flags);
}

static int metadata_flags_high(const struct arena *arena)
{
	return change_flags(arena, 1L << 32 | set_flags);
}

static int metadata_extended_flags(const struct arena *arena)
{
	unsigned extended[7] = {0};
	long descriptor, done;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	PREPARE(done, "ioctl(FS_IOC_FSGETXATTR)",
		call(SYS_ioctl, descriptor, get_extended, extended));
	extended[0] |= 0x80; /* FS_XFLAG_NODUMP */
	ATTEMPT(done, "ioctl(FS_IOC_FSSETXATTR)",
		call(SYS_ioctl, descriptor, set_extended, extended));
	return 0;
}

/* ext4's own number for what FS_IOC_SETVERSION does everywhere. */
static int metadata_version(const struct arena *arena)
{
	enum { EXT4_SET_VERSION = 0x40086604 };
	long descriptor, done, version = 77;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	ATTEMPT(done, "ioctl(EXT4_IOC_SETVERSION)",
		call(SYS_ioctl, descriptor, EXT4_SET_VERSION, &version));
	return 0;
}

static const struct route table[] = {
#ifdef SYS_chmod
	{"metadata-chmod", metadata_chmod, 0},
	{"metadata-chown", metadata_chown, 0},
	{"metadata-lchown", metadata_lchown, 0},
	{"metadata-utime", metadata_utime, 0},
	{"metadata-utimes", metadata_utimes, 0},
	{"metadata-futimesat", metadata_futimesat, 0},
#endif
	{"metadata-fchmodat", metadata_fchmodat, 0},
	{"metadata-fchmodat2", metadata_fchmodat2, 0},
	{"metadata-fchownat", metadata_fchownat, 0},
	{"metadata-utimensat", metadata_utimensat, 0},
	{"metadata-setxattr", metadata_setxattr, 0},
	{"metadata-lsetxattr", metadata_lsetxattr, 0},
	{"metadata-removexattr", metadata_removexattr, 0},
	{"metadata-lremovexattr", metadata_lremovexattr, 0},
	{"metadata-setxattrat", metadata_setxattrat, 0},
	{"metadata-removexattrat", metadata_removexattrat, 0},
	{"metadata-file-setattr", metadata_file_setattr, 0},
	{"metadata-own-link", metadata_own_link, 0},
	{"metadata-empty-chmod", metadata_empty_chmod, 0},
	{"metadata-empty-chown", metadata_empty_chown, 0},
	{"metadata-empty-times", metadata_empty_times, 0},
	{"metadata-fchown", metadata_fchown, 0},
	{"metadata-fsetxattr", metadata_fsetxattr, 0},
	{"metadata-fremovexattr", metadata_fremovexattr, 0},
	{"metadata-flags", metadata_flags, 0},
	{"metadata-flags-high", metadata_flags_high, 0},
	{"metadata-extended-flags", metadata_extended_flags, 0},
	{"metadata-version", metadata_version, 0},
};
ROUTE_GROUP(metadata_routes, table);
