/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hold what one run said and changed: an answer, the step that gave it,
 * effects. */
#ifndef STOCKADE_PROBES_OUTCOME_H
#define STOCKADE_PROBES_OUTCOME_H

#include <stdbool.h>

enum {
	OUTCOME_WORD_BYTES = 64,
	OUTCOME_TEXT_BYTES = 256,
};

struct outcome {
	char answer[OUTCOME_WORD_BYTES], step[OUTCOME_WORD_BYTES];
	char effects[OUTCOME_TEXT_BYTES], note[OUTCOME_TEXT_BYTES];
};

/* An outcome before anything was said: the answer is `none`. */
void outcome_clear(struct outcome *outcome);

/* Take one line of `answer`, `effect` or `status`, or anything else as a note.
 */
void outcome_line(struct outcome *outcome, char *line);
void outcome_effect(struct outcome *outcome, const char *name);

/* Tell whether an effect is among those seen; `-` always is. */
bool outcome_has_effect(const struct outcome *outcome, const char *wanted);

/* Tell whether nothing but one effect was seen; for `-`, nothing at all. */
bool outcome_is_only(const struct outcome *outcome, const char *wanted);

/* Tell whether the answer is one of those between `|`. */
bool outcome_answers(const struct outcome *outcome, const char *answers);

#endif
