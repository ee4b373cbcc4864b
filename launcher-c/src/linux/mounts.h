/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns an open file into the place where it really lies: the file system and
 * the path within it.  Two names of one place, as bind mounts give, are equal
 * there, and a folder below another is a longer path of the same file system.
 */
#ifndef STOCKADE_MOUNTS_H
#define STOCKADE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mount_key.h"
#include "path.h"

/* Room for the root of a mount and a path in it. */
enum { MOUNT_KEY_BYTES = 2 * PATH_BYTES };

struct mount_place {
	struct mount_key key;
	/* On a local disk: one whose server cannot fall silent. */
	bool devpts, local, missing;
	/* The place's mount, and its name in this mount namespace. */
	uint64_t mount;
	const char *name;
};

/* For the texts of a place that its path does not spell. */
struct mount_room {
	char name[PATH_BYTES];
	char text[MOUNT_KEY_BYTES];
};

/* Reads the table of mounts, once; refuses when it cannot. */
void mounts_read(void);

/* Whether the table holds a mount, or any mount of a file system. */
bool mounts_show(const struct path_object *object);

/* Refuses when a mount came or went since the table was read. */
void mounts_require_unchanged(void);

/*
 * The place of @object, open as @fd, or of @rest that is missing below it.  It
 * stays as long as @path and @room do.
 */
void mounts_find(int fd, const struct path_object *object, const char *rest,
		 const char *path, struct mount_room *room,
		 struct mount_place *ret_place);

/* The place of @rest in @place where that holds neither link nor mount. */
void mounts_extend(const struct mount_place *place, const char *rest,
		   struct mount_room *room, struct mount_place *ret_place);

/* Whether anything is mounted below a place. */
bool mounts_hold(const struct mount_place *place);

/*
 * The mounts below a place, whatever names lead to them: 0 in *@cursor for the
 * first, NULL after the last.
 */
const struct mount_key *mounts_below(const struct mount_place *place,
				     uint32_t *cursor);

#endif
