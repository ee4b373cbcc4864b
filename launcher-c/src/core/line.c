/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Composes lines; see line.h. */
#include "line.h"

#include <stdio.h>
#include <string.h>

void line_add(struct line *line, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line_add_values(line, format, values);
	va_end(values);
}

void line_add_values(struct line *line, const char *format, va_list values)
{
	/* One byte is left for the end of the line. */
	const size_t room = sizeof(line->text) - 1 - line->used;

	(void)vsnprintf(line->text + line->used, room, format, values);
	line->used += strlen(line->text + line->used);
}

void line_end(struct line *line)
{
	for (size_t i = 0; i < line->used; i++) {
		const unsigned char byte = (unsigned char)line->text[i];

		if (byte < ' ' || byte == 0x7f)
			line->text[i] = '?';
	}
	line->text[line->used++] = '\n';
}
