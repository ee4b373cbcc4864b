/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the options of the status record into lines for who started us: the
 * process that becomes the program, and refusals.  Nothing depends on them: a
 * reader that went away stops no start.
 */
#ifndef STOCKADE_STATUS_H
#define STOCKADE_STATUS_H

#include "options.h"

/*
 * Takes the descriptor, or makes the file, which must not exist; refusals are
 * recorded from here on.  The descriptor is one of @options afterwards.
 */
void status_take(struct stk_options *options);

/* One line: `level NAME`, `pid N`.  Before confinement only. */
void status_level(const char *name);
void status_pid(void);

#endif
