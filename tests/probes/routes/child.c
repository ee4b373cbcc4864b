/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes that start a process where none may be started, or give it a wrong
 * parent. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "route.h"

static int spawn(const char *step, long number, long flags)
{
	long child, done;

	ATTEMPT(child, step, call_spawn(number, flags, 0, 0, 0, 0));
	PREPARE(done, "wait4", call(SYS_wait4, child, 0, __WALL, 0));
	return 0;
}

#ifdef SYS_fork
static int child_fork(const struct arena *arena)
{
	(void)arena;
	return spawn("fork", SYS_fork, 0);
}

static int child_vfork(const struct arena *arena)
{
	(void)arena;
	return spawn("vfork", SYS_vfork, 0);
}
#endif

static int child_clone(const struct arena *arena)
{
	(void)arena;
	return spawn("clone", SYS_clone, SIGCHLD);
}

/* What posix_spawn uses: the memory is shared, the process is another. */
static int child_shared_memory(const struct arena *arena)
{
	(void)arena;
	return spawn("clone(CLONE_VM|CLONE_VFORK)", SYS_clone,
		     CLONE_VM | CLONE_VFORK | SIGCHLD);
}

/* CLONE_THREAD in the word that the kernel drops: this is a process. */
static int child_thread_bit_high(const struct arena *arena)
{
	(void)arena;
	return spawn("clone(CLONE_THREAD<<32)", SYS_clone,
		     (long)CLONE_THREAD << 32 | SIGCHLD);
}

static int child_clone3(const struct arena *arena)
{
	unsigned long words[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
	long child, done;

	(void)arena;
	ATTEMPT(child, "clone3",
		call_spawn(NR_CLONE3, (long)words, sizeof words, 0, 0, 0));
	PREPARE(done, "wait4", call(SYS_wait4, child, 0, __WALL, 0));
	return 0;
}

static void *start_child(void *answer)
{
	*(int *)answer = child_clone(NULL);
	return NULL;
}

/* A thread may be started; from it, nothing more than from the first. */
static int child_from_thread(const struct arena *arena)
{
	pthread_t thread;
	int answer = -1;

	(void)arena;
	if (pthread_create(&thread, NULL, start_child, &answer) != 0)
		return route_break("pthread_create", EAGAIN);
	pthread_join(thread, NULL);
	return answer;
}

/* The new process becomes the caller's sibling: a process outside has to reap a
 * stranger. It has ended when the call returns (CLONE_VFORK). */
static int stranger(const char *step, long flags)
{
	static const struct timespec burial = {0, 20000000};
	long child;

	ATTEMPT(child, step, call_spawn(SYS_clone, flags, 0, 0, 0, 0));
	/* The call returns when the memory is let go, a little before the end.
	 */
	nanosleep(&burial, NULL);
	return 0;
}

static int child_sibling(const struct arena *arena)
{
	(void)arena;
	return stranger("clone(CLONE_PARENT)",
			CLONE_PARENT | CLONE_VM | CLONE_VFORK | SIGCHLD);
}

static int child_sibling_high(const struct arena *arena)
{
	(void)arena;
	return stranger("clone(1<<40|CLONE_PARENT)",
			1L << 40 | CLONE_PARENT | CLONE_VM | CLONE_VFORK |
				SIGCHLD);
}

/* What was refused to the parent is refused to its child. */
static int child_inherits(const struct arena *arena)
{
	int state = 0;
	pid_t child = fork();
	long done;

	PREPARE(done, "fork", child < 0 ? -EAGAIN : 0);
	if (child == 0)
		_exit(open_secret(at(arena, "outside/secret")));
	PREPARE(done, "wait4", call(SYS_wait4, child, &state, 0, 0));
	ATTEMPT(done, "child's openat", -WEXITSTATUS(state));
	return WIFEXITED(state) ? 0 : route_break("wait4", EBADMSG);
}

static const struct route table[] = {
#ifdef SYS_fork
	{"child-fork", child_fork, 0},
	{"child-vfork", child_vfork, 0},
#endif
	{"child-clone", child_clone, 0},
	{"child-shared-memory", child_shared_memory, 0},
	{"child-thread-bit-high", child_thread_bit_high, 0},
	{"child-clone3", child_clone3, 0},
	{"child-from-thread", child_from_thread, 0},
	{"child-inherits", child_inherits, 0},
	{"child-sibling", child_sibling, 0},
	{"child-sibling-high", child_sibling_high, 0},
};
ROUTE_GROUP(child_routes, table);
