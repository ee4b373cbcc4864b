/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a policy grants must work inside: the other half of every refusal. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "route.h"

static int works_read(const struct arena *arena)
{
	char text[64] = "";
	long descriptor, count;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	ATTEMPT(count, "read",
		call(SYS_read, descriptor, text, sizeof text - 1));
	return strcmp(text, DATA_TEXT) == 0 ? 0
					    : route_break("compare", EBADMSG);
}

static int works_list(const struct arena *arena)
{
	char names[512];
	long folder, count;

	ATTEMPT(folder, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read"),
		     O_RDONLY | O_DIRECTORY));
	ATTEMPT(count, "getdents64",
		call(SYS_getdents64, folder, names, sizeof names));
	return 0;
}

static int works_write(const struct arena *arena)
{
	char text[64] = "";
	long descriptor, count;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/data"),
		     O_RDWR | O_TRUNC));
	ATTEMPT(count, "write", call(SYS_write, descriptor, "new\n", 4));
	ATTEMPT(count, "pread64",
		call(SYS_pread64, descriptor, text, sizeof text - 1, 0));
	return strcmp(text, "new\n") == 0 ? 0 : route_break("compare", EBADMSG);
}

static int works_truncate(const struct arena *arena)
{
	long descriptor, done;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/data"), O_RDWR));
	ATTEMPT(done, "ftruncate", call(SYS_ftruncate, descriptor, 2));
	return 0;
}

static int works_truncate_path(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "truncate",
		call(SYS_truncate, at(arena, "write/data"), 2));
	return 0;
}

static int works_create(const struct arena *arena)
{
	long descriptor, done;

	ATTEMPT(done, "mkdirat",
		call(SYS_mkdirat, AT_FDCWD, at(arena, "write/made"), 0700));
	ATTEMPT(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, at(arena, "write/made/file"),
		     O_WRONLY | O_CREAT | O_EXCL, 0644));
	ATTEMPT(done, "unlinkat",
		call(SYS_unlinkat, AT_FDCWD, at(arena, "write/made/file"), 0));
	ATTEMPT(done, "unlinkat(AT_REMOVEDIR)",
		call(SYS_unlinkat, AT_FDCWD, at(arena, "write/made"),
		     AT_REMOVEDIR));
	return 0;
}

static int works_nameless(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_TMPFILE)",
		call(SYS_openat, AT_FDCWD, at(arena, "write"),
		     O_RDWR | O_TMPFILE, 0600));
	return 0;
}

static int works_rename(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "write/moved"), 0));
	return 0;
}

static int works_rename_across(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "write2/moved"), 0));
	return 0;
}

static int works_hard_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "write/second"), 0));
	return 0;
}

static int works_remove_host_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "unlinkat",
		call(SYS_unlinkat, AT_FDCWD, at(arena, "write/host-link"), 0));
	return 0;
}

static int works_devices(const struct arena *arena)
{
	char byte;
	long descriptor, count;

	(void)arena;
	ATTEMPT(descriptor, "openat(/dev/null)",
		call(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY));
	ATTEMPT(count, "write", call(SYS_write, descriptor, "x", 1));
	ATTEMPT(descriptor, "openat(/dev/urandom)",
		call(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY));
	ATTEMPT(count, "read", call(SYS_read, descriptor, &byte, 1));
	return 0;
}

/* Modes and times by descriptor stay open: programs set them on what they
 * write. */
static int works_metadata_by_descriptor(const struct arena *arena)
{
	static const struct timespec times[2] = {{5, 0}, {5, 0}};
	long descriptor, done;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/data"), O_RDWR));
	ATTEMPT(done, "fchmod", call(SYS_fchmod, descriptor, 0640));
	ATTEMPT(done, "utimensat(NULL)",
		call(SYS_utimensat, descriptor, 0, times, 0));
	return 0;
}

/* The calls that `path_metadata = "allow"` gives back, on a writable file. */
static int works_metadata_by_path(const struct arena *arena)
{
	static const struct timespec times[2] = {{5, 0}, {5, 0}};
	const char *path = at(arena, "write/data");
	long done;

	ATTEMPT(done, "fchmodat", call(SYS_fchmodat, AT_FDCWD, path, 0640));
	ATTEMPT(done, "fchownat",
		call(SYS_fchownat, AT_FDCWD, path, -1, getgid(), 0));
	ATTEMPT(done, "utimensat",
		call(SYS_utimensat, AT_FDCWD, path, times, 0));
	return 0;
}

static int works_attributes(const struct arena *arena)
{
	const char *path = at(arena, "write/data");
	long done;

	ATTEMPT(done, "setxattr",
		call(SYS_setxattr, path, "user.stockade", "x", 1, 0));
	ATTEMPT(done, "removexattr",
		call(SYS_removexattr, path, "user.stockade"));
	return 0;
}

static const struct route table[] = {
	{"works-read", works_read, 0},
	{"works-list", works_list, 0},
	{"works-write", works_write, 0},
	{"works-truncate", works_truncate, 0},
	{"works-truncate-path", works_truncate_path, 0},
	{"works-create", works_create, 0},
	{"works-nameless", works_nameless, 0},
	{"works-rename", works_rename, 0},
	{"works-rename-across", works_rename_across, 0},
	{"works-hard-link", works_hard_link, 0},
	{"works-remove-host-link", works_remove_host_link, 0},
	{"works-devices", works_devices, 0},
	{"works-metadata-by-descriptor", works_metadata_by_descriptor, 0},
	{"works-metadata-by-path", works_metadata_by_path, 0},
	{"works-attributes", works_attributes, 0},
};
ROUTE_GROUP(works_routes, table);
