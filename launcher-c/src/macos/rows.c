/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Gives the rows of a macOS plan; see plan/row.h. */
#include "plan/row.h"

PLAN_WORDS(parameter_words, STK_PARAMETER_WORDS);
PLAN_WORDS(rule_words, STK_PROCESS_RULE_WORDS);

void plan_rows(const struct stk_bundle *bundle, const struct plan_sink *sink)
{
	const struct stk_macos_settings *settings = bundle->macos_settings;

	for (uint32_t i = 0; i < bundle->parameters_count; i++) {
		const struct stk_parameter *parameter = &bundle->parameters[i];
		const struct plan_row row = {
			.kind = "parameter",
			.name = stk_string(bundle, parameter->name),
			.sort = plan_word(parameter_words, parameter->kind),
			.value = stk_string(bundle, parameter->value),
		};

		sink->take(&row, sink->state);
	}
	plan_bits("process", rule_words, settings->process_rules, sink);
	plan_streams(settings->stream_kinds, sink);
	plan_environment(bundle, sink);
}
