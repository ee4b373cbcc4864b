/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the grants themselves into tries of the enforcement check: what is
 * granted must open as before, and what is only readable must take no file.
 */
#ifndef STOCKADE_INSIDE_H
#define STOCKADE_INSIDE_H

#include "grants.h"

/* Makes the controls; at most @most descriptors may stay open afterwards. */
void inside_controls(struct stk_grants *grants, uint64_t most);

void inside_verify(const struct stk_grants *grants);

#endif
