/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the artifact's file into the tables of this system, or refuses it. */
#ifndef STOCKADE_ARTIFACT_H
#define STOCKADE_ARTIFACT_H

#include "core/bundle.h"

/* The bytes stay in a buffer of this file; the file is closed again. */
void artifact_load(const char *path, struct stk_bundle *ret_bundle);

#endif
