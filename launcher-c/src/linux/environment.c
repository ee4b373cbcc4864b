/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Picks variables; see environment.h. */
#include "environment.h"

#include <string.h>
#include <unistd.h>

#include "message.h"

static char *find(const char *name)
{
	size_t length = strlen(name);

	for (char **entry = environ; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 &&
		    (*entry)[length] == '=')
			return *entry;
	return NULL;
}

char **environment_build(const struct stk_bundle *bundle)
{
	static char *entries[STK_MAX_ENVIRONMENT + 1];
	uint32_t count = 0;

	for (uint32_t i = 0; i < bundle->environment_count; i++) {
		const struct stk_environment *record = &bundle->environment[i];
		char *entry;

		if (count == STK_MAX_ENVIRONMENT)
			die("the artifact has more than %u variables",
			    STK_MAX_ENVIRONMENT);
		switch (record->kind) {
		case STK_ENVIRONMENT_PASS:
			entry = find(stk_string(bundle, record->name));
			break;
		case STK_ENVIRONMENT_SET:
			entry = (char *)(uintptr_t)stk_string(bundle,
							      record->entry);
			break;
		default:
			die("variable %u is of an unknown kind", i);
		}
		if (entry)
			entries[count++] = entry;
	}
	entries[count] = NULL;
	return entries;
}
