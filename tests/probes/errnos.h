/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Name errors: an errno becomes the word that expectations are written in. */
#ifndef STOCKADE_PROBES_ERRNOS_H
#define STOCKADE_PROBES_ERRNOS_H

#include <stddef.h>

enum { ERRNO_NAME_BYTES = 24 };

/* Write `ok` for 0, a name, or `errno-N` for an error without one here. */
const char *errno_name(int error, char buffer[ERRNO_NAME_BYTES]);

#endif
