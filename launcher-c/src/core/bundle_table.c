/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Reads the section table: which sections are there, in which order, and that
 * each lies where it must and holds as many records as it may.
 *
 * INVARIANT: nothing is read before its place is known to lie in the file.
 */
#include <stdbool.h>

#include "bundle_check.h"

/* What the section table must say of one section. */
struct expectation {
	uint32_t size;
	uint32_t low;
	uint32_t high;
	uint32_t systems; /* bits of those that have it */
};

#define EXPECT(upper, name, type, low, high, systems)                          \
	[STK_SECTION_##upper] = {sizeof(type), low, high, systems},

static const struct expectation expectations[STK_SECTION_LAST + 1] = {
	STK_SECTIONS(EXPECT)};

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

	if (start % STK_ALIGNMENT != 0 || start < end ||
	    start > check->bundle.length)
		return stk_refuse(check, STK_BUNDLE_SECTION_PLACE,
				  &entry->offset);
	if (open_end)
		return STK_BUNDLE_OK;
	if (start - end >= STK_ALIGNMENT)
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
	    (uint64_t)entry->count * expect->size > room)
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

/* The kind of the section that follows; more than all where none does. */
static uint32_t next_kind(const struct stk_check *check, uint32_t previous)
{
	uint32_t kind = previous + 1;

	while (kind <= STK_SECTION_LAST &&
	       (expectations[kind].systems & check->system) == 0)
		kind++;
	return kind;
}

/*
 * Kinds rise, every one of the target's system is there and none of another,
 * so known ones come first.
 */
static int check_kind(struct stk_check *check,
		      const struct stk_section_entry *entry, uint32_t previous)
{
	uint32_t next = previous < STK_SECTION_LAST ? next_kind(check, previous)
						    : STK_SECTION_LAST + 1;

	if (entry->kind <= previous)
		return stk_refuse(check, STK_BUNDLE_SECTION_ORDER,
				  &entry->kind);
	if (entry->kind < next)
		return stk_refuse(check, STK_BUNDLE_SECTION_FOREIGN,
				  &entry->kind);
	if (next <= STK_SECTION_LAST && entry->kind != next)
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

#define FILL(upper, name_, type, low, high, systems)                           \
	bundle->name_ = (const void *)tables[STK_SECTION_##upper].records;     \
	bundle->name_##_count = tables[STK_SECTION_##upper].count;

static void fill_bundle(struct stk_check *check)
{
	const struct stk_table *tables = check->tables;
	struct stk_bundle *bundle = &check->bundle;

	STK_SECTIONS(FILL)
}

int stk_read_sections(struct stk_check *check)
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
	if (previous < STK_SECTION_LAST &&
	    next_kind(check, previous) <= STK_SECTION_LAST)
		return stk_refuse(check, STK_BUNDLE_SECTION_MISSING,
				  &header->section_count);
	if (!open_end && end != check->bundle.length)
		return stk_refuse(check, STK_BUNDLE_TRAILING_BYTES,
				  check->bundle.bytes + end);
	fill_bundle(check);
	return STK_BUNDLE_OK;
}
