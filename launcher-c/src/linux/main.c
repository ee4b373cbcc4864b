/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns this process into a confined program.  Every step that fails refuses:
 * the program starts confined and proved, or not at all.
 */
#include <stdbool.h>
#include <unistd.h>

#include "artifact.h"
#include "check.h"
#include "confine.h"
#include "core/choose.h"
#include "descriptors.h"
#include "environment.h"
#include "folder.h"
#include "guard.h"
#include "inside.h"
#include "message.h"
#include "overlap.h"
#include "probe.h"
#include "program.h"
#include "status.h"
#include "streams.h"
#include "trial.h"
#include "trusted.h"

static struct stk_options options;
static struct stk_bundle bundle;
static struct stk_grants grants;
/* The program's working folder, or -1 for ours. */
static int folder = -1;

/* Everything a policy can say about this host's paths, in one place. */
static void judge_paths(void)
{
	descriptors_raise_limit(bundle.grants_count);
	grants_pin(&grants, &bundle);
	if (*options.program)
		program_pin(&grants, *options.program);
	program_pin_commands(&grants);
	overlap_judge_grants(&grants);
	overlap_judge_protected(&options);
	if (options.folder)
		folder = folder_open(options.folder);
	trusted_judge(&bundle);
	mounts_require_unchanged();
	guard_end();
}

/* The second half: what is judged becomes confinement, and that is proved. */
static void confine(const struct stk_host *host,
		    const struct stk_variant *variant)
{
	/*
	 * The ruleset and the controls, which must see what an unconfined
	 * process sees.  From here on nothing is built.
	 */
	const bool checked =
		!(bundle.settings->concessions & STK_CONCESSION_SELF_CHECK_OFF);
	const struct stk_rights handled = host_handled(host, variant);
	int ruleset = confine_make_ruleset(&grants, &handled);
	uint64_t descriptors = descriptors_restore_limit();
	if (checked) {
		probe_controls(&grants, variant, host, handled.fs,
			       options.check);
		inside_controls(&grants, descriptors);
	}
	confine_relocate(&bundle, variant, probe_draw_witness());
	descriptors_end_at_exec();
	if (folder >= 0)
		folder_enter(folder, options.folder);
	status_pid();

	/*
	 * Confinement: Landlock first, since the filter forbids its calls. From
	 * here on only probes, execve, write and exit_group are called.
	 */
	confine_restrict(ruleset, host->restrict_flags);
	message_begin_confined();
	confine_attach(&bundle, variant);
	if (checked) {
		probe_verify();
		inside_verify(&grants);
	}
}

/* A trial_start: all but the standard streams, which are those of the check. */
static void try_start(const struct stk_host *host,
		      const struct stk_variant *variant)
{
	judge_paths();
	if (variant)
		confine(host, variant);
}

int main(int argc, char **argv)
{
	(void)argc;
	/*
	 * Arguments, then descriptors: 0, 1 and 2 exist and nothing else does.
	 * From here on no file of ours can land where the program, or the
	 * reader of our messages, would take it for a standard stream.
	 */
	options_parse(argv, &options);
	host_notice_filter();
	descriptors_fill_standard();
	status_take(&options);
	descriptors_close_others(options.artifact_fd, options.status_fd);

	/*
	 * Identity: no root, no capability.  From here on what the kernel says
	 * about this host is said about the user that the program will be.
	 */
	host_refuse_privileges();

	/*
	 * The artifact, in the one mapping of this process.  From here on no
	 * memory is asked for, and nothing is read from the file again.
	 */
	artifact_load(&options, &bundle);

	/*
	 * The host's features choose the variant.  From here on nothing is
	 * weakened: what the variant holds is held, or the start is refused.
	 */
	const struct stk_host host = host_probe();
	static struct check check;
	check.bundle = &bundle;
	check.host = &host;
	check.level = &bundle.levels[0];
	check.variant = choose_variant(&bundle, check.level, host.features);
	if (options.check) {
		/* A child has no copy of the thread, and would wait for it. */
		guard_end();
		trial_run(try_start, &host, check.variant, &check.trial);
		return check_print(&check, &options);
	}
	if (!check.variant)
		check_refuse(&check);
	if (bundle.levels_count > 1)
		status_level(stk_string(&bundle, check.level->name));

	/*
	 * Paths become held objects, and their places are judged.  From here on
	 * names mean nothing: rules are made from what is held.
	 */
	judge_paths();
	streams_judge(bundle.settings->stream_kinds);
	char **environment = environment_build(&bundle);
	confine(&host, check.variant);
	(void)execve(*options.program, options.program, environment);
	die_errno("cannot start `%s`", *options.program);
}
