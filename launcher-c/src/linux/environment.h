/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the artifact's variables and our own into the program's environment. */
#ifndef STOCKADE_ENVIRONMENT_H
#define STOCKADE_ENVIRONMENT_H

#include "core/bundle.h"

/* Ended by a null pointer; points into the artifact and our environment. */
char **environment_build(const struct stk_bundle *bundle);

#endif
