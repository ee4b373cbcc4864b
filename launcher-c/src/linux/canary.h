/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the artifact's list of folders into an empty file of our own that no
 * grant covers, to be tried before and after confinement.  It has no name, so
 * a launcher that is killed leaves nothing behind.
 */
#ifndef STOCKADE_CANARY_H
#define STOCKADE_CANARY_H

#include "grants.h"

struct stk_canary {
	/* -1 where no folder would take it. */
	int fd, folder;
	/* Rights that grants give to what lies in the folder. */
	uint64_t covered;
	char path[PATH_OF_FD_BYTES];
};

void canary_make(const struct stk_grants *grants,
		 struct stk_canary *ret_canary);

#endif
