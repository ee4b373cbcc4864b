/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Gives the rows that every system has; see row.h. */
#include "row.h"

#include <stdbool.h>
#include <string.h>

PLAN_WORDS(stream_words, STK_STREAM_WORDS);

const char *plan_word(const struct plan_word *words, uint32_t number)
{
	/* The parser saw that it is one of them. */
	while (words->word && words->number != number)
		words++;
	return words->word ? words->word : "unknown";
}

void plan_bits(const char *kind, const struct plan_word *words, uint32_t bits,
	       const struct plan_sink *sink)
{
	for (; words->word; words++) {
		const struct plan_row row = {kind, words->word, "", ""};

		if ((bits & words->number) != 0)
			sink->take(&row, sink->state);
	}
}

void plan_streams(uint32_t kinds, const struct plan_sink *sink)
{
	plan_bits("stream", stream_words, kinds, sink);
}

void plan_environment(const struct stk_bundle *bundle,
		      const struct plan_sink *sink)
{
	for (uint32_t i = 0; i < bundle->environment_count; i++) {
		const struct stk_environment *variable =
			&bundle->environment[i];
		const char *entry = stk_string(bundle, variable->entry);
		const char *name = stk_string(bundle, variable->name);
		const bool set = variable->kind == STK_ENVIRONMENT_SET;
		const struct plan_row row = {
			.kind = "environment",
			.name = name,
			.sort = set ? "set" : "pass",
			/* The parser saw that it begins with `NAME=`. */
			.value = set ? entry + strlen(name) + 1 : "",
		};

		sink->take(&row, sink->state);
	}
}
