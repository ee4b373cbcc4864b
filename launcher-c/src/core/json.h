/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns names, texts and truths into one JSON value in a buffer of the caller,
 * without a heap.  INVARIANT: what is written is UTF-8, whatever bytes a text
 * holds, and a buffer that is too small is told by `full`, never overrun.
 */
#ifndef STOCKADE_JSON_H
#define STOCKADE_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json {
	char *text;
	size_t size, used;
	bool full;
	/* Whether a comma comes before the next name or value. */
	bool more;
};

/* `{` or `[`, and the end of the same. */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

/* The name of the value that comes next. */
void json_name(struct json *json, const char *name);

/* A string; NULL is null. */
void json_string(struct json *json, const char *text);
void json_bool(struct json *json, bool truth);

#endif
