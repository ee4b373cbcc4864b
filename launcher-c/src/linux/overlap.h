/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the policy's writable paths into the rule that nothing the sandbox
 * relies on, and nothing others execute or trust, lies where it can write.
 *
 * Places are compared, not names: a path counts under each of its names, and
 * with everything mounted below it.  Devices hold no files and are exempt.
 */
#ifndef STOCKADE_OVERLAP_H
#define STOCKADE_OVERLAP_H

#include "grants.h"
#include "mounts.h"
#include "options.h"

/* Notes a writable grant and the mounts below it. */
void overlap_add_writable(const struct stk_pin *pin);

/* Whether there is any, devices left out. */
bool overlap_has_writable(void);

/* A path_visit that refuses a link that the program could replace. */
void overlap_visit(const char *path, const char *part, int folder,
		   const struct path_object *object);

/*
 * The first writable grant that @place lies to in one of @relations, or NULL;
 * with MOUNT_ABOVE also by what is mounted below @place.
 */
const struct stk_pin *overlap_find(const struct mount_place *place,
				   unsigned relations);

/* Judges the grants among each other; a conflict refuses. */
void overlap_judge_grants(const struct stk_grants *grants);

/* Judges the launcher, the artifact and the paths of --protect. */
void overlap_judge_protected(const struct stk_options *options);

#endif
