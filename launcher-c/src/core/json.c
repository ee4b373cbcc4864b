/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Writes RFC 8259; see json.h. */
#include "json.h"

#include <stdint.h>
#include <string.h>

static void put(struct json *json, const char *text, size_t length)
{
	if (length > json->size - json->used) {
		json->full = true;
		return;
	}
	memcpy(json->text + json->used, text, length);
	json->used += length;
}

static void put_comma(struct json *json)
{
	if (json->more)
		put(json, ",", 1);
	json->more = true;
}

void json_open(struct json *json, char bracket)
{
	put_comma(json);
	put(json, &bracket, 1);
	json->more = false;
}

void json_close(struct json *json, char bracket)
{
	put(json, &bracket, 1);
	json->more = true;
}

/*
 * Bytes of the UTF-8 character at @text, or 0 where there is none: RFC 3629,
 * so no longer form than needed, no surrogates, nothing above U+10FFFF.
 */
static size_t character(const unsigned char *text)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t value = text[0];
	size_t length;

	if (value < 0x80)
		return 1;
	if (value < 0xc2 || value > 0xf4)
		return 0;
	length = 2;
	if (value >= 0xe0)
		length = value < 0xf0 ? 3 : 4;
	value &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3fu);
	}
	if (value < smallest[length] || value > 0x10ffff ||
	    (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return length;
}

static void put_escaped(struct json *json, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	while (*text != '\0') {
		const unsigned char byte = (unsigned char)*text;
		size_t length = character((const unsigned char *)text);

		if (byte == '"' || byte == '\\') {
			put(json, "\\", 1);
			put(json, text, 1);
		} else if (byte < ' ' || byte == 0x7f) {
			const char escape[] = {'\\',
					       'u',
					       '0',
					       '0',
					       digits[byte >> 4],
					       digits[byte & 15]};

			put(json, escape, sizeof(escape));
		} else if (length == 0) {
			put(json, "\\ufffd", 6);
		} else {
			put(json, text, length);
		}
		text += length == 0 ? 1 : length;
	}
}

void json_string(struct json *json, const char *text)
{
	put_comma(json);
	if (!text) {
		put(json, "null", 4);
		return;
	}
	put(json, "\"", 1);
	put_escaped(json, text);
	put(json, "\"", 1);
}

void json_name(struct json *json, const char *name)
{
	json_string(json, name);
	put(json, ":", 1);
	json->more = false;
}

void json_bool(struct json *json, bool truth)
{
	put_comma(json);
	put(json, truth ? "true" : "false", truth ? 4 : 5);
}
