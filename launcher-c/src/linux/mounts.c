/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads /proc/self/mountinfo, proc_pid_mountinfo(5); see mounts.h. */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/message.h"

enum { MOST_MOUNTS = 8192, TABLE_BYTES = 1024 * 1024 };

struct mount {
	struct mount_key key;
	uint64_t number;
	const char *point, *type;
};

static struct mount table[MOST_MOUNTS];
static uint32_t count;
static char text[TABLE_BYTES];
static int source = -1, links = -1;

/* Takes one field off the line and undoes the escapes for space and others. */
static char *field(char **line)
{
	char *start = *line, *end = start ? strchr(start, ' ') : NULL;

	if (!end)
		die("cannot understand `/proc/self/mountinfo`");
	*end = '\0';
	*line = end + 1;
	for (char *from = start, *to; (to = from = strchr(from, '\\'));) {
		if (strspn(from + 1, "01234567") < 3)
			die("cannot understand `/proc/self/mountinfo`");
		*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
			     (from[3] - '0'));
		memmove(to + 1, from + 4, strlen(from + 4) + 1);
		from = to + 1;
	}
	return start;
}

/* 36 35 98:0 /root /point options [optional fields] - type source options */
static void read_line(char *line)
{
	struct mount *mount = &table[count++];
	char *device, *end = strstr(line, " - ");

	if (count > MOST_MOUNTS || !end)
		die("cannot understand `/proc/self/mountinfo`, or it has more "
		    "than %d mounts",
		    MOST_MOUNTS - 1);
	mount->number = strtoull(field(&line), NULL, 10);
	(void)field(&line);
	device = field(&line);
	mount->key.device = strtoull(device, &device, 10) << 32;
	mount->key.device |= strtoull(device + (*device == ':'), NULL, 10);
	mount->key.path = field(&line);
	mount->point = field(&line);
	end += strlen(" - ");
	mount->type = field(&end);
}

void mounts_read(void)
{
	size_t used = 0;
	ssize_t part;

	if (source >= 0)
		return;
	source = openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	links = openat(AT_FDCWD, "/proc/self/fd", O_PATH | O_CLOEXEC);
	if (source < 0 || links < 0)
		die_errno("cannot open `/proc/self/mountinfo`, which a policy "
			  "with a writable path needs");
	while ((part = read(source, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)part;
	if (part < 0 || used == sizeof(text) - 1)
		die("cannot read `/proc/self/mountinfo`, or it has more than "
		    "%d "
		    "bytes",
		    TABLE_BYTES);
	for (char *line = text, *end; (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = '\0';
		read_line(line);
	}
}

bool mounts_show(const struct path_object *object)
{
	for (uint32_t i = 0; i < count; i++)
		if (table[i].number == object->mount ||
		    table[i].key.device == object->device)
			return true;
	return false;
}

void mounts_require_unchanged(void)
{
	/* The kernel marks the open table when the mounts change. */
	struct pollfd change = {.fd = source, .events = POLLPRI};

	if (source < 0)
		return;
	if (poll(&change, 1, 0) < 0)
		die_errno("cannot watch `/proc/self/mountinfo`");
	if (change.revents & (POLLPRI | POLLERR))
		die("the mounts of this host changed while starting; start "
		    "again");
	(void)close(source);
	(void)close(links);
}

/* What follows @above in @path: "" when equal, NULL when not below it. */
static const char *below(const char *above, const char *path)
{
	size_t length = strlen(above);

	/* "/" ends where the paths below it begin. */
	if (length == 1)
		length = 0;
	if (strncasecmp(above, path, length) != 0 ||
	    (path[length] != '\0' && path[length] != '/'))
		return NULL;
	return strcmp(path + length, "/") == 0 ? "" : path + length;
}

unsigned mounts_relate(const struct mount_key *one,
		       const struct mount_key *other)
{
	const char *rest;

	if (one->device != other->device)
		return MOUNT_APART;
	rest = below(other->path, one->path);
	if (rest)
		return *rest ? MOUNT_INSIDE : MOUNT_SAME;
	return below(one->path, other->path) ? MOUNT_ABOVE : MOUNT_APART;
}

/* Adds the components of @rest, up to a `..` that nothing can be said about. */
static void append(char *ret_text, size_t size, const char *rest)
{
	size_t used = strlen(ret_text);

	while (*(rest += strspn(rest, "/"))) {
		size_t length = strcspn(rest, "/");

		if (length == 2 && strncmp(rest, "..", 2) == 0)
			return;
		if (used + length + 2 > size)
			die("the path `%.64s...` is too long", ret_text);
		if (length != 1 || *rest != '.') {
			ret_text[used++] = '/';
			memcpy(ret_text + used, rest, length);
			used += length;
			ret_text[used] = '\0';
		}
		rest += length;
	}
}

static const struct mount *mount_of(const struct path_object *object)
{
	for (uint32_t i = 0; i < count; i++)
		if (table[i].number == object->mount)
			return &table[i];
	return NULL;
}

/*
 * Whether @path, reached without a link, is the name the kernel would give:
 * without `.`, `..` and empty parts, and in letters whose case mounts_relate()
 * ignores as a folder might.
 */
static bool is_name(const char *path)
{
	if (strstr(path, "//") || strstr(path, "/."))
		return false;
	while (*path != '\0' && (unsigned char)*path < 0x80)
		path++;
	return *path == '\0' && path[-1] != '/';
}

static void ask_name(int fd, const char *path, char name[PATH_BYTES])
{
	char link[16];

	(void)snprintf(link, sizeof(link), "%d", fd);
	ssize_t length = readlinkat(links, link, name, PATH_BYTES - 1);
	if (length <= 0)
		die_errno("cannot tell where `%s` lies", path);
	name[length] = '\0';
}

void mounts_find(int fd, const struct path_object *object, const char *rest,
		 const char *path, struct mount_place *ret_place)
{
	struct mount_place *place = ret_place;
	const struct mount *mount = mount_of(object);
	const char *inside;

	if (object->plain && is_name(path))
		memcpy(place->name, path, strlen(path) + 1);
	else
		ask_name(fd, path, place->name);
	inside = mount ? below(mount->point, place->name) : NULL;
	if (!inside || object->links == 0)
		die("cannot tell where `%s` lies: no mount of this namespace "
		    "shows `%s`",
		    path, place->name);
	place->mount = object->mount;
	place->missing = *rest != '\0';
	place->devpts = strcmp(mount->type, "devpts") == 0;
	place->key = (struct mount_key){mount->key.device, place->text};
	*place->text = '\0';
	append(place->text, sizeof(place->text), mount->key.path);
	append(place->text, sizeof(place->text), inside);
	append(place->text, sizeof(place->text), rest);
}

void mounts_extend(const struct mount_place *place, const char *rest,
		   struct mount_place *ret_place)
{
	ret_place->key = (struct mount_key){place->key.device, ret_place->text};
	ret_place->mount = place->mount;
	ret_place->missing = place->missing;
	memcpy(ret_place->text, place->text, strlen(place->text) + 1);
	memcpy(ret_place->name, place->name, strlen(place->name) + 1);
	append(ret_place->text, sizeof(ret_place->text), rest);
	append(ret_place->name, sizeof(ret_place->name), rest);
}

const struct mount_key *mounts_below(const struct mount_place *place,
				     uint32_t *cursor)
{
	/* Nothing is mounted below what does not exist. */
	for (uint32_t i = *cursor; !place->missing && i < count; i++)
		if (table[i].number != place->mount &&
		    below(place->name, table[i].point)) {
			*cursor = i + 1;
			return &table[i].key;
		}
	return NULL;
}
