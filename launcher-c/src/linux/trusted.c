/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Finds home folders and what is trusted below them; see trusted.h.
 *
 * Most locations are missing, and all but a few are plain: then one lookup in
 * the kernel's cache says that the place is the home folder's and the name.
 */
#include "trusted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/message.h"
#include "overlap.h"

enum { MOST_HOMES = 2 };

struct home {
	const char *path;
	/* The deepest folder of it that exists, and whether that is all. */
	int fd;
	bool whole;
	struct mount_place place;
};

static struct home homes[MOST_HOMES];
static unsigned homes_count;

static void judge(const struct mount_place *place, unsigned relations,
		  const char *location, const char *variable)
{
	const struct stk_pin *pin = overlap_find(place, relations);

	if (pin)
		die_conflict(
			"`%s` (%s) reaches the trusted location `%s`%s%s%s",
			pin->path, pin->role, location, variable ? " (" : "",
			variable ? variable : "", variable ? ")" : "");
}

/* The place of a path that may be missing; false for a device. */
static bool find(const char *path, int *ret_fd, bool *ret_whole,
		 struct mount_place *ret_place)
{
	const char *rest;
	struct path_object object;
	int fd = path_open_deepest(path, overlap_visit, &rest, &object);

	mounts_find(fd, &object, rest, path, ret_place);
	*ret_whole = *rest == '\0';
	*ret_fd = fd;
	return !S_ISCHR(object.mode) && !S_ISBLK(object.mode);
}

static void judge_path(const char *path, const char *variable)
{
	struct mount_place place;
	bool whole;
	int fd;

	if (find(path, &fd, &whole, &place))
		judge(&place, MOUNT_ANY, path, variable);
	(void)close(fd);
}

static void judge_in_home(struct home *home, const char *path,
			  const char *variable)
{
	struct mount_place place;
	static char name[2 * PATH_BYTES];

	if (*path == '\0') {
		judge(&home->place, MOUNT_INSIDE | MOUNT_SAME, home->path,
		      variable);
		return;
	}
	if (snprintf(name, sizeof(name), "%s/%s", home->path, path) >=
	    PATH_BYTES)
		die("the trusted location `%s` in `%s` has too long a path",
		    path, home->path);
	enum path_plainness plain =
		home->whole ? path_is_plain(home->fd, path) : PATH_MISSING;
	if (plain == PATH_CROOKED) {
		judge_path(name, variable);
		return;
	}
	mounts_extend(&home->place, path, &place);
	place.missing = plain == PATH_MISSING;
	judge(&place, MOUNT_ANY, name, variable);
}

static void add_home(const char *path)
{
	struct home *home = &homes[homes_count];

	if (homes_count > 0 && strcmp(homes[0].path, path) == 0)
		return;
	home->path = path;
	(void)find(path, &home->fd, &home->whole, &home->place);
	homes_count++;
}

/* The home folder in one line of passwd(5), or NULL for another user's. */
static char *home_of_line(char *line, const char *user)
{
	char *fields[6];

	for (unsigned i = 0; i < 6; i++)
		fields[i] = strsep(&line, ":");
	/* The last is there only when all are. */
	if (!fields[5])
		return NULL;
	if (strcmp(fields[2], user) != 0 || *fields[5] != '/')
		return NULL;
	return fields[5];
}

static const char *password_home(void)
{
	static char text[2 * PATH_BYTES];
	char user[16], *end, *home;
	size_t used = 0;
	ssize_t part;
	int fd = openat(AT_FDCWD, "/etc/passwd",
			O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	(void)snprintf(user, sizeof(user), "%u", getuid());
	while ((part = read(fd, text + used, sizeof(text) - 1 - used)) > 0) {
		used += (size_t)part;
		text[used] = '\0';
		for (char *line = text; (end = strchr(line, '\n'));) {
			*end = '\0';
			home = home_of_line(line, user);
			if (home) {
				(void)close(fd);
				return home;
			}
			line = end + 1;
			used -= (size_t)(line - text);
			memmove(text, line, used + 1);
			line = text;
		}
	}
	(void)close(fd);
	return NULL;
}

static void judge_variable(const char *variable, bool in_home)
{
	const char *value = getenv(variable);

	if (value && *value == '/')
		judge_path(value, variable);
	else if (value && in_home && strncmp(value, "~/", 2) == 0)
		for (unsigned i = 0; i < homes_count; i++)
			judge_in_home(&homes[i], value + 2, variable);
}

void trusted_judge(const struct stk_bundle *bundle)
{
	const char *home = getenv("HOME");

	if (!overlap_has_writable())
		return;
	if (home && *home == '/')
		add_home(home);
	home = password_home();
	if (home)
		add_home(home);
	if (homes_count == 0)
		die_conflict(
			"no home folder is known, so writable paths cannot "
			"be judged: set HOME");
	for (uint32_t i = 0; i < bundle->trusted_count; i++) {
		const char *path = stk_string(bundle, bundle->trusted[i].path);

		switch (bundle->trusted[i].base) {
		case STK_TRUSTED_ABSOLUTE:
			judge_path(path, NULL);
			break;
		case STK_TRUSTED_HOME:
			for (unsigned j = 0; j < homes_count; j++)
				judge_in_home(&homes[j], path, NULL);
			break;
		case STK_TRUSTED_VARIABLE:
			judge_variable(path, false);
			break;
		case STK_TRUSTED_VARIABLE_HOME:
			judge_variable(path, true);
			break;
		default:
			die("trusted location %u has an unknown base", i);
		}
	}
}
