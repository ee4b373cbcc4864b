/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the artifact's probes into proof: each call is made after confinement
 * and must then give the denial's own error, and before (its control) where the
 * start can depend on that.
 *
 * Before equal to after means that something outside denied it already: that
 * proves nothing and refuses nothing.  The witness, a call number with an error
 * of its own, must be proved: it shows that this very filter is attached.
 */
#ifndef STOCKADE_PROBE_H
#define STOCKADE_PROBE_H

#include "canary.h"
#include "grants.h"
#include "host.h"

/* Runs the controls; @handled are the rights that Landlock will judge. */
void probe_controls(const struct stk_grants *grants,
		    const struct stk_variant *variant,
		    const struct stk_host *host, uint64_t handled);

/* An errno for the witness that its control did not give. */
uint32_t probe_draw_witness(void);

/* Runs every try; the first that is not as expected refuses. */
void probe_verify(void);

#endif
