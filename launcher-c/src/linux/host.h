/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns this process and its kernel into a refusal or a set of features. */
#ifndef STOCKADE_HOST_H
#define STOCKADE_HOST_H

#include <stdint.h>

#include "core/bundle.h"

struct stk_host {
	uint64_t features;
	/* What Landlock of this kernel can handle. */
	struct stk_rights {
		uint64_t fs, net, scope;
	} supported;
	/* Flags of landlock_restrict_self(2). */
	uint32_t restrict_flags;
};

/* Looks whether another sandbox's filter is in force. */
void host_notice_filter(void);

/* Refuses root and every capability. */
void host_refuse_privileges(void);

struct stk_host host_probe(void);

/* The rights to handle for @variant; refuses when a required one is missing. */
struct stk_rights host_handled(const struct stk_host *host,
			       const struct stk_variant *variant);

#endif
