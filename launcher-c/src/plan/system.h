/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * What the shared part needs of a system; each has a folder that gives it.
 * Paths and texts are UTF-8 on either side.
 */
#ifndef STOCKADE_SYSTEM_H
#define STOCKADE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum system_stream { SYSTEM_OUTPUT, SYSTEM_ERROR };

/* What `backend:` says, and the STK_TARGET_ number of its artifacts. */
extern const char system_name[];
extern const uint32_t system_target;

/* True when all of it was written. */
bool system_write(enum system_stream stream, const char *bytes, size_t length);

/* Ends the process at once. */
_Noreturn void system_end(int status);

/*
 * Reads the plain file @path into @bytes, and refuses what is none or longer
 * than @room.  Returns its length.
 */
size_t system_read(const char *path, unsigned char *bytes, size_t room);

#endif
