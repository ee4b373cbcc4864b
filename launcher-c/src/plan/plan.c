/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lays out what `--check` prints; see plan.h. */
#include "plan.h"

#include "core/json.h"
#include "message.h"
#include "row.h"

/* Most of what it holds lies in the artifact once, and may be escaped. */
enum { OBJECT_BYTES = 2 * STK_MAX_BUNDLE_BYTES };

/* A check that finds something unavailable. */
enum { STATUS_UNAVAILABLE = 1 };

/* For a plan_sink. */
static void print_row(const struct plan_row *row, void *state)
{
	const bool sorted = *row->sort != '\0', valued = *row->value != '\0';

	(void)state;
	message_print(SYSTEM_OUTPUT, "%-13s%s%s%s%s%s%s", row->kind, row->name,
		      sorted ? " (" : "", row->sort, sorted ? ")" : "",
		      valued ? ": " : "", row->value);
}

static void print_table(const struct stk_bundle *bundle, const char *reason)
{
	const struct plan_sink sink = {print_row, NULL};

	message_print(SYSTEM_OUTPUT, "backend: %s", system_name);
	for (uint32_t i = 0; i < bundle->requirements_count; i++)
		message_print(
			SYSTEM_OUTPUT, "%-13s%s: %s; planned: %s",
			"UNAVAILABLE",
			stk_string(bundle, bundle->requirements[i].title),
			reason,
			stk_string(bundle, bundle->requirements[i].mechanism));
	plan_rows(bundle, &sink);
	for (uint32_t i = 0; i < bundle->warnings_count; i++)
		message_print(SYSTEM_ERROR, "warning: [%s] %s",
			      stk_string(bundle, bundle->warnings[i].id),
			      stk_string(bundle, bundle->warnings[i].text));
}

static void put_text(struct json *json, const char *name, const char *text)
{
	json_name(json, name);
	json_string(json, text);
}

static void put_missing(struct json *json, const struct stk_bundle *bundle,
			const char *reason)
{
	json_name(json, "missing");
	json_open(json, '[');
	for (uint32_t i = 0; i < bundle->requirements_count; i++) {
		const struct stk_requirement *row = &bundle->requirements[i];

		json_open(json, '{');
		put_text(json, "requirement", stk_string(bundle, row->name));
		put_text(json, "status", "unavailable");
		put_text(json, "reason", reason);
		put_text(json, "planned", stk_string(bundle, row->mechanism));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_warnings(struct json *json, const struct stk_bundle *bundle)
{
	json_name(json, "warnings");
	json_open(json, '[');
	for (uint32_t i = 0; i < bundle->warnings_count; i++)
		json_string(json, stk_string(bundle, bundle->warnings[i].text));
	json_close(json, ']');
	json_name(json, "warning_ids");
	json_open(json, '[');
	for (uint32_t i = 0; i < bundle->warnings_count; i++)
		json_string(json, stk_string(bundle, bundle->warnings[i].id));
	json_close(json, ']');
}

/* The one level, in the form that it has on Linux. */
static void put_level(struct json *json, const struct stk_bundle *bundle,
		      const char *reason)
{
	json_open(json, '{');
	put_text(json, "name", "base");
	json_name(json, "enforceable");
	json_bool(json, false);
	json_name(json, "needs_setup");
	json_bool(json, false);
	json_name(json, "enforced");
	json_open(json, '[');
	json_close(json, ']');
	put_missing(json, bundle, reason);
	put_warnings(json, bundle);
	json_close(json, '}');
}

/* For a plan_sink. */
static void put_row(const struct plan_row *row, void *state)
{
	struct json *json = state;

	json_open(json, '{');
	put_text(json, "kind", row->kind);
	put_text(json, "name", row->name);
	put_text(json, "sort", row->sort);
	put_text(json, "value", row->value);
	json_close(json, '}');
}

static void print_object(const struct stk_bundle *bundle, const char *reason)
{
	static char text[OBJECT_BYTES];
	/* One byte is left for the newline. */
	struct json json = {.text = text, .size = sizeof(text) - 1};

	json_open(&json, '{');
	put_text(&json, "backend", system_name);
	put_text(&json, "selected", NULL);
	json_name(&json, "setup_would_help");
	json_bool(&json, false);
	json_name(&json, "levels");
	json_open(&json, '[');
	put_level(&json, bundle, reason);
	json_close(&json, ']');
	json_name(&json, "warnings");
	json_open(&json, '[');
	json_close(&json, ']');
	json_name(&json, "warning_ids");
	json_open(&json, '[');
	json_close(&json, ']');
	json_name(&json, "plan");
	json_open(&json, '[');
	plan_rows(bundle, &(struct plan_sink){put_row, &json});
	json_close(&json, ']');
	json_close(&json, '}');
	if (json.full)
		die("the object of `--json` has more than %u bytes",
		    (unsigned)OBJECT_BYTES);
	text[json.used++] = '\n';
	if (!system_write(SYSTEM_OUTPUT, text, json.used))
		die("cannot write to standard output");
}

int plan_print(const struct stk_bundle *bundle, const char *reason, bool json)
{
	if (json)
		print_object(bundle, reason);
	else
		print_table(bundle, reason);
	return STATUS_UNAVAILABLE;
}
