/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the artifact named on the command line into a parsed bundle.
 *
 * INVARIANT: nobody but root and the caller can have written it: every folder
 * above it, every link to it and the file itself belong to one of the two.
 */
#ifndef STOCKADE_ARTIFACT_H
#define STOCKADE_ARTIFACT_H

#include "core/bundle.h"
#include "options.h"

/* Makes the one mapping of this process; a relative path becomes absolute. */
void artifact_load(struct stk_options *options, struct stk_bundle *ret_bundle);

#endif
