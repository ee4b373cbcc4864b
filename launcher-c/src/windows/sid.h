/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Judges whether the SIDs of an artifact are those that Windows derives from
 * the names beside them: one that is not would give the program's rights to
 * whoever has that SID.
 */
#ifndef STOCKADE_SID_H
#define STOCKADE_SID_H

#include "core/bundle.h"

/* Refuses the first that differs. */
void sid_judge(const struct stk_bundle *bundle);

#endif
