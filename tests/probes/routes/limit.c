/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Stated limits: what stays possible inside, tried so that the documents stay
 * true. When one of these is refused some day, its text is out of date.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "route.h"

/* That a path exists, its size and times can be seen everywhere. */
static int limit_stat(const struct arena *arena)
{
	struct stat status;
	long done;

	ATTEMPT(done, "newfstatat",
		call(SYS_newfstatat, AT_FDCWD, at(arena, "outside/secret"),
		     &status, 0));
	return 0;
}

static int limit_folder(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "chdir", call(SYS_chdir, at(arena, "outside")));
	return 0;
}

static int limit_link_target(const struct arena *arena)
{
	char target[64];
	long done;

	ATTEMPT(done, "readlinkat",
		call(SYS_readlinkat, AT_FDCWD, at(arena, "outside/link"),
		     target, sizeof target));
	return 0;
}

/* A lock on a file that may only be read holds up others. */
static int limit_lock(const struct arena *arena)
{
	long descriptor, done;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	ATTEMPT(done, "flock", call(SYS_flock, descriptor, LOCK_EX | LOCK_NB));
	return 0;
}

/* A watch on a folder that cannot be listed tells its names as they are used.
 */
static int limit_watch(const struct arena *arena)
{
	long listener, done;

	ATTEMPT(listener, "inotify_init1", call(SYS_inotify_init1, 0));
	ATTEMPT(done, "inotify_add_watch",
		call(SYS_inotify_add_watch, listener, at(arena, "outside"),
		     IN_OPEN));
	return 0;
}

/* Mode and times of an open file can be set, also of one open for reading only.
 */
static int limit_open_metadata(const struct arena *arena)
{
	static const struct timespec times[2] = {{5, 0}, {5, 0}};
	long descriptor, done;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	ATTEMPT(done, "fchmod", call(SYS_fchmod, descriptor, 0640));
	ATTEMPT(done, "utimensat(NULL)",
		call(SYS_utimensat, descriptor, 0, times, 0));
	return 0;
}

/* Hard links in a writable folder to files elsewhere are written through. */
static int limit_hard_link(const struct arena *arena)
{
	long descriptor, count;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "write/host-hard-link"),
		     O_WRONLY));
	ATTEMPT(count, "write", call(SYS_write, descriptor, "x", 1));
	return 0;
}

/* Renaming a folder moves the links in it to new paths. */
static int limit_folder_of_links(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "write/host-folder"),
		     AT_FDCWD, at(arena, "write/moved"), 0));
	return 0;
}

/* Processes can be counted: a number is a folder of /proc that can be looked
 * at. */
static int limit_process_numbers(const struct arena *arena)
{
	struct stat status;
	char path[32] = "/proc/";
	char digits[24];
	size_t length = 0, end = 6;
	long done;

	for (long rest = arena->victim; rest > 0; rest /= 10)
		digits[length++] = (char)('0' + rest % 10);
	while (length > 0)
		path[end++] = digits[--length];
	path[end] = '\0';
	ATTEMPT(done, "newfstatat",
		call(SYS_newfstatat, AT_FDCWD, path, &status, 0));
	return 0;
}

/* Numbers, names and limits of others can be read. */
static int limit_others(const struct arena *arena)
{
	unsigned long limits[2];
	long done;

	ATTEMPT(done, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	ATTEMPT(done, "prlimit64(read)",
		call(SYS_prlimit64, arena->victim, 7, 0, limits));
	ATTEMPT(done, "getpgid", call(SYS_getpgid, arena->victim));
	return 0;
}

static const struct route table[] = {
	{"limit-stat", limit_stat, 0},
	{"limit-folder", limit_folder, 0},
	{"limit-link-target", limit_link_target, 0},
	{"limit-lock", limit_lock, 0},
	{"limit-watch", limit_watch, 0},
	{"limit-open-metadata", limit_open_metadata, 0},
	{"limit-hard-link", limit_hard_link, 0},
	{"limit-folder-of-links", limit_folder_of_links, 0},
	{"limit-process-numbers", limit_process_numbers, 0},
	{"limit-others", limit_others, 0},
};
ROUTE_GROUP(limit_routes, table);
