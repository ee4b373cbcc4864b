/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the host's feature set into the variant to run, by masks alone: what a
 * variant needs was decided when the bundle was made.
 */
#ifndef STOCKADE_CHOOSE_H
#define STOCKADE_CHOOSE_H

#include "bundle.h"

/* The first variant of @level that fits the features @host, or NULL. */
const struct stk_variant *choose_variant(const struct stk_bundle *bundle,
					 const struct stk_level *level,
					 uint64_t host);

/* The text for the first feature of @needs that @host lacks, or NULL. */
const struct stk_feature *choose_missing(const struct stk_bundle *bundle,
					 uint64_t needs, uint64_t host);

#endif
