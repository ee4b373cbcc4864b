/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the artifact's probes into proof: each call is made after confinement
 * and must then give the denial's own error, and before (its control) where the
 * start can depend on that.
 *
 * Before equal to after means that something outside denied it already: that
 * proves nothing and refuses nothing.  The witness, a call number with an error
 * of its own, must be proved: it shows that this very filter is attached.  So
 * must each try on the canary that found a place, which shows the same of
 * Landlock's rules; only executing it may be denied already, as in many hosts'
 * folders for temporary files.
 */
#ifndef STOCKADE_PROBE_H
#define STOCKADE_PROBE_H

#include <stdbool.h>

#include "canary.h"
#include "grants.h"
#include "host.h"

/*
 * Runs the controls; @handled are the rights that Landlock will judge.  With
 * @every those too that no start depends on.
 */
void probe_controls(const struct stk_grants *grants,
		    const struct stk_variant *variant,
		    const struct stk_host *host, uint64_t handled, bool every);

/* An errno for the witness that its control did not give. */
uint32_t probe_draw_witness(void);

/*
 * Runs every try; the first that is not as expected refuses, and so does one
 * on the canary that proves nothing.
 */
void probe_verify(void);

/* What each probe of the variant proved; final where every control was made. */
enum probe_state { PROBE_UNTRIED, PROBE_PROVED, PROBE_OUTSIDE };
extern unsigned char probe_states[STK_MAX_PROBES_PER_VARIANT];

#endif
