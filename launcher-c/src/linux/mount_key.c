/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares paths by components; see mount_key.h. */
#include "mount_key.h"

#include <string.h>

#include "message.h"

static int fold(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter;
}

const char *mount_key_below(const char *above, const char *path)
{
	/* "/" ends where the paths below it begin. */
	if (above[0] == '/' && above[1] == '\0')
		above++;
	for (; *above != '\0'; above++, path++)
		if (fold(*above) != fold(*path))
			return NULL;
	if (*path != '\0' && *path != '/')
		return NULL;
	return path[0] == '/' && path[1] == '\0' ? "" : path;
}

unsigned mount_key_relate(const struct mount_key *one,
			  const struct mount_key *other)
{
	const char *rest;

	if (one->device != other->device)
		return MOUNT_APART;
	rest = mount_key_below(other->path, one->path);
	if (rest)
		return *rest ? MOUNT_INSIDE : MOUNT_SAME;
	return mount_key_below(one->path, other->path) ? MOUNT_ABOVE
						       : MOUNT_APART;
}

void mount_key_append(char *ret_text, size_t size, const char *rest)
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
