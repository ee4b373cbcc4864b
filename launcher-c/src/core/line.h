/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns parts into one line, without a heap.  INVARIANT: no text from outside
 * adds a line, since control bytes become `?`; what does not fit is cut off.
 */
#ifndef STOCKADE_LINE_H
#define STOCKADE_LINE_H

#include <stdarg.h>
#include <stddef.h>

#define STK_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Room for two of the longest paths and words around them. */
enum { LINE_ROOM = 2 * 4096 + 1024 };

struct line {
	size_t used;
	char text[LINE_ROOM];
};

void line_add(struct line *line, const char *format, ...) STK_PRINTF(2, 3);
void line_add_values(struct line *line, const char *format, va_list values)
	STK_PRINTF(2, 0);

/* No part may follow: the line gets its end. */
void line_end(struct line *line);

#endif
