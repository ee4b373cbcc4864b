/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints what was tried on a host; see check.h. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "check_json.h"
#include "check_line.h"
#include "message.h"

_Noreturn void check_refuse(const struct check *check)
{
	for (uint32_t i = 0; i < check_count(check); i++) {
		const struct check_line line = check_line(check, i);

		if (!line.enforced)
			die("this host cannot enforce %s: %s", line.title,
			    line.text);
	}
	die("no variant of the artifact is for this host; compile it again");
}

static void print_table(const struct check *check,
			const struct stk_options *options)
{
	const struct stk_bundle *bundle = check->bundle;

	message_print(STDOUT_FILENO, "backend: linux");
	for (uint32_t i = 0; i < check_count(check); i++) {
		const struct check_line line = check_line(check, i);

		message_print(STDOUT_FILENO, "%-13s%s: %s", line.state,
			      line.title, line.text);
	}
	if (check->trial.kind == MESSAGE_CONFLICT)
		message_print(STDOUT_FILENO, "CONFLICT     %s",
			      check->trial.reason);
	if (options->note)
		message_print(STDOUT_FILENO, "%s", options->note);
	for (uint32_t i = 0; i < bundle->warnings_count; i++)
		message_print(STDERR_FILENO, "warning: [%s] %s",
			      stk_string(bundle, bundle->warnings[i].id),
			      stk_string(bundle, bundle->warnings[i].text));
	for (uint32_t i = 0; i < options->warnings_count; i++)
		message_print(STDERR_FILENO, "warning: [%s] %s",
			      options->warnings[i].id,
			      options->warnings[i].text);
}

int check_print(const struct check *check, const struct stk_options *options)
{
	const char kind = check->trial.kind;
	bool enforceable = true;

	/* Neither says anything about what this host can do. */
	if (kind == MESSAGE_REFUSED ||
	    (options->json &&
	     (kind == MESSAGE_CONFLICT || kind == MESSAGE_UNDECIDED)))
		die("%s", check->trial.reason);
	for (uint32_t i = 0; i < check_count(check); i++)
		enforceable &= check_line(check, i).enforced;
	if (enforceable && !check->variant)
		check_refuse(check);
	if (options->json)
		check_print_json(check, options, enforceable);
	else
		print_table(check, options);
	if (kind == MESSAGE_CONFLICT || kind == MESSAGE_UNDECIDED)
		return STK_STATUS_REFUSED;
	return enforceable ? EXIT_SUCCESS : EXIT_FAILURE;
}
