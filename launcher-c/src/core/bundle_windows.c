/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Checks what fields of Windows bundles must be to each other. */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

/* Takes letters and digits, which is what flags and rights are made of. */
static const char *skip_word(const char *at)
{
	return at + strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
			       "uvwxyz0123456789");
}

/*
 * An entry is `(A;FLAGS;RIGHTS;;;SID)` with the SID of the path's capability:
 * whatever the file says, it allows, and nobody else gets anything by it.
 */
static int check_entry(const char *entry, const char *sid)
{
	static const char start[] = "(A;", before[] = ";;;";
	size_t length = strlen(sid);
	const char *rights, *at;

	if (strncmp(entry, start, sizeof(start) - 1) != 0)
		return STK_BUNDLE_ACCESS;
	at = skip_word(entry + sizeof(start) - 1);
	if (*at != ';')
		return STK_BUNDLE_ACCESS;
	rights = at + 1;
	at = skip_word(rights);
	if (at == rights || strncmp(at, before, sizeof(before) - 1) != 0)
		return STK_BUNDLE_ACCESS;
	at += sizeof(before) - 1;
	if (strncmp(at, sid, length) != 0 || strcmp(at + length, ")") != 0)
		return STK_BUNDLE_ACCESS;
	return STK_BUNDLE_OK;
}

/* Kinds of a path's entries do not fall, so there is one order to write them.
 */
static int check_path(struct stk_check *check,
		      const struct stk_path_entry *path)
{
	const struct stk_bundle *bundle = &check->bundle;
	const struct stk_capability *capability =
		&bundle->capabilities[path->capability];
	const char *sid = stk_string(bundle, capability->sid);
	uint32_t kind = 0;
	int error;

	if (capability->kind != STK_CAPABILITY_PATH)
		return stk_refuse(check, STK_BUNDLE_CAPABILITY,
				  &path->capability);
	for (uint32_t i = 0; i < path->entry_count; i++) {
		const struct stk_access_entry *row =
			&bundle->access_entries[path->first_entry + i];

		if (row->kind < kind)
			return stk_refuse(check, STK_BUNDLE_ENTRY_ORDER,
					  &row->kind);
		error = check_entry(stk_string(bundle, row->entry), sid);
		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->entry);
		kind = row->kind;
	}
	return STK_BUNDLE_OK;
}

/* The SID of the one capability for the program file, or none's. */
static const char *program_sid(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->capabilities_count; i++)
		if (bundle->capabilities[i].kind == STK_CAPABILITY_PROGRAM)
			return stk_string(bundle, bundle->capabilities[i].sid);
	return "none";
}

static int check_container_entries(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;
	const char *container =
		stk_string(bundle, bundle->windows_settings->container_sid);
	const char *program = program_sid(bundle);
	uint32_t kind = 0;
	int error;

	for (uint32_t i = 0; i < bundle->container_entries_count; i++) {
		const struct stk_container_entry *row =
			&bundle->container_entries[i];
		const char *sid = row->kind == STK_CONTAINER_ENTRY_PROGRAM
					  ? program
					  : container;

		if (row->kind < kind)
			return stk_refuse(check, STK_BUNDLE_ENTRY_ORDER,
					  &row->kind);
		error = check_entry(stk_string(bundle, row->entry), sid);
		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->entry);
		kind = row->kind;
	}
	return STK_BUNDLE_OK;
}

static int check_capability_sid(const char *sid)
{
	static const char start[] = "S-1-15-3-";

	if (strncmp(sid, start, sizeof(start) - 1) != 0)
		return STK_BUNDLE_SID;
	return STK_BUNDLE_OK;
}

/* A container's identifier and a capability's cannot be taken for each other.
 */
static int check_sids(struct stk_check *check)
{
	static const char container[] = "S-1-15-2-";
	const struct stk_bundle *bundle = &check->bundle;
	const struct stk_windows_settings *settings = bundle->windows_settings;
	uint32_t programs = 0;

	if (strncmp(stk_string(bundle, settings->container_sid), container,
		    sizeof(container) - 1) != 0)
		return stk_refuse(check, STK_BUNDLE_SID,
				  &settings->container_sid);
	for (uint32_t i = 0; i < bundle->capabilities_count; i++) {
		const struct stk_capability *row = &bundle->capabilities[i];
		int error = check_capability_sid(stk_string(bundle, row->sid));

		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->sid);
		programs += row->kind == STK_CAPABILITY_PROGRAM;
		if (programs > 1)
			return stk_refuse(check, STK_BUNDLE_CAPABILITY,
					  &row->kind);
	}
	return STK_BUNDLE_OK;
}

/* Of the container itself: by its own name and its own SID. */
static int check_own_removal(const struct stk_bundle *bundle,
			     const char *subject, const char *sid)
{
	const struct stk_windows_settings *settings = bundle->windows_settings;
	const char *name = stk_string(bundle, settings->container_name);
	const char *own = stk_string(bundle, settings->container_sid);

	if (strcmp(subject, name) != 0 || strcmp(sid, own) != 0)
		return STK_BUNDLE_REMOVAL;
	return STK_BUNDLE_OK;
}

/* Nothing is taken back but what names the container or a capability. */
static int check_removal(const struct stk_bundle *bundle,
			 const struct stk_removal *row)
{
	const char *subject = stk_string(bundle, row->subject);
	const char *sid = stk_string(bundle, row->sid);

	switch (row->kind) {
	case STK_REMOVAL_LOOPBACK_EXEMPTION:
	case STK_REMOVAL_PROFILE:
		return check_own_removal(bundle, subject, sid);
	case STK_REMOVAL_PROGRAM_ENTRIES:
		if (subject[0] != '\0')
			return STK_BUNDLE_REMOVAL;
		return check_capability_sid(sid);
	default:
		if (stk_check_windows(subject) != STK_BUNDLE_OK)
			return STK_BUNDLE_REMOVAL;
		return check_capability_sid(sid);
	}
}

static int check_removals(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->removals_count; i++) {
		const struct stk_removal *row = &bundle->removals[i];
		int error = check_removal(bundle, row);

		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->subject);
	}
	return STK_BUNDLE_OK;
}

int stk_check_windows_records(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;
	int error = check_sids(check);

	for (uint32_t i = 0;
	     i < bundle->path_entries_count && error == STK_BUNDLE_OK; i++)
		error = check_path(check, &bundle->path_entries[i]);
	if (error == STK_BUNDLE_OK)
		error = check_container_entries(check);
	return error == STK_BUNDLE_OK ? check_removals(check) : error;
}
