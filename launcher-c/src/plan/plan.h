/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns an artifact into what `--check` prints: a table or an object.
 * INVARIANT: no requirement is ever said to be enforced.
 */
#ifndef STOCKADE_PLAN_H
#define STOCKADE_PLAN_H

#include <stdbool.h>

#include "core/bundle.h"

/* @reason says why nothing is enforced.  Returns the exit status. */
int plan_print(const struct stk_bundle *bundle, const char *reason, bool json);

#endif
