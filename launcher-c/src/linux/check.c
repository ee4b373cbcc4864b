/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints what the artifact says about a host; see check.h. */
#include "check.h"

#include <stdio.h>
#include <unistd.h>

#include "core/choose.h"
#include "core/message.h"

static const struct stk_requirement *
requirements(const struct stk_bundle *bundle, const struct stk_variant *variant)
{
	if (variant->first_requirement > bundle->requirements_count ||
	    variant->requirement_count >
		    bundle->requirements_count - variant->first_requirement)
		die("the variant's requirements lie outside the artifact");
	return &bundle->requirements[variant->first_requirement];
}

/* The reason and the remedy for what @requirement lacks. */
static const char *shortfall(const struct stk_bundle *bundle,
			     const struct stk_requirement *requirement,
			     uint64_t host)
{
	static char text[2 * STK_MAX_TEXT_BYTES + 8];
	const struct stk_feature *missing =
		choose_missing(bundle, requirement->needs, host);

	if (!missing)
		return "this host lacks it; compile for another one";
	(void)snprintf(text, sizeof(text), "%s; %s",
		       stk_string(bundle, missing->reason),
		       stk_string(bundle, missing->remedy));
	return text;
}

static const struct stk_variant *last(const struct stk_bundle *bundle,
				      const struct stk_level *level)
{
	if (level->variant_count == 0)
		die("the artifact has no variant");
	return &bundle->variants[level->first_variant + level->variant_count -
				 1];
}

static void print_enforced(const struct stk_bundle *bundle,
			   const struct stk_requirement *requirement,
			   uint64_t rights)
{
	const char *title = stk_string(bundle, requirement->title);
	const char *mechanism = stk_string(bundle, requirement->mechanism);

	if (requirement->flags & STK_REQUIREMENT_SHOW_RIGHTS)
		message_print(STDOUT_FILENO,
			      "enforced     %s: %s; landlock rights 0x%llx",
			      title, mechanism, (unsigned long long)rights);
	else
		message_print(STDOUT_FILENO, "enforced     %s: %s", title,
			      mechanism);
}

void check_print(const struct stk_bundle *bundle, const struct stk_host *host,
		 const struct stk_level *level,
		 const struct stk_variant *variant)
{
	const struct stk_variant *shown =
		variant ? variant : last(bundle, level);
	const struct stk_requirement *table = requirements(bundle, shown);
	uint64_t rights =
		shown->fs_required | (shown->fs_optional & host->supported.fs);

	uint32_t lacking = 0;

	message_begin_check();
	message_print(STDOUT_FILENO, "backend: linux");
	for (uint32_t i = 0; i < shown->requirement_count; i++)
		if (table[i].needs & ~host->features) {
			lacking++;
			message_print(
				STDOUT_FILENO, "UNAVAILABLE  %s: %s",
				stk_string(bundle, table[i].title),
				shortfall(bundle, &table[i], host->features));
		} else {
			print_enforced(bundle, &table[i], rights);
		}
	if (!variant && lacking == 0)
		check_refuse(bundle, host, level);
	for (uint32_t i = 0; i < bundle->warnings_count; i++)
		message_print(STDERR_FILENO, "warning: [%s] %s",
			      stk_string(bundle, bundle->warnings[i].id),
			      stk_string(bundle, bundle->warnings[i].text));
}

void check_refuse(const struct stk_bundle *bundle, const struct stk_host *host,
		  const struct stk_level *level)
{
	const struct stk_variant *variant = last(bundle, level);
	const struct stk_requirement *table = requirements(bundle, variant);

	for (uint32_t i = 0; i < variant->requirement_count; i++)
		if (table[i].needs & ~host->features)
			die("this host cannot enforce %s: %s",
			    stk_string(bundle, table[i].title),
			    shortfall(bundle, &table[i], host->features));
	die("no variant of the artifact is for this host; compile it again");
}
