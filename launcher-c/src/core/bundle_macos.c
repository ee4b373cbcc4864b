/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Checks what fields of macOS bundles must be to each other. */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

/* `localhost:` and a port, in the one way to write it. */
static int check_port(const char *value)
{
	static const char host[] = "localhost:";
	const char *digits = value + sizeof(host) - 1;
	uint32_t port = 0;
	size_t length;

	if (strncmp(value, host, sizeof(host) - 1) != 0)
		return STK_BUNDLE_PARAMETER;
	length = strspn(digits, "0123456789");
	if (digits[length] != '\0' || length == 0 || length > 5 ||
	    digits[0] == '0')
		return STK_BUNDLE_PARAMETER;
	for (size_t i = 0; i < length; i++)
		port = port * 10 + (uint32_t)(digits[i] - '0');
	if (port > 65535)
		return STK_BUNDLE_PARAMETER;
	return STK_BUNDLE_OK;
}

static int check_value(uint32_t kind, const char *value)
{
	switch (kind) {
	case STK_PARAMETER_PORT:
		return check_port(value);
	case STK_PARAMETER_PROGRAM:
		return value[0] == '\0' ? STK_BUNDLE_OK : STK_BUNDLE_PARAMETER;
	default:
		return stk_check_absolute(value);
	}
}

/*
 * A name that stands twice would leave open which value counts.  Strings are
 * stored at their first use, so a name behind all before it is a new one.
 */
static bool is_repeated(const struct stk_parameter *rows, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (rows[i].name == rows[index].name)
			return true;
	return false;
}

int stk_check_macos(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;
	const struct stk_parameter *rows = bundle->parameters;
	uint32_t last = 0;

	for (uint32_t i = 0; i < bundle->parameters_count; i++) {
		int error = check_value(rows[i].kind,
					stk_string(bundle, rows[i].value));

		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &rows[i].value);
		if (rows[i].name <= last && is_repeated(rows, i))
			return stk_refuse(check, STK_BUNDLE_PARAMETER,
					  &rows[i].name);
		if (rows[i].name > last)
			last = rows[i].name;
	}
	return STK_BUNDLE_OK;
}
