/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that leave a file whose mode makes it run as its owner: left in a
 * writable folder, it would run outside as the sandbox's user.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "route.h"

enum { SETID_MODE = 06755 };

#ifdef SYS_open
static int setid_open(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "open",
		call(SYS_open, at(arena, "write/new"),
		     O_WRONLY | O_CREAT | O_EXCL, SETID_MODE));
	return 0;
}

static int setid_creat(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "creat",
		call(SYS_creat, at(arena, "write/new"), SETID_MODE));
	return 0;
}

static int setid_mknod(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mknod",
		call(SYS_mknod, at(arena, "write/new"), S_IFREG | SETID_MODE,
		     0));
	return 0;
}

static int setid_chmod(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "chmod",
		call(SYS_chmod, at(arena, "write/data"), SETID_MODE));
	return 0;
}
#endif

static int setid_openat(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/new"),
		     O_WRONLY | O_CREAT | O_EXCL, SETID_MODE));
	return 0;
}

static int setid_nameless(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor, done;

	ATTEMPT(descriptor, "openat(O_TMPFILE)",
		call(SYS_openat, AT_FDCWD, at(arena, "write"),
		     O_RDWR | O_TMPFILE, SETID_MODE));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, path, AT_FDCWD,
		     at(arena, "write/new"), AT_SYMLINK_FOLLOW));
	return 0;
}

static int setid_mknodat(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mknodat",
		call(SYS_mknodat, AT_FDCWD, at(arena, "write/new"),
		     S_IFREG | SETID_MODE, 0));
	return 0;
}

static int setid_fchmod(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/data"), O_RDONLY));
	ATTEMPT(done, "fchmod", call(SYS_fchmod, descriptor, SETID_MODE));
	return 0;
}

static int setid_fchmodat(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "fchmodat",
		call(SYS_fchmodat, AT_FDCWD, at(arena, "write/data"),
		     SETID_MODE));
	return 0;
}

static int setid_fchmodat2(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "fchmodat2",
		call(NR_FCHMODAT2, AT_FDCWD, at(arena, "write/data"),
		     SETID_MODE, 0));
	return 0;
}

static int setid_fchmod_high(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/data"), O_RDONLY));
	ATTEMPT(done, "fchmod",
		call(SYS_fchmod, descriptor, 1L << 32 | SETID_MODE));
	return 0;
}

static const struct route table[] = {
#ifdef SYS_open
	{"setid-open", setid_open, 0},
	{"setid-creat", setid_creat, 0},
	{"setid-mknod", setid_mknod, 0},
	{"setid-chmod", setid_chmod, 0},
#endif
	{"setid-openat", setid_openat, 0},
	{"setid-nameless", setid_nameless, 0},
	{"setid-mknodat", setid_mknodat, 0},
	{"setid-fchmod", setid_fchmod, 0},
	{"setid-fchmodat", setid_fchmodat, 0},
	{"setid-fchmodat2", setid_fchmodat2, 0},
	{"setid-fchmod-high", setid_fchmod_high, 0},
};
ROUTE_GROUP(setid_routes, table);
