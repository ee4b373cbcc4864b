/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Finds home folders and what is trusted below them; see trusted.h.
 *
 * Most locations are missing, and all but a few are plain: then one lookup in
 * the kernel's cache says that the place is the home folder's and the name.
 * Where the home folder has nothing to do with any writable place, neither has
 * a plain location in it, and only links in it are left to look for.
 */
#include "trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "overlap.h"

enum { MOST_HOMES = 2 };

struct home {
	const char *path;
	/* The deepest folder of it that exists, and whether that is all. */
	int fd;
	bool whole;
	/* On a local disk with nothing mounted below it. */
	bool simple;
	/* No writable place lies above it, in it, or in what it holds. */
	bool apart;
	/* The last first component that was not there. */
	char missing[NAME_MAX + 1];
	struct mount_place place;
};

static struct home homes[MOST_HOMES];
/* Beside them, since most are never written to. */
static struct mount_room rooms[MOST_HOMES + 1];
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
static bool find(const char *path, struct mount_room *room,
		 struct home *ret_found)
{
	const char *rest;
	struct path_object object;
	int fd = path_open_deepest(path, overlap_visit, &rest, &object);

	mounts_find(fd, &object, rest, path, room, &ret_found->place);
	ret_found->path = path;
	ret_found->fd = fd;
	ret_found->whole = *rest == '\0';
	ret_found->simple =
		ret_found->place.local && !mounts_hold(&ret_found->place);
	return !S_ISCHR(object.mode) && !S_ISBLK(object.mode);
}

static void judge_path(const char *path, const char *variable)
{
	struct home found;

	if (find(path, &rooms[MOST_HOMES], &found))
		judge(&found.place, MOUNT_ANY, path, variable);
	(void)close(found.fd);
}

/* As path_is_plain() says, by a cheaper call where its first part decides. */
static enum path_plainness look(struct home *home, const char *path)
{
	char part[NAME_MAX + 1], target;
	const bool single = strchr(path, '/') == NULL;
	size_t length = strcspn(path, "/");

	if (!home->whole)
		return PATH_MISSING;
	if (!home->simple || length > NAME_MAX)
		return path_is_plain(home->fd, path);
	memcpy(part, path, length);
	part[length] = '\0';
	if (strcmp(part, home->missing) == 0)
		return PATH_MISSING;
	if (readlinkat(home->fd, part, &target, 1) < 0) {
		if (errno == EINVAL && single)
			return PATH_PLAIN;
		if (errno == ENOENT) {
			memcpy(home->missing, part, length + 1);
			return PATH_MISSING;
		}
	}
	return path_is_plain(home->fd, path);
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
	/* What a variable says may leave the home folder again. */
	enum path_plainness plain = variable && strstr(path, "..")
					    ? PATH_CROOKED
					    : look(home, path);
	if (plain != PATH_CROOKED && home->apart)
		return;
	if (snprintf(name, sizeof(name), "%s/%s", home->path, path) >=
	    PATH_BYTES)
		die("the trusted location `%s` in `%s` has too long a path",
		    path, home->path);
	if (plain == PATH_CROOKED) {
		judge_path(name, variable);
		return;
	}
	mounts_extend(&home->place, path, &rooms[MOST_HOMES], &place);
	place.missing = plain == PATH_MISSING;
	judge(&place, MOUNT_ANY, name, variable);
}

static void add_home(const char *path)
{
	struct home *home = &homes[homes_count];

	if (homes_count > 0 && strcmp(homes[0].path, path) == 0)
		return;
	(void)find(path, &rooms[homes_count], home);
	home->apart = !overlap_find(&home->place, MOUNT_ANY);
	homes_count++;
}

/* The home folder in one line of passwd(5), or NULL for another user's. */
static char *home_of_line(char *line, const char *user, size_t length)
{
	for (unsigned field = 1; field <= 5; field++) {
		line = strchr(line, ':');
		if (!line)
			return NULL;
		line++;
		if (field == 2 &&
		    (strncmp(line, user, length) != 0 || line[length] != ':'))
			return NULL;
	}
	line[strcspn(line, ":")] = '\0';
	return *line == '/' ? line : NULL;
}

static const char *password_home(void)
{
	static char text[2 * PATH_BYTES];
	char user[PATH_NUMBER_BYTES], *line, *end, *home;
	size_t used = 0;
	ssize_t part;
	int fd = openat(AT_FDCWD, "/etc/passwd",
			O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	size_t length = (size_t)(path_put_number(user, getuid()) - user);
	while ((part = read(fd, text + used, sizeof(text) - 1 - used)) > 0) {
		used += (size_t)part;
		text[used] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			home = home_of_line(line, user, length);
			if (home) {
				(void)close(fd);
				return home;
			}
		}
		used -= (size_t)(line - text);
		memmove(text, line, used + 1);
	}
	(void)close(fd);
	return NULL;
}

static void judge_variable(const char *variable, bool in_home)
{
	const char *value = getenv(variable);

	if (value && *value == '/') {
		judge_path(value, variable);
	} else if (value && in_home && strncmp(value, "~/", 2) == 0) {
		do
			value++;
		while (*value == '/');
		for (unsigned i = 0; i < homes_count; i++)
			judge_in_home(&homes[i], value, variable);
	}
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
