/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Checks what fields must be to each other, record by record: what bundles of
 * all systems have, then what the target's system has.  Runs after
 * bundle_fields.c, so every index is inside its section and every string ends.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

static bool is_entry_of(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=' &&
	       memchr(entry, '\0', STK_MAX_ENTRY_BYTES + 1) != NULL;
}

static int check_environment(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;
	const char *previous = "";

	for (uint32_t i = 0; i < bundle->environment_count; i++) {
		const struct stk_environment *row = &bundle->environment[i];
		const char *name = stk_string(bundle, row->name);
		const char *entry = stk_string(bundle, row->entry);
		bool fits = row->kind == STK_ENVIRONMENT_SET
				    ? is_entry_of(entry, name)
				    : row->entry == 0;

		if (strcmp(previous, name) >= 0)
			return stk_refuse(check, STK_BUNDLE_ENVIRONMENT_ORDER,
					  &row->name);
		if (!fits)
			return stk_refuse(check, STK_BUNDLE_ENTRY, &row->entry);
		previous = name;
	}
	return STK_BUNDLE_OK;
}

static int check_place(const struct stk_check *check, uint32_t base,
		       const char *path)
{
	bool windows = check->system == STK_SYSTEM_WINDOWS;

	switch (base) {
	case STK_TRUSTED_ABSOLUTE:
		return windows ? stk_check_windows(path)
			       : stk_check_absolute(path);
	case STK_TRUSTED_HOME:
		if (path[0] == '\0')
			return STK_BUNDLE_OK;
		return windows ? stk_check_windows_relative(path)
			       : stk_check_relative(path);
	default:
		return stk_check_variable(&check->bundle, path);
	}
}

static int check_trusted(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->trusted_count; i++) {
		const struct stk_trusted *row = &bundle->trusted[i];
		const char *path = stk_string(bundle, row->path);
		int error = check_place(check, row->base, path);

		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->path);
	}
	return STK_BUNDLE_OK;
}

/* A value may hold what a variable may: any bytes, as far as the limit. */
static int check_keys(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->keys_count; i++) {
		const struct stk_key *key = &bundle->keys[i];
		const char *value = stk_string(bundle, key->value);

		if (memchr(value, '\0', STK_MAX_ENTRY_BYTES + 1) == NULL)
			return stk_refuse(check, STK_BUNDLE_TEXT, &key->value);
	}
	return STK_BUNDLE_OK;
}

/* Features and the rights that are in force are Linux's. */
static int check_plain_requirements(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	if (check->system == STK_SYSTEM_LINUX)
		return STK_BUNDLE_OK;
	for (uint32_t i = 0; i < bundle->requirements_count; i++) {
		const struct stk_requirement *row = &bundle->requirements[i];

		if (row->needs != 0)
			return stk_refuse(check,
					  STK_BUNDLE_FEATURE_WITHOUT_TEXT,
					  &row->needs);
		if (row->flags != 0)
			return stk_refuse(check, STK_BUNDLE_BITS, &row->flags);
	}
	return STK_BUNDLE_OK;
}

static int check_system(struct stk_check *check)
{
	switch (check->system) {
	case STK_SYSTEM_LINUX:
		return stk_check_linux(check);
	case STK_SYSTEM_MACOS:
		return stk_check_macos(check);
	default:
		return stk_check_windows_records(check);
	}
}

int stk_check_relations(struct stk_check *check)
{
	static int (*const steps[])(struct stk_check *) = {
		check_environment,        check_trusted, check_keys,
		check_plain_requirements, check_system,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int error = steps[i](check);

		if (error != STK_BUNDLE_OK)
			return error;
	}
	return STK_BUNDLE_OK;
}
