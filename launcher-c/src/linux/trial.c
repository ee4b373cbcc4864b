/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs a start in a child; see trial.h. */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"
#include "core/error_name.h"
#include "probe.h"

/* A report's kind and probe; then the text, or the states. */
enum { HEAD_BYTES = 2 };

static _Noreturn void run_child(int report, trial_start *start,
				const struct stk_host *host,
				const struct stk_variant *variant)
{
	static char passed[HEAD_BYTES + sizeof(probe_states)] = {TRIAL_PASSED};
	const struct rlimit no_core = {0, 0};

	/* What a filter kills here is no crash to keep. */
	(void)setrlimit(RLIMIT_CORE, &no_core);
	message_report_to(report);
	start(host, variant);
	memcpy(passed + HEAD_BYTES, probe_states, sizeof(probe_states));
	_exit(write(report, passed, sizeof(passed)) == sizeof(passed) ? 0 : 1);
}

/* Reads to the end, which the end of the child is too. */
static size_t read_report(int fd, char *ret_text, size_t size)
{
	size_t used = 0;
	ssize_t part;

	while ((part = read(fd, ret_text + used, size - used)) != 0) {
		if (part < 0 && errno != EINTR)
			die_errno("cannot read what the trial reports");
		used += part > 0 ? (size_t)part : 0;
	}
	return used;
}

static int wait_for(pid_t child)
{
	int status = 0;

	/* No SIGCHLD comes, so an ignored one takes nothing away. */
	while (waitpid(child, &status, __WALL) < 0)
		if (errno != EINTR)
			die_errno("cannot wait for the trial");
	return status;
}

static void understand(const char *text, size_t length, int status,
		       struct trial *ret_trial)
{
	ret_trial->probe = MESSAGE_ALL;
	if (length > HEAD_BYTES) {
		ret_trial->kind = text[0];
		ret_trial->probe = text[1] - 1;
		text += HEAD_BYTES;
		length -= HEAD_BYTES;
	}
	if (ret_trial->kind == TRIAL_PASSED &&
	    length == sizeof(ret_trial->states) && status == 0) {
		memcpy(ret_trial->states, text, length);
	} else if (length > 0 && ret_trial->kind != TRIAL_PASSED) {
		/* Its newline goes. */
		memcpy(ret_trial->reason, text, length - 1);
	} else {
		ret_trial->kind = MESSAGE_UNAVAILABLE;
		(void)snprintf(
			ret_trial->reason, sizeof(ret_trial->reason),
			!WIFSIGNALED(status)
				? "the trial ended with status %d and "
				  "no report"
			: WTERMSIG(status) == SIGSYS
				? "signal %d ended the trial; an outer "
				  "filter kills for a call that a start "
				  "makes"
				: "signal %d ended the trial; is a limit "
				  "of memory or stack low?",
			WIFSIGNALED(status) ? WTERMSIG(status)
					    : WEXITSTATUS(status));
	}
}

void trial_run(trial_start *start, const struct stk_host *host,
	       const struct stk_variant *variant, struct trial *ret_trial)
{
	static char text[HEAD_BYTES + MESSAGE_BYTES];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		die_errno("cannot make a pipe");
	long child = call_clone();
	if (child == 0) {
		(void)close(ends[0]);
		run_child(ends[1], start, host, variant);
	}
	if (child < 0) {
		ret_trial->kind = MESSAGE_UNDECIDED;
		ret_trial->probe = MESSAGE_ALL;
		(void)snprintf(ret_trial->reason, sizeof(ret_trial->reason),
			       "no process can be started to try it in: %s",
			       error_name((int)-child));
		return;
	}
	/* While it is open the end of the child cannot be read. */
	if (close(ends[1]) != 0 || fcntl(ends[1], F_GETFD) >= 0)
		die_errno("cannot close a pipe");
	size_t length = read_report(ends[0], text, sizeof(text));
	(void)close(ends[0]);
	understand(text, length, wait_for((pid_t)child), ret_trial);
}
