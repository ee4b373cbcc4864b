/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Shows what an artifact for macOS asks for.  Nothing is enforced here yet, so
 * nothing is started: the profile is never handed to the system.
 */
#include "plan/artifact.h"
#include "plan/message.h"
#include "plan/options.h"
#include "plan/plan.h"

int main(int argc, char **argv)
{
	static struct stk_options options;
	static struct stk_bundle bundle;

	(void)argc;
	/*
	 * Arguments.  From here on nothing decides but the options: no variable
	 * of the environment is ever read.
	 */
	options_parse(argv, &options);

	/*
	 * The artifact, whole, in a buffer of ours.  From here on no file is
	 * opened: what is said is said of the bytes that were checked.
	 */
	artifact_load(options.artifact, &bundle);

	/*
	 * A start ends here, before it has touched anything.  From here on
	 * there is only a check, and nothing can become a program.
	 */
	if (!options.check)
		die("`%s` is not started: not enforced on this build, which "
		    "only shows plans (`--check`)",
		    options.program);
	return plan_print(&bundle, "not enforced on this build", options.json);
}
