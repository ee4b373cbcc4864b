/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns two places in file systems into how they lie to each other.  Case is
 * ignored: some folders ignore it, and one too many is refused then.
 */
#ifndef STOCKADE_MOUNT_KEY_H
#define STOCKADE_MOUNT_KEY_H

#include <stddef.h>
#include <stdint.h>

struct mount_key {
	/* As mountinfo has it: one number for all of a btrfs file system. */
	uint64_t device;
	const char *path;
	/* Of the file system; a space follows. */
	const char *type;
};

/* Where one place lies as seen from another; MOUNT_APART on its own. */
enum {
	MOUNT_APART = 0,
	MOUNT_INSIDE = 1,
	MOUNT_SAME = 2,
	MOUNT_ABOVE = 4,
	MOUNT_ANY = 7,
};
unsigned mount_key_relate(const struct mount_key *one,
			  const struct mount_key *other);

/* What follows @above in @path: "" when equal, NULL when not below it. */
const char *mount_key_below(const char *above, const char *path);

/* Adds the components of @rest, up to a `..` that nothing can be said about. */
void mount_key_append(char *ret_text, size_t size, const char *rest);

#endif
