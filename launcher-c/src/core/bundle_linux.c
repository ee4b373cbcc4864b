/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Checks what fields of Linux bundles must be to each other: filters, features,
 * variants and folders here, calls and probes in bundle_probes.c.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

/* The relocation that an instruction waits for, or 0. */
static uint32_t placeholder(const struct stk_insn *insn)
{
	if (insn->code == STK_PLACEHOLDER_OWN_PID_CODE &&
	    insn->k == STK_PLACEHOLDER_OWN_PID_K)
		return STK_RELOCATION_OWN_PID;
	if (insn->code == STK_PLACEHOLDER_WITNESS_CODE &&
	    insn->k == STK_PLACEHOLDER_WITNESS_K)
		return STK_RELOCATION_WITNESS;
	return 0;
}

/*
 * Relocations and placeholders of a filter are the same instructions, in the
 * same order, and exactly one is the witness: a constant that nobody fills in
 * and a filter that cannot be proved are both refused here.
 */
static int check_filter(struct stk_check *check,
			const struct stk_filter *filter)
{
	const struct stk_bundle *bundle = &check->bundle;
	const struct stk_insn *insns = bundle->insns + filter->first_insn;
	const struct stk_relocation *next =
		bundle->relocations + filter->first_relocation;
	const struct stk_relocation *end = next + filter->relocation_count;
	uint32_t witnesses = 0;

	for (uint32_t i = 0; i < filter->insn_count; i++) {
		uint32_t kind = placeholder(&insns[i]);
		bool named = next < end && next->insn == i;

		if (!named && kind != 0)
			return stk_refuse(check, STK_BUNDLE_RELOCATION,
					  &insns[i]);
		if (!named)
			continue;
		if (next->kind != kind)
			return stk_refuse(check, STK_BUNDLE_RELOCATION, next);
		witnesses += kind == STK_RELOCATION_WITNESS;
		next++;
	}
	if (next != end)
		return stk_refuse(check, STK_BUNDLE_RELOCATION, next);
	if (witnesses != 1)
		return stk_refuse(check, STK_BUNDLE_WITNESS, filter);
	return STK_BUNDLE_OK;
}

static int check_filters(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->filters_count; i++) {
		int error = check_filter(check, &bundle->filters[i]);

		if (error != STK_BUNDLE_OK)
			return error;
	}
	return STK_BUNDLE_OK;
}

/* Whatever a requirement needs has a text for a host that lacks it. */
static int check_features(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;
	uint64_t explained = 0;

	for (uint32_t i = 0; i < bundle->features_count; i++) {
		const struct stk_feature *feature = &bundle->features[i];
		uint64_t bit = feature->feature;

		if (bit == 0 || (bit & (bit - 1)) != 0)
			return stk_refuse(check, STK_BUNDLE_FEATURE,
					  &feature->feature);
		if (feature->when == 0)
			explained |= bit;
	}
	for (uint32_t i = 0; i < bundle->requirements_count; i++) {
		const uint64_t *needs = &bundle->requirements[i].needs;

		if ((*needs & ~explained) != 0)
			return stk_refuse(
				check, STK_BUNDLE_FEATURE_WITHOUT_TEXT, needs);
	}
	return STK_BUNDLE_OK;
}

/* Strings are stored once, so equal names are equal offsets. */
static bool has_requirement(const struct stk_bundle *bundle,
			    const struct stk_variant *variant, uint32_t name)
{
	const struct stk_requirement *requirements =
		bundle->requirements + variant->first_requirement;

	for (uint32_t i = 0; i < variant->requirement_count; i++)
		if (requirements[i].name == name)
			return true;
	return false;
}

/* A probe proves a requirement of the variant that it is made for. */
static int check_variants(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->variants_count; i++) {
		const struct stk_variant *variant = &bundle->variants[i];
		const struct stk_probe_ref *refs =
			bundle->probe_refs + variant->first_probe_ref;

		if ((variant->must & variant->must_not) != 0)
			return stk_refuse(check, STK_BUNDLE_CONTRADICTION,
					  &variant->must_not);
		for (uint32_t n = 0; n < variant->probe_ref_count; n++) {
			const struct stk_probe *probe =
				&bundle->probes[refs[n].probe];

			if (!has_requirement(bundle, variant,
					     probe->requirement))
				return stk_refuse(check, STK_BUNDLE_PROBE,
						  &refs[n]);
		}
	}
	return STK_BUNDLE_OK;
}

static int check_folders(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->canary_folders_count; i++) {
		const struct stk_canary_folder *row =
			&bundle->canary_folders[i];
		const char *path = stk_string(bundle, row->path);
		int error = row->kind == STK_FOLDER_USER
				    ? stk_check_prefix(path)
				    : stk_check_absolute(path);

		if (error != STK_BUNDLE_OK)
			return stk_refuse(check, error, &row->path);
	}
	return STK_BUNDLE_OK;
}

int stk_check_linux(struct stk_check *check)
{
	static int (*const steps[])(struct stk_check *) = {
		check_filters,   check_features,   check_variants,
		stk_check_calls, stk_check_probes, check_folders,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int error = steps[i](check);

		if (error != STK_BUNDLE_OK)
			return error;
	}
	return STK_BUNDLE_OK;
}
