/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Judges requirements; see check_line.h. */
#include "check_line.h"

#include <stdio.h>
#include <string.h>

#include "core/choose.h"
#include "message.h"
#include "probe.h"

static const struct stk_variant *shown(const struct check *check)
{
	const struct stk_level *level = check->level;

	if (level->variant_count == 0)
		die("the artifact has no variant");
	return check->variant
		       ? check->variant
		       : &check->bundle->variants[level->first_variant +
						  level->variant_count - 1];
}

uint32_t check_count(const struct check *check)
{
	const struct stk_bundle *bundle = check->bundle;
	const struct stk_variant *variant = shown(check);

	if (variant->first_requirement > bundle->requirements_count ||
	    variant->requirement_count >
		    bundle->requirements_count - variant->first_requirement)
		die("the variant's requirements lie outside the artifact");
	return variant->requirement_count;
}

/* The reason and the remedy for what @requirement lacks. */
static const char *shortfall(const struct check *check,
			     const struct stk_requirement *requirement)
{
	static char text[2 * STK_MAX_TEXT_BYTES + 8];
	const struct stk_feature *missing = choose_missing(
		check->bundle, requirement->needs, check->host->features);

	if (!missing)
		return "this host lacks it; compile for another one";
	(void)snprintf(text, sizeof(text), "%s; %s",
		       stk_string(check->bundle, missing->reason),
		       stk_string(check->bundle, missing->remedy));
	return text;
}

/* The probe @index of the variant, if it is about @requirement. */
static const struct stk_probe *
probe_of(const struct check *check, const struct stk_requirement *requirement,
	 uint32_t index)
{
	const struct stk_bundle *bundle = check->bundle;
	uint32_t reference = shown(check)->first_probe_ref + index;

	if (reference >= bundle->probe_refs_count ||
	    bundle->probe_refs[reference].probe >= bundle->probes_count)
		die("probe %u lies outside the artifact", index);
	const struct stk_probe *probe =
		&bundle->probes[bundle->probe_refs[reference].probe];

	return strcmp(stk_string(bundle, probe->requirement),
		      stk_string(bundle, requirement->name)) == 0
		       ? probe
		       : NULL;
}

/* Whether the trial's refusal is about @requirement. */
static bool is_blamed(const struct check *check,
		      const struct stk_requirement *requirement)
{
	const struct trial *trial = &check->trial;

	if (trial->kind == MESSAGE_UNDECIDED)
		return true;
	if (trial->kind != MESSAGE_UNAVAILABLE)
		return false;
	if (trial->probe == MESSAGE_ALL)
		return requirement->needs != 0;
	return probe_of(check, requirement, (uint32_t)trial->probe) != NULL;
}

/* All of its probes must say it; names those that do not in @ret_text. */
static enum check_proof proof(const struct check *check,
			      const struct stk_requirement *requirement,
			      char *ret_text, size_t size)
{
	const uint32_t probes = shown(check)->probe_ref_count;
	enum check_proof whole = CHECK_UNPROVED;
	bool untried = false;

	for (uint32_t i = 0; i < probes; i++) {
		const struct stk_probe *probe = probe_of(check, requirement, i);
		const unsigned char state = check->trial.states[i];

		if (!probe)
			continue;
		if (state == PROBE_UNTRIED)
			untried = true;
		else if (whole != CHECK_OUTSIDE)
			whole = state == PROBE_PROVED ? CHECK_PROVED
						      : CHECK_OUTSIDE;
		if (state == PROBE_PROVED)
			continue;
		size_t used = strlen(ret_text);
		(void)snprintf(ret_text + used, size - used, "%s%s",
			       used ? ", " : "; not provable here: ",
			       stk_string(check->bundle, probe->name));
	}
	return untried ? CHECK_UNPROVED : whole;
}

static const char *mechanism(const struct check *check,
			     const struct stk_requirement *requirement,
			     const char *unproved)
{
	static char text[4 * STK_MAX_TEXT_BYTES];
	const struct stk_variant *variant = shown(check);
	const uint64_t rights =
		variant->fs_required |
		(variant->fs_optional & check->host->supported.fs);
	char shown_rights[64] = "";

	if (requirement->flags & STK_REQUIREMENT_SHOW_RIGHTS)
		(void)snprintf(shown_rights, sizeof(shown_rights),
			       "; landlock rights 0x%llx",
			       (unsigned long long)rights);
	(void)snprintf(text, sizeof(text), "%s%s%s",
		       stk_string(check->bundle, requirement->mechanism),
		       shown_rights, unproved);
	return text;
}

struct check_line check_line(const struct check *check, uint32_t index)
{
	static char unproved[2 * STK_MAX_TEXT_BYTES];
	const struct stk_requirement *requirement =
		&check->bundle->requirements[shown(check)->first_requirement +
					     index];
	struct check_line line = {
		.name = stk_string(check->bundle, requirement->name),
		.title = stk_string(check->bundle, requirement->title),
	};

	*unproved = '\0';
	if (requirement->needs & ~check->host->features) {
		line.state = "UNAVAILABLE";
		line.text = shortfall(check, requirement);
	} else if (is_blamed(check, requirement)) {
		line.state = check->trial.kind == MESSAGE_UNDECIDED
				     ? "UNDECIDED"
				     : "UNAVAILABLE";
		line.text = check->trial.reason;
	} else {
		line.state = "enforced";
		line.enforced = true;
		if (check->trial.kind == TRIAL_PASSED && check->variant)
			line.proof = proof(check, requirement, unproved,
					   sizeof(unproved));
		line.text = mechanism(check, requirement, unproved);
	}
	return line;
}
