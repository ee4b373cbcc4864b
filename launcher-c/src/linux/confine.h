/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the pinned grants and the chosen filter into confinement. */
#ifndef STOCKADE_CONFINE_H
#define STOCKADE_CONFINE_H

#include "grants.h"
#include "host.h"

/*
 * The ruleset with a rule per grant; every pin is closed on the way, so that
 * the enforcement check has its descriptors again.
 */
int confine_make_ruleset(struct stk_grants *grants,
			 const struct stk_rights *handled);

/* Gives up new privileges, then file and port rights.  No way back. */
void confine_restrict(int ruleset, uint32_t flags);

/* Writes own PID and @witness_errno into the filter's instructions. */
void confine_relocate(const struct stk_bundle *bundle,
		      const struct stk_variant *variant,
		      uint32_t witness_errno);

/* Attaches the one filter. */
void confine_attach(const struct stk_bundle *bundle,
		    const struct stk_variant *variant);

#endif
