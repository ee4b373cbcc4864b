/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Takes the steps of the parser in their order: header, checksum, section table
 * (bundle_table.c), the two sections of plain bytes, fields (bundle_fields.c)
 * and their relations (bundle_relations.c).
 *
 * INVARIANT: nothing is read before its place is known to lie in the file.
 */
#include <string.h>

#include "bundle_check.h"
#include "crc32c.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order");

#define TARGET(target, system) [STK_TARGET_##target] = STK_SYSTEM_##system,

/* The bit of each target's system. */
static const uint32_t systems[] = {STK_TARGETS(TARGET)};

/* 0 for what is no target. */
static uint32_t system_of(uint32_t target)
{
	return target < sizeof(systems) / sizeof(systems[0]) ? systems[target]
							     : 0;
}

int stk_refuse(struct stk_check *check, int error, const void *place)
{
	const unsigned char *at = place;

	check->offset = (size_t)(at - check->bundle.bytes);
	return error;
}

static int check_header(struct stk_check *check, uint32_t target)
{
	const struct stk_header *header = check->bundle.header;

	if (header->magic != STK_MAGIC)
		return stk_refuse(check, STK_BUNDLE_NOT_A_BUNDLE,
				  &header->magic);
	if (header->version != STK_VERSION)
		return stk_refuse(check, STK_BUNDLE_OTHER_VERSION,
				  &header->version);
	if (header->total_bytes != check->bundle.length)
		return stk_refuse(check, STK_BUNDLE_OTHER_LENGTH,
				  &header->total_bytes);
	check->system = system_of(header->target);
	if (check->system == 0)
		return stk_refuse(check, STK_BUNDLE_UNKNOWN_TARGET,
				  &header->target);
	if (target != 0 && header->target != target)
		return stk_refuse(check, STK_BUNDLE_FOREIGN_TARGET,
				  &header->target);
	if (header->reserved != 0)
		return stk_refuse(check, STK_BUNDLE_RESERVED,
				  &header->reserved);
	return STK_BUNDLE_OK;
}

static int check_checksum(struct stk_check *check)
{
	const struct stk_header *header = check->bundle.header;
	const unsigned char *bytes = check->bundle.bytes;
	const size_t before = offsetof(struct stk_header, checksum);
	const size_t after = before + sizeof(header->checksum);
	uint32_t crc;

	crc = stk_crc32c(0, bytes, before);
	crc = stk_crc32c(crc, bytes + after, check->bundle.length - after);
	if (crc != header->checksum)
		return stk_refuse(check, STK_BUNDLE_DAMAGED, &header->checksum);
	return STK_BUNDLE_OK;
}

/* Every string ends inside the section; offset 0 is the empty string. */
static int check_strings(struct stk_check *check)
{
	const char *strings = check->bundle.strings;
	uint32_t last = check->bundle.strings_count - 1;

	if (strings[0] != '\0')
		return stk_refuse(check, STK_BUNDLE_STRINGS, strings);
	if (strings[last] != '\0')
		return stk_refuse(check, STK_BUNDLE_STRINGS, strings + last);
	return STK_BUNDLE_OK;
}

/* Items fill the section: length, zero, bytes, zero bytes up to 8. */
static int check_data(struct stk_check *check)
{
	const unsigned char *data = check->bundle.data;
	size_t count = check->bundle.data_count, at = 0;

	while (at < count) {
		uint32_t start[2];
		size_t end;

		if (count - at < sizeof(start))
			return stk_refuse(check, STK_BUNDLE_DATA, data + at);
		memcpy(start, data + at, sizeof(start));
		at += sizeof(start);
		if (start[0] == 0 || start[1] != 0 || start[0] > count - at)
			return stk_refuse(check, STK_BUNDLE_DATA,
					  data + at - sizeof(start));
		end = at + start[0];
		at = (end + STK_ALIGNMENT - 1) / STK_ALIGNMENT * STK_ALIGNMENT;
		if (at > count)
			return stk_refuse(check, STK_BUNDLE_DATA, data + end);
		for (; end < at; end++)
			if (data[end] != 0)
				return stk_refuse(check, STK_BUNDLE_RESERVED,
						  data + end);
	}
	return STK_BUNDLE_OK;
}

static int check_all(struct stk_check *check, uint32_t target)
{
	int error = check_header(check, target);

	if (error == STK_BUNDLE_OK)
		error = check_checksum(check);
	if (error == STK_BUNDLE_OK)
		error = stk_read_sections(check);
	if (error != STK_BUNDLE_OK)
		return error;
	error = check_strings(check);
	if (error == STK_BUNDLE_OK)
		error = check_data(check);
	if (error == STK_BUNDLE_OK)
		error = stk_check_fields(check);
	if (error == STK_BUNDLE_OK)
		error = stk_check_relations(check);
	return error;
}

int stk_bundle_parse(const void *bytes, size_t length, uint32_t target,
		     struct stk_bundle *ret_bundle, size_t *ret_offset)
{
	struct stk_check check = {
		.bundle = {.bytes = bytes, .length = length, .header = bytes},
	};
	int error = STK_BUNDLE_OK;

	if ((uintptr_t)bytes % STK_ALIGNMENT != 0)
		error = STK_BUNDLE_UNALIGNED;
	else if (length < sizeof(struct stk_header))
		error = STK_BUNDLE_TOO_SHORT;
	else if (length > STK_MAX_BUNDLE_BYTES)
		error = STK_BUNDLE_TOO_LONG;
	else
		error = check_all(&check, target);
	if (error == STK_BUNDLE_OK)
		*ret_bundle = check.bundle;
	else
		*ret_offset = check.offset;
	return error;
}

const char *stk_string(const struct stk_bundle *bundle, uint32_t offset)
{
	return bundle->strings + offset;
}
