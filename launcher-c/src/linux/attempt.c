/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fills in operands and makes calls; see attempt.h. */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"
#include "message.h"

static long operand(const struct attempt_scene *scene,
		    const struct stk_call *call, unsigned index, long setup)
{
	uint64_t value = call->values[index];

	switch (call->operands[index]) {
	case STK_OPERAND_NONE:
		return 0;
	case STK_OPERAND_IMMEDIATE:
		return (long)value;
	case STK_OPERAND_DATA:
		if (value >= scene->bundle->data_count)
			die("a probe's operand lies outside the data");
		return (long)(scene->bundle->data + value);
	case STK_OPERAND_CANARY_PATH:
		return (long)scene->canary.path;
	case STK_OPERAND_CANARY_FD:
		return scene->canary.fd;
	case STK_OPERAND_FOLDER_FD:
		return scene->canary.folder;
	case STK_OPERAND_OWN_PID:
		return scene->self;
	case STK_OPERAND_TARGET_PID:
		return scene->target;
	case STK_OPERAND_SETUP_RESULT:
		return setup;
	default:
		die("a probe's operand is of an unknown kind");
	}
}

/* The child ends at once; an ignored SIGCHLD is not kept for the program. */
static long fork_and_reap(const struct stk_call *call, const long words[6])
{
	/* Controls may be made in a child, which has a number of its own. */
	const long self = call_native(SYS_getpid, words);
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	if (sigaction(SIGCHLD, &ignore, &before) != 0)
		die_errno("cannot ignore SIGCHLD");
	long child = call_fork(call->nr, words, self);
	while (child > 0 && waitpid((pid_t)child, NULL, __WALL) < 0 &&
	       errno == EINTR)
		;
	if (sigaction(SIGCHLD, &before, NULL) != 0)
		die_errno("cannot restore SIGCHLD");
	return child;
}

/* Returns whether the kernel answered. */
static bool make_call(const struct attempt_scene *scene,
		      const struct stk_call *call, long setup, bool control,
		      long *ret_result)
{
	long words[6];

	for (unsigned i = 0; i < 6; i++)
		words[i] = operand(scene, call, i, setup);
	switch (call->kind) {
	case STK_CALL_NATIVE:
		*ret_result = call_native(call->nr, words);
		return true;
	case STK_CALL_COMPAT:
		return call_compat(call->nr, words, control, ret_result);
	case STK_CALL_FORK:
		*ret_result = control ? fork_and_reap(call, words)
				      : call_fork(call->nr, words, scene->self);
		return true;
	default:
		die("a probe's call is of an unknown kind");
	}
}

void attempt_find_spare(struct attempt_scene *scene)
{
	for (int i = 0; i < 2; i++) {
		scene->spare[i] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		if (scene->spare[i] <= STDERR_FILENO)
			die_errno("no descriptor is left for probes");
	}
	(void)close(scene->spare[0]);
	(void)close(scene->spare[1]);
}

/* Undoes what a control opened, which must have been made to end at exec. */
static void clean_up(const struct attempt_scene *scene, bool prepared)
{
	int flags = fcntl(scene->spare[0], F_GETFD);

	if (prepared && flags >= 0 && !(flags & FD_CLOEXEC))
		die("a probe of the artifact leaves a descriptor open");
	(void)close(scene->spare[0]);
	if (prepared)
		(void)close(scene->spare[1]);
}

int attempt_make(const struct attempt_scene *scene, const struct stk_call *call,
		 const struct stk_call *setup, bool control)
{
	long prepared = 0, result;

	if (setup &&
	    (!make_call(scene, setup, 0, control, &prepared) || prepared < 0))
		return ATTEMPT_NO_ANSWER;
	bool answered = make_call(scene, call, prepared, control, &result);
	if (control && (setup || (answered && result == scene->spare[0])))
		clean_up(scene, setup != NULL);
	if (!answered)
		return ATTEMPT_NO_ANSWER;
	return result < 0 && result >= -4095 ? (int)-result : 0;
}
