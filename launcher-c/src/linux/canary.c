/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Makes the canary; see canary.h. */
#include "canary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "guard.h"
#include "message.h"

enum { ST_NOEXEC_FLAG = 8 };

/* A nameless file, or one whose name is gone before anything else happens. */
static int make_file(int folder)
{
	char name[48];
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	(void)path_put_number(stpcpy(name, ".stockade-canary-"),
			      (uint32_t)getpid());
	fd = openat(folder, name,
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0700);
	if (fd >= 0 && unlinkat(folder, name, 0) != 0)
		die_errno("cannot remove the name of the canary `%s`", name);
	return fd;
}

/*
 * Whether the file can be read, written and cut short by its path in /proc, by
 * which probes will try it.  This is their control: the file is new, empty and
 * ours, and all of its owner's rights are set, so nothing but confinement takes
 * them away.
 */
static bool is_reachable(const struct stk_canary *canary)
{
	struct stat made, found;

	if (fstat(canary->fd, &made) != 0)
		return false;
	/* Whatever the caller's umask took away. */
	if ((made.st_mode & S_IRWXU) != S_IRWXU &&
	    fchmod(canary->fd, 0700) != 0)
		die_errno("cannot set the mode of the canary");
	int fd = openat(AT_FDCWD, canary->path, O_RDWR | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool same = fstat(fd, &found) == 0 && made.st_dev == found.st_dev &&
		    made.st_ino == found.st_ino;
	(void)close(fd);
	return same;
}

/* How much a folder falls short: 0 is best, -1 is unusable. */
static int judge_folder(int folder, uint64_t covered)
{
	struct statfs system;

	if (fstatfs(folder, &system) != 0)
		return -1;
	if (covered != 0)
		return 2;
	return system.f_flags & ST_NOEXEC_FLAG ? 1 : 0;
}

/* Tries one folder; only one that falls short by @shortfall is taken. */
static bool try_folder(const struct stk_grants *grants, uint32_t index,
		       int shortfall, struct stk_canary *canary)
{
	const struct stk_canary_folder *record =
		&grants->bundle->canary_folders[index];
	const char *path = stk_string(grants->bundle, record->path);
	static char name[PATH_BYTES + PATH_NUMBER_BYTES];
	struct path_object object;

	if (record->kind == STK_FOLDER_USER)
		(void)path_put_number(stpcpy(name, path), geteuid());
	canary->folder = path_open(
		record->kind == STK_FOLDER_USER ? name : path, NULL, &object);
	if (canary->folder < 0)
		return false;
	canary->covered = grants_covering(grants, canary->folder, &object);
	canary->fd = -1;
	if (judge_folder(canary->folder, canary->covered) == shortfall)
		canary->fd = make_file(canary->folder);
	if (canary->fd >= 0) {
		path_put_fd(canary->path, canary->fd);
		if (is_reachable(canary))
			return true;
		(void)close(canary->fd);
	}
	(void)close(canary->folder);
	return false;
}

void canary_make(const struct stk_grants *grants, struct stk_canary *ret_canary)
{
	struct stk_canary canary = {.fd = -1, .folder = -1};

	*ret_canary = canary;
	for (int shortfall = 0; shortfall <= 2; shortfall++)
		for (uint32_t i = 0; i < grants->bundle->canary_folders_count;
		     i++)
			if (ret_canary->fd < 0 &&
			    try_folder(grants, i, shortfall, &canary))
				*ret_canary = canary;
	guard_end();
}
