/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the artifact's trusted locations, which other programs of the user read
 * as configuration or run later, into conflicts with writable grants.
 */
#ifndef STOCKADE_TRUSTED_H
#define STOCKADE_TRUSTED_H

#include "core/bundle.h"

void trusted_judge(const struct stk_bundle *bundle);

#endif
