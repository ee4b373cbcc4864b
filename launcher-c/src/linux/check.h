/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the choice of a variant and a trial of it into what --check prints and
 * its status, or into a refusal.
 */
#ifndef STOCKADE_CHECK_H
#define STOCKADE_CHECK_H

#include "core/bundle.h"
#include "host.h"
#include "options.h"
#include "trial.h"

struct check {
	const struct stk_bundle *bundle;
	const struct stk_host *host;
	const struct stk_level *level;
	/* NULL where none is for this host: the last one is shown then. */
	const struct stk_variant *variant;
	/* Made after everything else is known. */
	struct trial trial;
};

/* Prints the table; returns the status. */
int check_print(const struct check *check, const struct stk_options *options);

/* Names the first requirement that this host cannot enforce. */
_Noreturn void check_refuse(const struct check *check);

#endif
