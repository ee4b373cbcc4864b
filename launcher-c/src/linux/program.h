/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the program's path into grants for all that the kernel will execute:
 * the file, the interpreter of a script, and the loader of an ELF file.
 */
#ifndef STOCKADE_PROGRAM_H
#define STOCKADE_PROGRAM_H

#include "grants.h"

void program_pin(struct stk_grants *grants, const char *path);

/* Does the same for granted files that the program may execute: a loader is
 * added, and the interpreter of a script must be granted for executing too. */
void program_pin_commands(struct stk_grants *grants);

#endif
