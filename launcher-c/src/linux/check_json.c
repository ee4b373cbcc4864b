/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lays out the object of --json; see check_json.h. */
#include "check_json.h"

#include <unistd.h>

#include "check_line.h"
#include "core/json.h"
#include "message.h"

/* Of 32 requirements and 64 warnings with texts of 4 KiB. */
enum { TEXT_BYTES = 1024 * 1024 };

static void put_text(struct json *json, const char *name, const char *text)
{
	json_name(json, name);
	json_string(json, text);
}

static void put_bool(struct json *json, const char *name, bool truth)
{
	json_name(json, name);
	json_bool(json, truth);
}

static void put_line(struct json *json, const struct check_line *line)
{
	json_open(json, '{');
	put_text(json, "requirement", line->name);
	if (line->enforced) {
		put_text(json, "mechanism", line->text);
		if (line->proof == CHECK_OUTSIDE)
			put_text(json, "proved", "outside");
		else
			put_bool(json, "proved", line->proof == CHECK_PROVED);
	} else {
		put_text(json, "status", "unavailable");
		put_text(json, "reason", line->text);
	}
	json_close(json, '}');
}

static void put_lines(struct json *json, const struct check *check,
		      const char *name, bool enforced)
{
	json_name(json, name);
	json_open(json, '[');
	for (uint32_t i = 0; i < check_count(check); i++) {
		const struct check_line line = check_line(check, i);

		if (line.enforced == enforced)
			put_line(json, &line);
	}
	json_close(json, ']');
}

static void put_level(struct json *json, const struct check *check,
		      bool enforceable)
{
	const struct stk_bundle *bundle = check->bundle;

	json_open(json, '{');
	put_text(json, "name", stk_string(bundle, check->level->name));
	put_bool(json, "enforceable", enforceable);
	put_bool(json, "needs_setup", false);
	put_lines(json, check, "enforced", true);
	put_lines(json, check, "missing", false);
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
	json_close(json, '}');
}

void check_print_json(const struct check *check,
		      const struct stk_options *options, bool enforceable)
{
	static char text[TEXT_BYTES];
	/* One byte is left for the newline. */
	struct json json = {.text = text, .size = sizeof(text) - 1};

	json_open(&json, '{');
	put_text(&json, "backend", "linux");
	put_text(&json, "selected",
		 enforceable ? stk_string(check->bundle, check->level->name)
			     : NULL);
	put_bool(&json, "setup_would_help", false);
	json_name(&json, "levels");
	json_open(&json, '[');
	put_level(&json, check, enforceable);
	json_close(&json, ']');
	json_name(&json, "warnings");
	json_open(&json, '[');
	for (uint32_t i = 0; i < options->warnings_count; i++)
		json_string(&json, options->warnings[i].text);
	json_close(&json, ']');
	json_name(&json, "warning_ids");
	json_open(&json, '[');
	for (uint32_t i = 0; i < options->warnings_count; i++)
		json_string(&json, options->warnings[i].id);
	json_close(&json, ']');
	json_close(&json, '}');
	if (json.full)
		die("the object of `--json` has more than %d bytes",
		    TEXT_BYTES);
	text[json.used++] = '\n';
	for (size_t done = 0; done < json.used;) {
		ssize_t part =
			write(STDOUT_FILENO, text + done, json.used - done);

		if (part <= 0)
			die("cannot write to standard output");
		done += (size_t)part;
	}
}
