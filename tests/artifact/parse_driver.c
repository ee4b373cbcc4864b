/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Runs the parser over hostile bundles and, where it accepts one, touches all
 * that the launcher may touch without a further check: every byte of every
 * record, every string, every slice and index.
 *
 * parse-driver FILE...   one bundle per file
 * parse-driver           frames on standard input: length (u32), bytes
 *
 * One line per bundle: the parser's answer.  Each bundle lies in memory of its
 * exact size, so that a sanitizer sees a read past either end.  With
 * -DSTK_LIBFUZZER the main program is the fuzzer's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "crc32c.h"

/* Sums what was touched, so that no read is left out as useless. */
static unsigned long touched;

static void touch(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < length; i++)
		touched += at[i];
}

static void touch_string(const struct stk_bundle *bundle, uint32_t offset)
{
	touched += strlen(stk_string(bundle, offset));
}

#define TOUCH(upper, name, type, low, high, systems)                           \
	touch(bundle->name, bundle->name##_count * sizeof(type));

static void touch_records(const struct stk_bundle *bundle)
{
	STK_SECTIONS(TOUCH)
}

static void touch_filter(const struct stk_bundle *bundle, uint32_t index)
{
	const struct stk_filter *filter = &bundle->filters[index];
	const struct stk_insn *insns = bundle->insns + filter->first_insn;

	touch(insns, filter->insn_count * sizeof(*insns));
	for (uint32_t i = 0; i < filter->relocation_count; i++) {
		uint32_t at = filter->first_relocation + i;

		touched += insns[bundle->relocations[at].insn].k;
	}
}

static void touch_call(const struct stk_bundle *bundle, uint32_t index)
{
	const struct stk_call *call = &bundle->calls[index];

	for (int i = 0; i < 6; i++)
		if (call->operands[i] == STK_OPERAND_DATA)
			touched += bundle->data[call->values[i]];
}

static void touch_probe(const struct stk_bundle *bundle, uint32_t index)
{
	const struct stk_probe *probe = &bundle->probes[index];

	touch_string(bundle, probe->name);
	touch_string(bundle, probe->requirement);
	touch_string(bundle, probe->mechanism);
	touch_call(bundle, probe->call);
	if (probe->setup != STK_NONE)
		touch_call(bundle, probe->setup);
}

static void touch_variant(const struct stk_bundle *bundle, uint32_t index)
{
	const struct stk_variant *variant = &bundle->variants[index];

	touch_string(bundle, variant->name);
	touch_filter(bundle, variant->filter);
	touch(&bundle->requirements[variant->first_requirement],
	      variant->requirement_count * sizeof(struct stk_requirement));
	for (uint32_t i = 0; i < variant->probe_ref_count; i++) {
		uint32_t at = variant->first_probe_ref + i;

		touch_probe(bundle, bundle->probe_refs[at].probe);
	}
}

static void touch_levels(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->levels_count; i++) {
		const struct stk_level *level = &bundle->levels[i];

		touch_string(bundle, level->name);
		for (uint32_t n = 0; n < level->variant_count; n++)
			touch_variant(bundle, level->first_variant + n);
	}
}

static void touch_texts(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->settings_count; i++) {
		touch_string(bundle, bundle->settings[i].policy_name);
		touch_string(bundle,
			     bundle->classes[bundle->settings[i].program_class]
				     .name);
	}
	for (uint32_t i = 0; i < bundle->features_count; i++) {
		touch_string(bundle, bundle->features[i].name);
		touch_string(bundle, bundle->features[i].reason);
		touch_string(bundle, bundle->features[i].remedy);
	}
	for (uint32_t i = 0; i < bundle->grants_count; i++) {
		touch_string(bundle, bundle->grants[i].path);
		touch_string(bundle,
			     bundle->classes[bundle->grants[i].class].name);
	}
	for (uint32_t i = 0; i < bundle->environment_count; i++) {
		touch_string(bundle, bundle->environment[i].name);
		touch_string(bundle, bundle->environment[i].entry);
	}
	for (uint32_t i = 0; i < bundle->canary_folders_count; i++)
		touch_string(bundle, bundle->canary_folders[i].path);
	for (uint32_t i = 0; i < bundle->trusted_count; i++)
		touch_string(bundle, bundle->trusted[i].path);
	for (uint32_t i = 0; i < bundle->warnings_count; i++) {
		touch_string(bundle, bundle->warnings[i].id);
		touch_string(bundle, bundle->warnings[i].text);
	}
}

static void touch_macos(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->macos_settings_count; i++) {
		touch_string(bundle, bundle->macos_settings[i].policy_name);
		touch_string(bundle, bundle->macos_settings[i].profile);
	}
	for (uint32_t i = 0; i < bundle->parameters_count; i++) {
		touch_string(bundle, bundle->parameters[i].name);
		touch_string(bundle, bundle->parameters[i].value);
	}
}

