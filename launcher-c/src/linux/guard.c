/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The thread that waits for ten seconds; see guard.h. */
#include "guard.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "call.h"
#include "kernel.h"
#include "message.h"

/*
 * What clone(3) of both libraries rests on.  musl 1.2.5 refuses CLONE_THREAD in
 * clone() itself, since such a thread has no place in its own list; this one
 * calls nothing of the library.
 */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument,
		   ...);

enum { SECONDS = 10, STACK_BYTES = 32 * 1024 };

static _Alignas(16) unsigned char stack[STACK_BYTES];
static const char *volatile current;
static int finished;
/* Of the thread that looks up, as it was before there was another. */
static long starter;
/* The kernel clears it and wakes its waiters when the thread is gone. */
static int thread;

static long own_number(void)
{
	static const long none[6];

	return call_native(SYS_gettid, none);
}

static long futex(int *word, long operation, long value, const void *timeout)
{
	const long words[6] = {(long)word, operation, value, (long)timeout};

	return call_native(SYS_futex, words);
}

/* INVARIANT: writes no errno, which it shares with the thread it watches. */
static int watch(void *unused)
{
	const struct timespec limit = {.tv_sec = SECONDS};

	(void)unused;
	if (own_number() == starter)
		call_refuse_false_clone();
	while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE))
		if (futex(&finished, STK_FUTEX_WAIT, 0, &limit) == -ETIMEDOUT)
			die_undecided("looking up `%s` took more than %d s; "
				      "is its file system answering?",
				      current, SECONDS);
	return 0;
}

void guard_begin(const char *path)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
			  CLONE_CHILD_CLEARTID;

	current = path;
	if (thread != 0)
		return;
	starter = own_number();
	/*
	 * Where a limit or an outer filter leaves no thread, look-ups take as
	 * long as they take: a start must not depend on what is cached.
	 */
	(void)__clone(watch, stack + STACK_BYTES, flags, NULL, &thread, NULL,
		      &thread);
}

void guard_end(void)
{
	int waiting;

	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	if (__atomic_load_n(&thread, __ATOMIC_ACQUIRE) != 0)
		(void)futex(&finished, STK_FUTEX_WAKE, INT_MAX, NULL);
	while ((waiting = __atomic_load_n(&thread, __ATOMIC_ACQUIRE)) != 0)
		(void)futex(&thread, STK_FUTEX_WAIT, waiting, NULL);
	finished = 0;
}
