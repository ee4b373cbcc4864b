/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A debugger that follows its own child, and a terminal's modes by the newer
 * requests: what a policy may keep or give up. */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "route.h"

/* TCGETS2 and TCSETS2, asm-generic/ioctls.h. */
static const long get_modes = 0x802c542aL, set_modes = 0x402c542bL;

static const unsigned long mark = 0x5eedf00d;

/* The child asks to be traced and stops; its parent reads its memory. */
static int follow(pid_t child)
{
	unsigned long word = 0;
	struct iovec mine = {&word, sizeof word};
	struct iovec theirs = {(void *)&mark, sizeof mark};
	int state = 0;
	long done;

	PREPARE(done, "wait4", call(SYS_wait4, child, &state, __WALL, 0));
	if (WIFEXITED(state))
		return WEXITSTATUS(state);
	ATTEMPT(done, "ptrace(PTRACE_PEEKDATA)",
		call(SYS_ptrace, PTRACE_PEEKDATA, child, &mark, &word));
	if (word != mark)
		return route_break("peek", EBADMSG);
	word = 0;
	ATTEMPT(done, "process_vm_readv",
		call(SYS_process_vm_readv, child, &mine, 1, &theirs, 1, 0));
	ATTEMPT(done, "kcmp",
		call(SYS_kcmp, getpid(), child, 1 /* KCMP_VM */, 0, 0));
	ATTEMPT(done, "ptrace(PTRACE_DETACH)",
		call(SYS_ptrace, PTRACE_DETACH, child, 0, 0));
	PREPARE(done, "wait4", call(SYS_wait4, child, &state, __WALL, 0));
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
		return route_break("wait4", ECHILD);
	return word == mark ? 0 : route_break("compare", EBADMSG);
}

static int works_debugger(const struct arena *arena)
{
	pid_t child;

	(void)arena;
	route_step = "fork";
	child = fork();
	if (child < 0)
		return errno;
	if (child == 0) {
		long done = call(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);

		if (done < 0)
			_exit((int)-done);
		raise(SIGSTOP);
		_exit(0);
	}
	return follow(child);
}

static int terminal_modes(const struct arena *arena)
{
	unsigned char modes[64];
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TCGETS2)", call(SYS_ioctl, 0, get_modes, modes));
	ATTEMPT(done, "ioctl(TCSETS2)", call(SYS_ioctl, 0, set_modes, modes));
	return 0;
}

static const struct route table[] = {
	{"works-debugger", works_debugger, 0},
	{"terminal-modes", terminal_modes, ROUTE_TERMINAL},
};
ROUTE_GROUP(works_debugger_routes, table);
