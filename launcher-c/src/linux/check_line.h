/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns one requirement and all that is known of it into a line's parts. */
#ifndef STOCKADE_CHECK_LINE_H
#define STOCKADE_CHECK_LINE_H

#include "check.h"

enum check_proof { CHECK_UNPROVED, CHECK_PROVED, CHECK_OUTSIDE };

struct check_line {
	/* STK_STATE_WIDTH wide in the table, and what follows the title. */
	const char *state, *name, *title;
	/* The mechanism of an enforced one, else the reason; until the next. */
	const char *text;
	bool enforced;
	/* Of all probes of an enforced one; unproved without any. */
	enum check_proof proof;
};

uint32_t check_count(const struct check *check);

/* Parts of line @index, below check_count(). */
struct check_line check_line(const struct check *check, uint32_t index);

#endif
