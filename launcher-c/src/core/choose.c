/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Picks by masks; see choose.h. */
#include "choose.h"

const struct stk_variant *choose_variant(const struct stk_bundle *bundle,
					 const struct stk_level *level,
					 uint64_t host)
{
	for (uint32_t i = 0; i < level->variant_count; i++) {
		const struct stk_variant *variant =
			&bundle->variants[level->first_variant + i];

		if ((host & variant->must) == variant->must &&
		    (host & variant->must_not) == 0)
			return variant;
	}
	return NULL;
}

const struct stk_feature *choose_missing(const struct stk_bundle *bundle,
					 uint64_t needs, uint64_t host)
{
	for (uint32_t i = 0; i < bundle->features_count; i++) {
		const struct stk_feature *text = &bundle->features[i];

		if ((text->feature & needs & ~host) != 0 &&
		    (text->when & host) == text->when)
			return text;
	}
	return NULL;
}
