/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a start up to execve into a report: a child does all of it, so that
 * nothing stays confined, and what a killing filter ends is not the reporter.
 */
#ifndef STOCKADE_TRIAL_H
#define STOCKADE_TRIAL_H

#include "core/bundle.h"
#include "host.h"
#include "message.h"

/* How it ended: as message_kind says, or TRIAL_PASSED. */
enum { TRIAL_PASSED = '=' };

struct trial {
	char kind;
	/* The probe that a refusal is about, or MESSAGE_ALL. */
	int probe;
	/* Of each probe of the variant: probe_state. */
	unsigned char states[STK_MAX_PROBES_PER_VARIANT];
	/* The reason of a refusal; empty when it passed. */
	char reason[MESSAGE_BYTES];
};

/* A start without its last step; returns only when nothing refused. */
typedef void trial_start(const struct stk_host *host,
			 const struct stk_variant *variant);

void trial_run(trial_start *start, const struct stk_host *host,
	       const struct stk_variant *variant, struct trial *ret_trial);

#endif
