/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a file's bytes into sections: header, checksum, section table, and the
 * two sections of plain bytes.  Fields and their relations are checked in
 * bundle_fields.c and bundle_relations.c.
 *
 * INVARIANT: nothing is read before its place is known to lie in the file.
 */
#include <string.h>

#include "bundle_check.h"
#include "crc32c.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order");

#define ALIGNMENT 8u

/* What the section table must say of one section. */
struct expectation {
	uint32_t size;
	uint32_t low;
	uint32_t high;
};

#define EXPECT(upper, name, type, low, high)                                   \
	[STK_SECTION_##upper] = {sizeof(type), low, high},

static const struct expectation expectations[STK_SECTION_LAST + 1] = {
	STK_SECTIONS(EXPECT)};

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
	if (header->target != STK_TARGET_LINUX_X86_64 &&
	    header->target != STK_TARGET_LINUX_AARCH64)
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

/*
 * Checks that the section starts where it must: after what lies before it,
 * rounded up, with zero bytes between.  A skipped section's length is not
 * known; it reaches to the next section.
 */
static int check_start(struct stk_check *check,
		       const struct stk_section_entry *entry, size_t end,
		       bool open_end)
{
	const unsigned char *bytes = check->bundle.bytes;
	size_t start = entry->offset;

	if (start % ALIGNMENT != 0 || start < end ||
	    start > check->bundle.length)
		return stk_refuse(check, STK_BUNDLE_SECTION_PLACE,
				  &entry->offset);
	if (open_end)
		return STK_BUNDLE_OK;
	if (start - end >= ALIGNMENT)
		return stk_refuse(check, STK_BUNDLE_SECTION_PLACE,
				  &entry->offset);
	for (; end < start; end++)
		if (bytes[end] != 0)
			return stk_refuse(check, STK_BUNDLE_RESERVED,
					  bytes + end);
	return STK_BUNDLE_OK;
}

/* Takes a known section; moves @end behind its last record. */
static int take_section(struct stk_check *check,
			const struct stk_section_entry *entry, size_t *end)
{
	const struct expectation *expect = &expectations[entry->kind];
	size_t room = check->bundle.length - entry->offset;

	if (entry->count < expect->low || entry->count > expect->high ||
	    entry->count > room / expect->size)
		return stk_refuse(check, STK_BUNDLE_SECTION_COUNT,
				  &entry->count);
	check->tables[entry->kind] = (struct stk_table){
		.records = check->bundle.bytes + entry->offset,
		.count = entry->count,
		.size = expect->size,
	};
	*end = entry->offset + (size_t)entry->count * expect->size;
	return STK_BUNDLE_OK;
}

/* Kinds rise and every known one is there, so known ones come first. */
static int check_kind(struct stk_check *check,
		      const struct stk_section_entry *entry, uint32_t previous)
{
	if (entry->kind <= previous)
		return stk_refuse(check, STK_BUNDLE_SECTION_ORDER,
				  &entry->kind);
	if (previous < STK_SECTION_LAST && entry->kind != previous + 1)
		return stk_refuse(check, STK_BUNDLE_SECTION_MISSING,
				  &entry->kind);
	if ((entry->flags & ~STK_ENTRY_BITS) != 0)
		return stk_refuse(check, STK_BUNDLE_SECTION_FLAGS,
				  &entry->flags);
	if (entry->kind > STK_SECTION_LAST &&
	    (entry->flags & STK_ENTRY_MUST_UNDERSTAND) != 0)
		return stk_refuse(check, STK_BUNDLE_SECTION_UNKNOWN,
				  &entry->kind);
	return STK_BUNDLE_OK;
}

static int read_sections(struct stk_check *check)
{
	const struct stk_header *header = check->bundle.header;
	const void *after_header = check->bundle.bytes + sizeof(*header);
	const struct stk_section_entry *entries = after_header;
	size_t room = check->bundle.length - sizeof(*header);
	uint32_t count = header->section_count, previous = 0;
	size_t end;
	bool open_end = false;

	if (count > room / sizeof(*entries))
		return stk_refuse(check, STK_BUNDLE_SECTION_PLACE,
				  &header->section_count);
	end = sizeof(*header) + count * sizeof(*entries);
	for (uint32_t i = 0; i < count; i++) {
		const struct stk_section_entry *entry = &entries[i];
		int error = check_kind(check, entry, previous);

		if (error == STK_BUNDLE_OK)
			error = check_start(check, entry, end, open_end);
		if (error == STK_BUNDLE_OK && entry->kind <= STK_SECTION_LAST)
			error = take_section(check, entry, &end);
		if (error != STK_BUNDLE_OK)
			return error;
		open_end = entry->kind > STK_SECTION_LAST;
		if (open_end)
			end = entry->offset;
		previous = entry->kind;
	}
	if (previous < STK_SECTION_LAST)
		return stk_refuse(check, STK_BUNDLE_SECTION_MISSING,
				  &header->section_count);
	if (!open_end && end != check->bundle.length)
		return stk_refuse(check, STK_BUNDLE_TRAILING_BYTES,
				  check->bundle.bytes + end);
	return STK_BUNDLE_OK;
}

#define FILL(upper, name_, type, low, high)                                    \
	bundle->name_ = (const void *)tables[STK_SECTION_##upper].records;     \
	bundle->name_##_count = tables[STK_SECTION_##upper].count;

static void fill_bundle(struct stk_check *check)
{
	const struct stk_table *tables = check->tables;
	struct stk_bundle *bundle = &check->bundle;

	STK_SECTIONS(FILL)
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
		at = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
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
		error = read_sections(check);
	if (error != STK_BUNDLE_OK)
		return error;
	fill_bundle(check);
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

	if ((uintptr_t)bytes % ALIGNMENT != 0)
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
