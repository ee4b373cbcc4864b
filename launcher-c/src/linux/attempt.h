/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns one call of a probe, with its operands filled in, into an answer. */
#ifndef STOCKADE_ATTEMPT_H
#define STOCKADE_ATTEMPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "canary.h"
#include "core/bundle.h"

/* The call ended the process, or what prepares it failed. */
enum { ATTEMPT_NO_ANSWER = -1 };

/* What operands stand for. */
struct attempt_scene {
	const struct stk_bundle *bundle;
	struct stk_canary canary;
	pid_t self, target;
	/* The two lowest free descriptors: what a control opens lands there. */
	int spare[2];
};

void attempt_find_spare(struct attempt_scene *scene);

/*
 * The errno of @call made after @setup (may be NULL), 0 for success.  A
 * @control closes what it opened; afterwards nothing may be closed.
 */
int attempt_make(const struct attempt_scene *scene, const struct stk_call *call,
		 const struct stk_call *setup, bool control);

#endif
