/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * What texts in a bundle look like.  Each ends inside the section of strings,
 * which ends in a zero byte; each look goes no further than its limit, since
 * many records may share one text.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

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
	for (; room > 0 && !stk_is_control(*at); room--)
		at++;
	return room > 0 && *at == '\0' ? STK_BUNDLE_OK : STK_BUNDLE_TEXT;
}

int stk_check_variable(const struct stk_bundle *bundle, const char *name)
{
	if (name[0] == '\0' || stk_check_text(bundle, name) != STK_BUNDLE_OK ||
	    strchr(name, '=') != NULL)
		return STK_BUNDLE_VARIABLE;
	return STK_BUNDLE_OK;
}

/* Not empty, at most @limit bytes, and each of them one of @bytes. */
static bool is_made_of(const char *text, const char *bytes, size_t limit)
{
	return text[0] != '\0' && memchr(text, '\0', limit + 1) != NULL &&
	       text[strspn(text, bytes)] == '\0';
}

int stk_check_lines(const char *text)
{
	const char *at = text;

	for (; *at != '\0'; at++)
		if (((*at < 0x20 || *at > 0x7e) && *at != '\n') ||
		    at - text >= STK_MAX_PROFILE_BYTES)
			return STK_BUNDLE_PROFILE;
	return at == text ? STK_BUNDLE_PROFILE : STK_BUNDLE_OK;
}

int stk_check_identifier(const char *name)
{
	bool fits = is_made_of(name, LETTERS DIGITS "_", STK_MAX_TEXT_BYTES) &&
		    strchr(DIGITS, name[0]) == NULL;

	return fits ? STK_BUNDLE_OK : STK_BUNDLE_IDENTIFIER;
}

int stk_check_word(const char *word)
{
	bool fits = is_made_of(word, LETTERS DIGITS "-_.", STK_MAX_TEXT_BYTES);

	return fits ? STK_BUNDLE_OK : STK_BUNDLE_WORD;
}

int stk_check_label(const char *label)
{
	bool fits =
		is_made_of(label, LETTERS DIGITS "-_. ", STK_MAX_LABEL_BYTES);

	return fits ? STK_BUNDLE_OK : STK_BUNDLE_WORD;
}

/*
 * `S` and numbers, each with a hyphen before it.  Which numbers come first is a
 * question of what the identifier is for.
 */
int stk_check_sid(const char *sid)
{
	const char *at = sid + 1;

	if (!is_made_of(sid, "S-" DIGITS, STK_MAX_TEXT_BYTES))
		return STK_BUNDLE_SID;
	while (*at != '\0') {
		size_t digits = *at == '-' ? strspn(at + 1, DIGITS) : 0;

		if (digits == 0)
			return STK_BUNDLE_SID;
		at += 1 + digits;
	}
	return STK_BUNDLE_OK;
}

int stk_check_sddl(const char *entry)
{
	bool fits =
		is_made_of(entry, LETTERS DIGITS "();-", STK_MAX_TEXT_BYTES);

	return fits ? STK_BUNDLE_OK : STK_BUNDLE_ACCESS;
}
