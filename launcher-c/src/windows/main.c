/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Shows what an artifact for Windows asks for.  Nothing is enforced here yet,
 * so nothing is started: no container, access list or job is ever made.
 */
#include <wchar.h>

#include "plan/artifact.h"
#include "plan/message.h"
#include "plan/options.h"
#include "plan/plan.h"
#include "sid.h"
#include "utf8.h"
#include "wine.h"

/* NOLINTNEXTLINE(misc-use-internal-linkage): the C library calls it. */
int wmain(int argc, wchar_t **argv)
{
	static struct stk_options options;
	static struct stk_bundle bundle;

	/*
	 * Arguments, as UTF-8.  From here on nothing decides but the options:
	 * no variable of the environment is ever read.
	 */
	options_parse(utf8_arguments(argc, argv), &options);

	/*
	 * The artifact, whole, in a buffer of ours.  From here on no file is
	 * opened: what is said is said of the bytes that were checked.
	 */
	artifact_load(options.artifact, &bundle);

	/*
	 * Its SIDs against its names.  From here on a name and its SID are the
	 * same thing, and either may be shown.
	 */
	sid_judge(&bundle);

	/*
	 * A start ends here, before it has touched anything.  From here on
	 * there is only a check, and nothing can start a program.
	 */
	const bool wine = wine_is_here();
	if (!options.check)
		die("`%s` is not started: not enforced on this build, which "
		    "only shows plans (`--check`)%s",
		    options.program,
		    wine ? "; not enforced: this is Wine" : "");
	return plan_print(&bundle,
			  wine ? "not enforced on this build; not enforced: "
				 "this is Wine"
			       : "not enforced on this build",
			  options.json);
}
