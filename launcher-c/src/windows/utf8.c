/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Converts texts; see utf8.h. */
#include "utf8.h"

#include <windows.h>

#include "plan/message.h"

/*
 * A command line has at most 32,767 UTF-16 units (CreateProcessW), each of
 * them at most three bytes of UTF-8; every argument needs at least two units.
 */
enum {
	MOST_UNITS = 32768,
	MOST_BYTES = 3 * MOST_UNITS,
	MOST_ARGUMENTS = MOST_UNITS / 2,
};

char **utf8_arguments(int count, wchar_t **wide)
{
	static char bytes[MOST_BYTES];
	static char *arguments[MOST_ARGUMENTS + 1];
	int used = 0;

	if (count > MOST_ARGUMENTS)
		die("more than %d arguments are given", MOST_ARGUMENTS);
	for (int i = 0; i < count; i++) {
		const int room = MOST_BYTES - used;
		/* With the zero at its end; for no room it would only count. */
		const int length =
			room == 0
				? 0
				: WideCharToMultiByte(CP_UTF8,
						      WC_ERR_INVALID_CHARS,
						      wide[i], -1, bytes + used,
						      room, NULL, NULL);

		if (length <= 0)
			die("argument %d is not valid UTF-16, or too long", i);
		arguments[i] = bytes + used;
		used += length;
	}
	return arguments;
}

_Bool utf8_widen(const char *text, wchar_t *ret_wide, size_t room)
{
	return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1,
				   ret_wide, (int)room) > 0;
}
