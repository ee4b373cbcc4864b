/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tells Windows from Wine, whose promises of confinement are empty. */
#ifndef STOCKADE_WINE_H
#define STOCKADE_WINE_H

#include <stdbool.h>

bool wine_is_here(void);

#endif
