/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * What the files of the bundle parser share with each other and nobody else:
 * the sections as plain tables, and the steps in the order they are taken.
 */
#ifndef STOCKADE_BUNDLE_CHECK_H
#define STOCKADE_BUNDLE_CHECK_H

#include <stdbool.h>

#include "bundle.h"

/* Where sections start, and items of `data`. */
#define STK_ALIGNMENT 8u

/* One section: @count records of @size bytes. */
struct stk_table {
	const unsigned char *records;
	uint32_t count;
	uint32_t size;
};

/* A bundle on its way through the checks; @offset is the last refused place. */
struct stk_check {
	struct stk_bundle bundle;
	struct stk_table tables[STK_SECTION_LAST + 1];
	uint32_t system; /* the target's, a STK_SYSTEM_ bit */
	size_t offset;
};

/* Bytes that no text and no path holds. */
static inline bool stk_is_control(char byte)
{
	unsigned char number = (unsigned char)byte;

	return number < 0x20 || number == 0x7f;
}

/* Notes the place and returns the error, so that a caller can return it. */
int stk_refuse(struct stk_check *check, int error, const void *place);

/* The section table, into the tables and the bundle (bundle_table.c). */
int stk_read_sections(struct stk_check *check);

/* Every field by the rule that its description gives (bundle_fields.c). */
int stk_check_fields(struct stk_check *check);

/* What one string must look like (bundle_text.c): 0 or an error. */
int stk_check_text(const struct stk_bundle *bundle, const char *text);
int stk_check_variable(const struct stk_bundle *bundle, const char *name);
int stk_check_lines(const char *text);
int stk_check_identifier(const char *name);
int stk_check_word(const char *word);
int stk_check_label(const char *label);
int stk_check_sid(const char *sid);
int stk_check_sddl(const char *entry);

/* What one path must look like (bundle_path.c). */
int stk_check_absolute(const char *path);
int stk_check_relative(const char *path);
/* An absolute path up to and with a slash, to be continued. */
int stk_check_prefix(const char *path);
int stk_check_windows(const char *path);
int stk_check_windows_relative(const char *path);

/*
 * What fields must be to each other (bundle_relations.c).  Only after
 * stk_check_fields(): indices and strings are used without a further look.
 */
int stk_check_relations(struct stk_check *check);

/* The parts of it that only bundles of one system have. */
int stk_check_linux(struct stk_check *check);
int stk_check_calls(struct stk_check *check);
int stk_check_probes(struct stk_check *check);
int stk_check_macos(struct stk_check *check);
int stk_check_windows_records(struct stk_check *check);

#endif
