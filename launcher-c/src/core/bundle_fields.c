/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Checks every field of every record by the rule that the bundle's description
 * gives for it.  The rules come in as a table (STK_FIELD_RULES); this file only
 * says what each kind of rule means.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

enum how { RANGE, BITS, INDEX, SLICE, STRING, TEXT, NAME, PATH, VARIABLE };

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

static bool is_control(char byte)
{
	unsigned char number = (unsigned char)byte;

	return number < 0x20 || number == 0x7f;
}

/*
 * True where none of eight bytes is a control: a byte below 0x20 borrows into
 * its top bit, one that equals 0x7f becomes zero and does the same.
 */
static bool is_plain_word(const char *at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
	uint64_t word, low, delete;

	memcpy(&word, at, sizeof(word));
	low = (word - ones * 0x20) & ~word;
	word ^= ones * 0x7f;
	delete = (word - ones) & ~word;
	return ((low | delete) & tops) == 0;
}

int stk_check_text(const struct stk_bundle *bundle, const char *text)
{
	const char *at = text;
	size_t room = (size_t)(bundle->strings + bundle->strings_count - text);

	if (room > STK_MAX_TEXT_BYTES + 1)
		room = STK_MAX_TEXT_BYTES + 1;
	for (; room >= 8 && is_plain_word(at); room -= 8)
		at += 8;
	for (; room > 0 && !is_control(*at); room--)
		at++;
	return room > 0 && *at == '\0' ? STK_BUNDLE_OK : STK_BUNDLE_TEXT;
}

static bool is_dots(const char *component, size_t length)
{
	return (length == 1 && component[0] == '.') ||
	       (length == 2 && component[0] == '.' && component[1] == '.');
}

/*
 * Components that are neither empty, `.` nor `..`; at most @limit bytes.  With
 * @open the last one is left to be filled in, so it must be empty.
 */
static int check_components(const char *path, size_t limit, bool open)
{
	const char *component = path;

	for (const char *at = path;; at++) {
		size_t length = (size_t)(at - component);

		if (*at != '\0' && *at != '/') {
			if (is_control(*at) || (size_t)(at - path) >= limit)
				return STK_BUNDLE_PATH;
			continue;
		}
		if (*at == '\0' && open)
			return length == 0 ? STK_BUNDLE_OK : STK_BUNDLE_PATH;
		if (length == 0 || is_dots(component, length))
			return STK_BUNDLE_PATH;
		if (*at == '\0')
			return STK_BUNDLE_OK;
		component = at + 1;
	}
}

int stk_check_relative(const char *path)
{
	return check_components(path, STK_MAX_PATH_BYTES, false);
}

int stk_check_absolute(const char *path)
{
	if (path[0] != '/')
		return STK_BUNDLE_PATH;
	if (path[1] == '\0')
		return STK_BUNDLE_OK;
	return check_components(path + 1, STK_MAX_PATH_BYTES - 1, false);
}

int stk_check_prefix(const char *path)
{
	if (path[0] != '/')
		return STK_BUNDLE_PATH;
	return check_components(path + 1, STK_MAX_PATH_BYTES - 1, true);
}

int stk_check_variable(const struct stk_bundle *bundle, const char *name)
{
	if (name[0] == '\0' || stk_check_text(bundle, name) != STK_BUNDLE_OK ||
	    strchr(name, '=') != NULL)
		return STK_BUNDLE_VARIABLE;
	return STK_BUNDLE_OK;
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
	case VARIABLE:
		return stk_check_variable(bundle, text);
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
	case VARIABLE:
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
		int error = rules[i].how == SLICE
				    ? check_slices(check, &rules[i])
				    : check_field(check, &rules[i]);

		if (error != STK_BUNDLE_OK)
			return error;
	}
	return STK_BUNDLE_OK;
}
