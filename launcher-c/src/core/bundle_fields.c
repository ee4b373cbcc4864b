/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Checks every field of every record by the rule that the bundle's description
 * gives for it.  The rules come in as a table (STK_FIELD_RULES); this file only
 * says what each kind of rule means.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

enum how {
	RANGE,
	BITS,
	INDEX,
	SLICE,
	STRING,
	TEXT,
	NAME,
	PATH,
	WINDOWS_PATH,
	VARIABLE,
	LINES,
	IDENTIFIER,
	WORD,
	LABEL,
	SID,
	SDDL,
};

/* One field: where it lies and what it may hold. */
struct rule {
	uint8_t section;
	uint8_t how;
	uint8_t of; /* section that an index or a slice is about */
	uint8_t repeat;
	uint8_t width;
	uint16_t offset;
	uint64_t low;
	uint64_t high;
};

#define WIDTH(record, field, values)                                           \
	(sizeof(((struct record *)0)->field) / (values))

#define RULE(upper, record, field, values, how_, of_, low_, high_)             \
	{.section = STK_SECTION_##upper,                                       \
	 .how = how_,                                                          \
	 .of = of_,                                                            \
	 .repeat = values,                                                     \
	 .width = WIDTH(record, field, values),                                \
	 .offset = offsetof(struct record, field),                             \
	 .low = low_,                                                          \
	 .high = high_},

static const struct rule rules[] = {STK_FIELD_RULES(RULE)};

static uint64_t load(const unsigned char *at, unsigned int width)
{
	uint64_t whole = 0;
	uint32_t half = 0;

	switch (width) {
	case sizeof(whole):
		memcpy(&whole, at, sizeof(whole));
		return whole;
	case sizeof(half):
		memcpy(&half, at, sizeof(half));
		return half;
	default:
		/* The lowest byte comes first; bundle.c asserts it. */
		memcpy(&half, at, width);
		return half;
	}
}

/* A string starts behind the zero byte of the one before, or is the empty one.
 */
static int check_string(const struct stk_bundle *bundle, enum how how,
			uint64_t offset)
{
	const char *text;

	if (offset >= bundle->strings_count)
		return STK_BUNDLE_TEXT;
	text = bundle->strings + offset;
	if (offset != 0 && text[-1] != '\0')
		return STK_BUNDLE_TEXT;
	switch (how) {
	case TEXT:
		return stk_check_text(bundle, text);
	case NAME:
		return text[0] == '\0' ? STK_BUNDLE_TEXT
				       : stk_check_text(bundle, text);
	case PATH:
		return stk_check_absolute(text);
	case WINDOWS_PATH:
		return stk_check_windows(text);
	case VARIABLE:
		return stk_check_variable(bundle, text);
	case LINES:
		return stk_check_lines(text);
	case IDENTIFIER:
		return stk_check_identifier(text);
	case WORD:
		return stk_check_word(text);
	case LABEL:
		return stk_check_label(text);
	case SID:
		return stk_check_sid(text);
	case SDDL:
		return stk_check_sddl(text);
	case STRING:
	case RANGE:
	case BITS:
	case INDEX:
	case SLICE:
		break;
	}
	return STK_BUNDLE_OK;
}

static int check_value(const struct stk_check *check, const struct rule *rule,
		       uint64_t value)
{
	bool fits = false;

	switch ((enum how)rule->how) {
	case RANGE:
		fits = value >= rule->low && value <= rule->high;
		return fits ? STK_BUNDLE_OK : STK_BUNDLE_NUMBER;
	case BITS:
		fits = (value & ~rule->high) == 0;
		return fits ? STK_BUNDLE_OK : STK_BUNDLE_BITS;
	case INDEX:
		fits = value < check->tables[rule->of].count ||
		       (rule->high != 0 && value == STK_NONE);
		return fits ? STK_BUNDLE_OK : STK_BUNDLE_INDEX;
	case STRING:
	case TEXT:
	case NAME:
	case PATH:
	case WINDOWS_PATH:
	case VARIABLE:
	case LINES:
	case IDENTIFIER:
	case WORD:
	case LABEL:
	case SID:
	case SDDL:
		return check_string(&check->bundle, (enum how)rule->how, value);
	case SLICE:
		break;
	}
	return STK_BUNDLE_SLICE;
}

/*
 * Slices leave nothing out and share nothing: each starts where the one before
 * ended, the last ends with the section.
 */
static int check_slices(struct stk_check *check, const struct rule *rule)
{
	const struct stk_table *table = &check->tables[rule->section];
	uint32_t end = check->tables[rule->of].count, used = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const unsigned char *at =
			table->records + (size_t)i * table->size + rule->offset;
		uint64_t count = load(at + rule->width, rule->width);

		if (load(at, rule->width) != used)
			return stk_refuse(check, STK_BUNDLE_SLICE, at);
		if (count < rule->low || count > rule->high ||
		    count > end - used)
			return stk_refuse(check, STK_BUNDLE_SLICE,
					  at + rule->width);
		used += (uint32_t)count;
	}
	if (used != end)
		return stk_refuse(check, STK_BUNDLE_SLICE, table->records);
	return STK_BUNDLE_OK;
}

static int check_field(struct stk_check *check, const struct rule *rule)
{
	const struct stk_table *table = &check->tables[rule->section];

	for (uint32_t i = 0; i < table->count; i++) {
		const unsigned char *at =
			table->records + (size_t)i * table->size + rule->offset;

		for (int n = 0; n < rule->repeat; n++, at += rule->width) {
			uint64_t value = load(at, rule->width);
			int error = check_value(check, rule, value);

			if (error != STK_BUNDLE_OK)
				return stk_refuse(check, error, at);
		}
	}
	return STK_BUNDLE_OK;
}

int stk_check_fields(struct stk_check *check)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		int error = STK_BUNDLE_OK;

		/* A section of another system cuts nothing into pieces. */
		if (check->tables[rules[i].section].records == NULL)
			continue;
		error = rules[i].how == SLICE ? check_slices(check, &rules[i])
					      : check_field(check, &rules[i]);
		if (error != STK_BUNDLE_OK)
			return error;
	}
	return STK_BUNDLE_OK;
}
