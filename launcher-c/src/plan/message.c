/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Says what is refused; see message.h. */
#include "message.h"

static struct line line;

void die(const char *format, ...)
{
	va_list values;

	line.used = 0;
	line_add(&line, "stockade: ");
	va_start(values, format);
	line_add_values(&line, format, values);
	va_end(values);
	line_end(&line);
	(void)system_write(SYSTEM_ERROR, line.text, line.used);
	system_end(STK_STATUS_REFUSED);
}

void message_print(enum system_stream stream, const char *format, ...)
{
	va_list values;

	line.used = 0;
	va_start(values, format);
	line_add_values(&line, format, values);
	va_end(values);
	line_end(&line);
	if (!system_write(stream, line.text, line.used))
		die("cannot write to standard %s",
		    stream == SYSTEM_OUTPUT ? "output" : "error");
}
