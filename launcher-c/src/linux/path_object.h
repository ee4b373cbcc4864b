/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns an open file into what the kernel says about it. */
#ifndef STOCKADE_PATH_OBJECT_H
#define STOCKADE_PATH_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Room for a path and its zero byte; PATH_MAX of the kernel. */
enum { PATH_BYTES = 4096 };

/* What the kernel says about an open object, without asking a server. */
struct path_object {
	uint64_t device, inode, mount, size;
	uint32_t owner, group, links;
	uint16_t mode;
	/* Found without a link: its path is its name in this namespace. */
	bool plain;
};

/* Refuses on failure. */
struct path_object path_inspect(int fd, const char *path);

/* The same for @name as seen from the open @folder. */
struct path_object path_inspect_at(int folder, const char *name,
				   const char *path);

/* As that, without refusing and with further @flags of statx(2); with errno. */
bool path_try_inspect(int folder, const char *name, int flags,
		      struct path_object *ret_object);

bool path_same(const struct path_object *one, const struct path_object *other);

/*
 * Opens a regular file for reading if @path still names @object, whose size is
 * then the open file's; refuses.
 */
int path_read(const char *path, struct path_object *object);

/* The path from the root folder: @path itself, or made in @ret_text. */
const char *path_absolute(const char *path, char ret_text[PATH_BYTES]);

/* Writes a number and a zero byte; returns where that lies. */
enum { PATH_NUMBER_BYTES = 11 };
char *path_put_number(char ret_text[PATH_NUMBER_BYTES], uint32_t number);

/* Writes the name that an open file has in /proc. */
enum { PATH_OF_FD_BYTES = 32 };
void path_put_fd(char ret_text[PATH_OF_FD_BYTES], int fd);

#endif
