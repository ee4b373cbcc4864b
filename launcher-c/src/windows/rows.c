/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Gives the rows of a Windows plan; see plan/row.h. */
#include "plan/row.h"

PLAN_WORDS(capability_words, STK_CAPABILITY_WORDS);
PLAN_WORDS(access_words, STK_ACCESS_ENTRY_WORDS);
PLAN_WORDS(container_words, STK_CONTAINER_ENTRY_WORDS);
PLAN_WORDS(junction_words, STK_JUNCTIONS_WORDS);
PLAN_WORDS(job_words, STK_JOB_LIMIT_WORDS);
PLAN_WORDS(ui_words, STK_UI_LIMIT_WORDS);
PLAN_WORDS(mitigation_words, STK_MITIGATION_WORDS);
PLAN_WORDS(handle_words, STK_HANDLE_WORDS);
PLAN_WORDS(preflight_words, STK_PREFLIGHT_WORDS);
PLAN_WORDS(removal_words, STK_REMOVAL_WORDS);

static void give(const struct plan_sink *sink, const char *kind,
		 const char *name, const char *sort, const char *value)
{
	const struct plan_row row = {kind, name, sort, value};

	sink->take(&row, sink->state);
}

static void give_token(const struct stk_bundle *bundle,
		       const struct plan_sink *sink)
{
	const struct stk_windows_settings *settings = bundle->windows_settings;

	give(sink, "container", stk_string(bundle, settings->container_name),
	     "", stk_string(bundle, settings->container_sid));
	for (uint32_t i = 0; i < bundle->capabilities_count; i++) {
		const struct stk_capability *row = &bundle->capabilities[i];

		give(sink, "capability", stk_string(bundle, row->name),
		     plan_word(capability_words, row->kind),
		     stk_string(bundle, row->sid));
	}
}

/* Each path with its capability, then the entries that it is to get. */
static void give_entries(const struct stk_bundle *bundle,
			 const struct plan_sink *sink)
{
	for (uint32_t i = 0; i < bundle->path_entries_count; i++) {
		const struct stk_path_entry *path = &bundle->path_entries[i];
		const char *name = stk_string(bundle, path->path);

		give(sink, "path", name, stk_string(bundle, path->access),
		     stk_string(bundle,
				bundle->capabilities[path->capability].name));
		for (uint32_t n = 0; n < path->entry_count; n++) {
			const struct stk_access_entry *row =
				&bundle->access_entries[path->first_entry + n];

			give(sink, "entry", name,
			     plan_word(access_words, row->kind),
			     stk_string(bundle, row->entry));
		}
	}
	for (uint32_t i = 0; i < bundle->container_entries_count; i++) {
		const struct stk_container_entry *row =
			&bundle->container_entries[i];

		give(sink, "entry", plan_word(container_words, row->kind), "",
		     stk_string(bundle, row->entry));
	}
	for (uint32_t i = 0; i < bundle->open_folders_count; i++)
		give(sink, "open-folder",
		     stk_string(bundle, bundle->open_folders[i].path), "", "");
}

static void give_process(const struct stk_bundle *bundle,
			 const struct plan_sink *sink)
{
	const struct stk_windows_settings *settings = bundle->windows_settings;

	give(sink, "junctions", plan_word(junction_words, settings->junctions),
	     "", "");
	plan_bits("job-limit", job_words, settings->job_limits, sink);
	plan_bits("ui-limit", ui_words, settings->ui_limits, sink);
	plan_bits("mitigation", mitigation_words, settings->mitigations, sink);
	plan_bits("handle", handle_words, settings->handles, sink);
	plan_streams(settings->stream_kinds, sink);
	plan_environment(bundle, sink);
}

static void give_host(const struct stk_bundle *bundle,
		      const struct plan_sink *sink)
{
	for (uint32_t i = 0; i < bundle->preflight_count; i++) {
		const struct stk_preflight *row = &bundle->preflight[i];

		give(sink, "preflight", stk_string(bundle, row->name),
		     plan_word(preflight_words, row->kind),
		     stk_string(bundle, row->text));
	}
	for (uint32_t i = 0; i < bundle->removals_count; i++) {
		const struct stk_removal *row = &bundle->removals[i];
		const char *subject = stk_string(bundle, row->subject);

		/* Only a removal knows which file was the program. */
		give(sink, "removal", *subject ? subject : "the program file",
		     plan_word(removal_words, row->kind),
		     stk_string(bundle, row->sid));
	}
}

void plan_rows(const struct stk_bundle *bundle, const struct plan_sink *sink)
{
	give_token(bundle, sink);
	give_entries(bundle, sink);
	give_process(bundle, sink);
	give_host(bundle, sink);
}