static void touch_windows(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->windows_settings_count; i++) {
		touch_string(bundle, bundle->windows_settings[i].policy_name);
		touch_string(bundle,
			     bundle->windows_settings[i].container_name);
		touch_string(bundle, bundle->windows_settings[i].container_sid);
	}
	for (uint32_t i = 0; i < bundle->capabilities_count; i++)
		touch_string(bundle, bundle->capabilities[i].name);
	for (uint32_t i = 0; i < bundle->path_entries_count; i++) {
		const struct stk_path_entry *row = &bundle->path_entries[i];

		touch_string(bundle, row->path);
		touch_string(bundle, row->access);
		touch_string(bundle, bundle->capabilities[row->capability].sid);
		touch(&bundle->access_entries[row->first_entry],
		      row->entry_count * sizeof(struct stk_access_entry));
	}
	for (uint32_t i = 0; i < bundle->access_entries_count; i++)
		touch_string(bundle, bundle->access_entries[i].entry);
	for (uint32_t i = 0; i < bundle->container_entries_count; i++)
		touch_string(bundle, bundle->container_entries[i].entry);
	for (uint32_t i = 0; i < bundle->open_folders_count; i++)
		touch_string(bundle, bundle->open_folders[i].path);
	for (uint32_t i = 0; i < bundle->removals_count; i++) {
		touch_string(bundle, bundle->removals[i].subject);
		touch_string(bundle, bundle->removals[i].sid);
	}
	for (uint32_t i = 0; i < bundle->preflight_count; i++) {
		touch_string(bundle, bundle->preflight[i].name);
		touch_string(bundle, bundle->preflight[i].text);
	}
}

static void touch_keys(const struct stk_bundle *bundle)
{
	for (uint32_t i = 0; i < bundle->keys_count; i++) {
		touch_string(bundle, bundle->keys[i].name);
		touch_string(bundle, bundle->keys[i].value);
	}
	for (uint32_t i = 0; i < bundle->requirements_count; i++) {
		touch_string(bundle, bundle->requirements[i].name);
		touch_string(bundle, bundle->requirements[i].title);
		touch_string(bundle, bundle->requirements[i].mechanism);
	}
}

static int parse(const unsigned char *bytes, size_t length)
{
	struct stk_bundle bundle;
	size_t offset = length;
	unsigned char *copy = malloc(length == 0 ? 1 : length);
	int error;

	if (copy == NULL)
		abort();
	if (length != 0)
		memcpy(copy, bytes, length);
	error = stk_bundle_parse(copy, length, 0, &bundle, &offset);
	/* A refusal names a place in the file and has a text. */
	if (error != 0 &&
	    (offset > length || *stk_bundle_error_text(error) == 0))
		abort();
	if (error == 0) {
		touch_records(&bundle);
		touch_levels(&bundle);
		touch_texts(&bundle);
		touch_keys(&bundle);
		touch_macos(&bundle);
		touch_windows(&bundle);
	}
	free(copy);
	return error;
}

#ifdef STK_LIBFUZZER

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* Length and checksum are made right first: no chance guesses them. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	static unsigned char input[STK_MAX_BUNDLE_BYTES];
	const size_t at = offsetof(struct stk_header, checksum);
	const size_t after = at + sizeof(uint32_t);
	uint32_t total = (uint32_t)length, crc;

	if (length < sizeof(struct stk_header) || length > sizeof(input))
		return 0;
	memcpy(input, bytes, length);
	memcpy(input + offsetof(struct stk_header, total_bytes), &total,
	       sizeof(total));
	crc = stk_crc32c(0, input, at);
	crc = stk_crc32c(crc, input + after, length - after);
	memcpy(input + at, &crc, sizeof(crc));
	(void)parse(input, length);
	return 0;
}

#else

/* Longer than the parser takes, to see it refuse. */
static unsigned char input[STK_MAX_BUNDLE_BYTES + 4096];

static int parse_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t length;

	if (file == NULL) {
		perror(path);
		return 125;
	}
	length = fread(input, 1, sizeof(input), file);
	(void)fclose(file);
	printf("%d\n", parse(input, length));
	return 0;
}

static int parse_frames(void)
{
	uint32_t length;

	while (fread(&length, sizeof(length), 1, stdin) == 1) {
		if (length > sizeof(input) ||
		    fread(input, 1, length, stdin) != length) {
			(void)fputs("malformed frame\n", stderr);
			return 125;
		}
		printf("%d\n", parse(input, length));
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc == 1)
		status = parse_frames();
	for (int i = 1; i < argc && status == 0; i++)
		status = parse_file(argv[i]);
	(void)fprintf(stderr, "touched %lu\n", touched);
	return status;
}

#endif
