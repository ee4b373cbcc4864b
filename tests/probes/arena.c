/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Name places in the arena and carry its facts in a granted file; see arena.h.
 */
#include "arena.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 8 };

static char *next_buffer(void)
{
	static char buffers[TURNS][ARENA_PATH_BYTES];
	static unsigned turn;

	return buffers[turn++ % TURNS];
}

const char *at(const struct arena *arena, const char *path)
{
	char *buffer = next_buffer();

	snprintf(buffer, ARENA_PATH_BYTES, "%s/%s", arena->root, path);
	return buffer;
}

const char *own_name(const struct arena *arena, const char *prefix)
{
	char *buffer = next_buffer();

	snprintf(buffer, ARENA_PATH_BYTES, "%sstockade-escape-%ld", prefix,
		 arena->victim);
	return buffer;
}

#define FIELD(name) {#name, offsetof(struct arena, name)}

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	FIELD(victim), FIELD(group),     FIELD(word), FIELD(victim_fd),
	FIELD(tcp4),   FIELD(tcp6),      FIELD(udp),  FIELD(memory),
	FIELD(queue),  FIELD(semaphore), FIELD(key),
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static long *field_of(struct arena *arena, size_t index)
{
	return (long *)(void *)((char *)arena + fields[index].offset);
}

int arena_load(struct arena *arena, const char *root)
{
	char name[32];
	long value;
	size_t found = 0;
	FILE *file;

	memset(arena, 0, sizeof *arena);
	if (strlen(root) >= sizeof arena->root)
		return ENAMETOOLONG;
	strcpy(arena->root, root);
	file = fopen(at(arena, "read/context"), "re");
	if (file == NULL)
		return errno;
	while (fscanf(file, "%31s %ld", name, &value) == 2)
		for (size_t i = 0; i < FIELDS; i++)
			if (strcmp(fields[i].name, name) == 0) {
				*field_of(arena, i) = value;
				found++;
			}
	fclose(file);
	return found == FIELDS ? 0 : EBADMSG;
}

int arena_save(const struct arena *arena)
{
	struct arena copy = *arena;
	FILE *file = fopen(at(arena, "read/context"), "we");

	if (file == NULL)
		return errno;
	for (size_t i = 0; i < FIELDS; i++)
		fprintf(file, "%s %ld\n", fields[i].name, *field_of(&copy, i));
	return fclose(file) == 0 ? 0 : errno;
}
