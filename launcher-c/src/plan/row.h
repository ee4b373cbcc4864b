/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One line of a plan: what an artifact asks for, beside its requirements. */
#ifndef STOCKADE_ROW_H
#define STOCKADE_ROW_H

#include "core/bundle.h"

struct plan_row {
	/* What is asked for, as `parameter`, and which one. */
	const char *kind, *name;
	/* Of what sort it is, and what it holds; empty where there is nothing
	 * to say. */
	const char *sort, *value;
};

/* Takes rows one by one. */
struct plan_sink {
	void (*take)(const struct plan_row *row, void *state);
	void *state;
};

/* Gives all rows in the order of the artifact; each system has its own. */
void plan_rows(const struct stk_bundle *bundle, const struct plan_sink *sink);

/* Rows that every system has: variables, and kinds of standard streams. */
void plan_environment(const struct stk_bundle *bundle,
		      const struct plan_sink *sink);
void plan_streams(uint32_t kinds, const struct plan_sink *sink);

/* A number of an enumeration and its word; the last word is NULL. */
struct plan_word {
	uint32_t number;
	const char *word;
};
#define PLAN_WORD(number, word) {number, word},
/* Defines @name from one of the lists STK_..._WORDS. */
#define PLAN_WORDS(name, LIST)                                                 \
	static const struct plan_word name[] = {LIST(PLAN_WORD){0, NULL}}

const char *plan_word(const struct plan_word *words, uint32_t number);

/* A row of @kind for each word whose bit is set. */
void plan_bits(const char *kind, const struct plan_word *words, uint32_t bits,
	       const struct plan_sink *sink);

#endif
