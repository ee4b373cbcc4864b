/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads /proc/self/mountinfo, proc_pid_mountinfo(5); see mounts.h. */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

enum { MOST_MOUNTS = 8192, TABLE_BYTES = 1024 * 1024 };

struct mount {
	struct mount_key key;
	uint64_t number, parent;
	const char *point;
};

static struct mount table[MOST_MOUNTS];
static uint32_t count;
static char text[TABLE_BYTES];
static int source = -1;

static _Noreturn void refuse_text(void)
{
	die("cannot understand `/proc/self/mountinfo`, or it has more than %d "
	    "mounts",
	    MOST_MOUNTS);
}

static uint64_t take_number(char **line, char end)
{
	uint64_t value = 0;

	for (; **line >= '0' && **line <= '9'; ++*line)
		value = value * 10 + (uint64_t)(**line - '0');
	if (**line != end)
		refuse_text();
	++*line;
	return value;
}

/* Takes one field off the line and undoes the escapes for space and others. */
static char *take_field(char **line)
{
	char *start = *line, *from = start, *to = start;

	for (; *from != ' '; from++, to++) {
		*to = *from;
		if (*from == '\0')
			refuse_text();
		if (*from != '\\')
			continue;
		if (strspn(from + 1, "01234567") < 3)
			refuse_text();
		*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
			     (from[3] - '0'));
		from += 3;
	}
	*to = '\0';
	*line = from + 1;
	return start;
}

/* 36 35 98:0 /root /point options [optional fields] - type source options */
static void read_line(char *line)
{
	struct mount *mount = &table[count];

	if (count++ == MOST_MOUNTS)
		refuse_text();
	mount->number = take_number(&line, ' ');
	mount->parent = take_number(&line, ' ');
	mount->key.device = take_number(&line, ':') << 32;
	mount->key.device |= take_number(&line, ' ');
	mount->key.path = take_field(&line);
	mount->point = take_field(&line);
	while (line[0] != '-' || line[1] != ' ') {
		line = strchr(line, ' ');
		if (!line)
			refuse_text();
		line++;
	}
	mount->key.type = line + 2;
}

void mounts_read(void)
{
	size_t used = 0;
	ssize_t part;

	if (source >= 0)
		return;
	source = openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (source < 0)
		die_errno("cannot open `/proc/self/mountinfo`, which a policy "
			  "with a writable path needs (mount `/proc`, or let "
			  "the enclosing sandbox grant it)");
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
 * without `.`, `..` and empty parts, and in letters whose case
 * mount_key_relate() ignores as a folder might.
 */
static bool is_name(const char *path)
{
	for (; *path != '\0'; path++)
		if ((unsigned char)*path >= 0x80 ||
		    (*path == '/' &&
		     (path[1] == '/' || path[1] == '.' || path[1] == '\0')))
			return false;
	return true;
}

static const char *ask_name(int fd, const char *path, char name[PATH_BYTES])
{
	char link[PATH_OF_FD_BYTES];

	path_put_fd(link, fd);
	ssize_t length = readlink(link, name, PATH_BYTES - 1);
	if (length <= 0)
		die_errno("cannot tell where `%s` lies", path);
	name[length] = '\0';
	return name;
}

void mounts_find(int fd, const struct path_object *object, const char *rest,
		 const char *path, struct mount_room *room,
		 struct mount_place *ret_place)
{
	const struct mount *mount = mount_of(object);
	const char *name = object->plain && is_name(path)
				   ? path
				   : ask_name(fd, path, room->name);
	const char *inside = mount ? mount_key_below(mount->point, name) : NULL;

	if (!inside || object->links == 0)
		die("cannot tell where `%s` lies: no mount of this namespace "
		    "shows `%s`",
		    path, name);
	*ret_place = (struct mount_place){
		.key = {mount->key.device, inside, mount->key.type},
		.devpts = strncmp(mount->key.type, "devpts ", 7) == 0,
		.local = mount->key.device >> 32 != 0 &&
			 strncmp(mount->key.type, "fuse", 4) != 0,
		.missing = *rest != '\0',
		.mount = object->mount,
		.name = name,
	};
	/* Most mounts show a whole file system: the name says it all then. */
	if (*rest == '\0' && strcmp(mount->key.path, "/") == 0)
		return;
	ret_place->key.path = room->text;
	*room->text = '\0';
	mount_key_append(room->text, sizeof(room->text), mount->key.path);
	mount_key_append(room->text, sizeof(room->text), inside);
	mount_key_append(room->text, sizeof(room->text), rest);
}

void mounts_extend(const struct mount_place *place, const char *rest,
		   struct mount_room *room, struct mount_place *ret_place)
{
	*ret_place = *place;
	ret_place->key.path = room->text;
	ret_place->name = room->name;
	memcpy(room->text, place->key.path, strlen(place->key.path) + 1);
	memcpy(room->name, place->name, strlen(place->name) + 1);
	mount_key_append(room->text, sizeof(room->text), rest);
	mount_key_append(room->name, sizeof(room->name), rest);
}

bool mounts_hold(const struct mount_place *place)
{
	uint32_t cursor = 0;

	return mounts_below(place, &cursor) != NULL;
}

/* NULL for the root mount of this namespace, which hangs on nothing we see. */
static const struct mount *parent_of(const struct mount *mount)
{
	/* Neighbours in the table often have one parent: asked first. */
	static const struct mount *last = table;

	if (last->number == mount->parent && last != mount)
		return last;
	for (uint32_t i = 0; i < count; i++)
		if (table[i].number == mount->parent && &table[i] != mount)
			return last = &table[i];
	if (strcmp(mount->point, "/") != 0)
		die("cannot tell what the mount `%s` hangs on: no mount of "
		    "this "
		    "namespace shows it, as in a chroot; start outside, or "
		    "without writable paths",
		    mount->point);
	return NULL;
}

/* Whether @mount hangs on a name in the file system at or below @key. */
static bool hangs_on(const struct mount *mount, const struct mount *parent,
		     const struct mount_key *key)
{
	const char *inside = mount_key_below(parent->point, mount->point);
	const char *rest;

	if (!inside)
		refuse_text();
	if (parent->key.device != key->device)
		return false;
	if (mount_key_below(key->path, parent->key.path))
		return true;
	rest = mount_key_below(parent->key.path, key->path);
	return rest && mount_key_below(rest, inside);
}

/*
 * As Landlock walks: from a mount to where it hangs in its parent, and on.  It
 * meets files, not names, so a mount made through another bind mount of a
 * folder below @key is below it too.
 */
static bool is_below(const struct mount *mount, const struct mount_key *key)
{
	const struct mount *parent;

	for (uint32_t depth = 0; depth <= count; depth++, mount = parent) {
		parent = parent_of(mount);
		if (!parent)
			return false;
		if (hangs_on(mount, parent, key))
			return true;
	}
	refuse_text();
}

const struct mount_key *mounts_below(const struct mount_place *place,
				     uint32_t *cursor)
{
	/* Nothing is mounted below what does not exist. */
	for (uint32_t i = *cursor; !place->missing && i < count; i++)
		if (table[i].number != place->mount &&
		    is_below(&table[i], &place->key)) {
			*cursor = i + 1;
			return &table[i].key;
		}
	return NULL;
}
