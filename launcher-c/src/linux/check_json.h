/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns a check into one line of JSON, as docs/command-line.md describes it. */
#ifndef STOCKADE_CHECK_JSON_H
#define STOCKADE_CHECK_JSON_H

#include "check.h"

/* Writes nothing unless all of it has room. */
void check_print_json(const struct check *check,
		      const struct stk_options *options, bool enforceable);

#endif
