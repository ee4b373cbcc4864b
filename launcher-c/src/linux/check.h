/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the choice of a variant into the lines of --check, or a refusal. */
#ifndef STOCKADE_CHECK_H
#define STOCKADE_CHECK_H

#include "core/bundle.h"
#include "host.h"

/* Prints a line per requirement of @variant, or of the last one when NULL. */
void check_print(const struct stk_bundle *bundle, const struct stk_host *host,
		 const struct stk_level *level,
		 const struct stk_variant *variant);

/* Names the first requirement that this host cannot enforce. */
_Noreturn void check_refuse(const struct stk_bundle *bundle,
			    const struct stk_host *host,
			    const struct stk_level *level);

#endif
