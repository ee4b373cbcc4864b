/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the program's path into grants for all that the kernel will execute:
 * the file, the interpreter of a script, and the loader of an ELF file.
 */
#ifndef STOCKADE_PROGRAM_H
#define STOCKADE_PROGRAM_H

#include "grants.h"

void program_pin(struct stk_grants *grants, const char *path);

#endif
