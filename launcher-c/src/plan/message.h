/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a refusal into one line and the exit status 125, without a heap, as on
 * Linux.  What only a start that enforces needs is missing here.
 */
#ifndef STOCKADE_MESSAGE_H
#define STOCKADE_MESSAGE_H

#include "core/line.h"
#include "system.h"

/* Status of every refusal, as documented in the README. */
enum { STK_STATUS_REFUSED = 125 };

/* `stockade: TEXT` on standard error. */
_Noreturn void die(const char *format, ...) STK_PRINTF(1, 2);

/* One line; a line that cannot be written refuses. */
void message_print(enum system_stream stream, const char *format, ...)
	STK_PRINTF(2, 3);

#endif
