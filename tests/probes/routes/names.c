/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that make, move and remove names: outside, and of kinds that a
 * writable folder must not get either (links, pipes, sockets, devices).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "route.h"

enum {
	RENAME_EXCHANGE_FLAG = 2,
	RENAME_WHITEOUT_FLAG = 4,
};

static int name_create(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/new"),
		     O_WRONLY | O_CREAT | O_EXCL, 0600));
	return 0;
}

static int name_create_in_read_grant(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, at(arena, "read/new"),
		     O_WRONLY | O_CREAT | O_EXCL, 0600));
	return 0;
}

static int name_nameless(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_TMPFILE)",
		call(SYS_openat, AT_FDCWD, at(arena, "read"),
		     O_RDWR | O_TMPFILE, 0600));
	return 0;
}

/* A file without a name, made where it may be and named where nothing may. */
static int name_nameless_out(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor, done;

	PREPARE(descriptor, "openat(O_TMPFILE)",
		call(SYS_openat, AT_FDCWD, at(arena, "write"),
		     O_RDWR | O_TMPFILE, 0600));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, path, AT_FDCWD,
		     at(arena, "outside/new"), AT_SYMLINK_FOLLOW));
	return 0;
}

static int name_folder(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mkdirat",
		call(SYS_mkdirat, AT_FDCWD, at(arena, "outside/new"), 0700));
	return 0;
}

static int name_remove(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "unlinkat",
		call(SYS_unlinkat, AT_FDCWD, at(arena, "outside/secret"), 0));
	return 0;
}

static int name_remove_folder(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "unlinkat(AT_REMOVEDIR)",
		call(SYS_unlinkat, AT_FDCWD, at(arena, "outside/empty"),
		     AT_REMOVEDIR));
	return 0;
}

static int name_symlink(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "symlinkat",
		call(SYS_symlinkat, "secret", AT_FDCWD,
		     at(arena, "outside/new")));
	return 0;
}

/* A link of one's own leads where the kernel then judges the target. */
static int read_by_own_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "symlinkat",
		call(SYS_symlinkat, at(arena, "outside/secret"), AT_FDCWD,
		     at(arena, "write/own-link")));
	return open_secret(at(arena, "write/own-link"));
}

static int name_link_in_read_grant(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "symlinkat",
		call(SYS_symlinkat, "data", AT_FDCWD,
		     at(arena, "read/new-link")));
	return 0;
}

static int name_move_out(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "outside/new"), 0));
	return 0;
}

static int name_replace(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "outside/secret"), 0));
	return 0;
}

static int name_link_out(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "outside/new"), 0));
	return 0;
}

/* A file of a read grant gets a name under which it could be written. */
static int name_link_read_grant(const struct arena *arena)
{
	long done, descriptor;

	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, at(arena, "read/data"), AT_FDCWD,
		     at(arena, "write/linked"), 0));
	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/linked"), O_RDWR));
	return 0;
}

/* A file that may be written moves where it could be executed. */
static int name_move_to_exec_grant(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "exec/new"), 0));
	return 0;
}

static int name_link_in_write_grant(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "symlinkat",
		call(SYS_symlinkat, at(arena, "outside"), AT_FDCWD,
		     at(arena, "write/new")));
	return 0;
}

static int name_fifo(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mknodat(S_IFIFO)",
		call(SYS_mknodat, AT_FDCWD, at(arena, "write/new"),
		     S_IFIFO | 0600, 0));
	return 0;
}

static int name_socket(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mknodat(S_IFSOCK)",
		call(SYS_mknodat, AT_FDCWD, at(arena, "write/new"),
		     S_IFSOCK | 0600, 0));
	return 0;
}

/* Device 0:0 is the one that needs no privilege: overlay file systems read it
 * as "removed". */
static int name_device(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mknodat(S_IFCHR)",
		call(SYS_mknodat, AT_FDCWD, at(arena, "write/new"),
		     S_IFCHR | 0600, 0));
	return 0;
}

static int name_whiteout(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2(RENAME_WHITEOUT)",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/data"), AT_FDCWD,
		     at(arena, "write/moved"), RENAME_WHITEOUT_FLAG));
	return 0;
}

static int name_rename_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/host-link"),
		     AT_FDCWD, at(arena, "write/new"), 0));
	return 0;
}

static int name_rename_fifo(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/host-fifo"),
		     AT_FDCWD, at(arena, "write/new"), 0));
	return 0;
}

static int name_exchange_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2(RENAME_EXCHANGE)",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/host-link"),
		     AT_FDCWD, at(arena, "write/data"), RENAME_EXCHANGE_FLAG));
	return 0;
}

static int name_hard_link_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, at(arena, "write/host-link"),
		     AT_FDCWD, at(arena, "write/new"), 0));
	return 0;
}

static const struct route table[] = {
	{"name-create", name_create, 0},
	{"name-create-in-read-grant", name_create_in_read_grant, 0},
	{"name-nameless", name_nameless, 0},
	{"name-nameless-out", name_nameless_out, 0},
	{"name-folder", name_folder, 0},
	{"name-remove", name_remove, 0},
	{"name-remove-folder", name_remove_folder, 0},
	{"name-symlink", name_symlink, 0},
	{"read-by-own-link", read_by_own_link, 0},
	{"name-link-in-read-grant", name_link_in_read_grant, 0},
	{"name-move-out", name_move_out, 0},
	{"name-replace", name_replace, 0},
	{"name-link-out", name_link_out, 0},
	{"name-link-read-grant", name_link_read_grant, 0},
	{"name-move-to-exec-grant", name_move_to_exec_grant, 0},
	{"name-link-in-write-grant", name_link_in_write_grant, 0},
	{"name-fifo", name_fifo, 0},
	{"name-socket", name_socket, 0},
	{"name-device", name_device, 0},
	{"name-whiteout", name_whiteout, 0},
	{"name-rename-link", name_rename_link, 0},
	{"name-rename-fifo", name_rename_fifo, 0},
	{"name-exchange-link", name_exchange_link, 0},
	{"name-hard-link-link", name_hard_link_link, 0},
};
ROUTE_GROUP(name_routes, table);
