/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Print what the booted kernel offers: Landlock ABI and errata, x32, int 0x80.
 *
 * The runner holds a row to these facts: a row for the x32 entry that boots a
 * kernel without it would prove nothing about the filter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LANDLOCK_CREATE_RULESET = 444,
	QUERY_VERSION = 1,
	QUERY_ERRATA = 2,
};

#if defined(__x86_64__)
/* Whether getpid through another entry than the native one answers in a child;
 * the kernel may end the caller instead. */
static int answers(int compat)
{
	int state = 0;
	pid_t child = fork();

	if (child == 0) {
		long answer = -ENOSYS;
		if (compat)
			__asm__ volatile("int $0x80"
					 : "=a"(answer)
					 : "a"(20L)
					 : "memory");
		else
			__asm__ volatile("syscall"
					 : "=a"(answer)
					 : "a"(0x40000000L + 39)
					 : "rcx", "r11", "memory");
		_exit(answer == getpid() ? 0 : 1);
	}
	return waitpid(child, &state, 0) == child && WIFEXITED(state) &&
	       WEXITSTATUS(state) == 0;
}
#endif

int main(void)
{
	long abi = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, QUERY_VERSION);
	long errata;

	printf("landlock-abi %ld\n", abi < 0 ? 0 : abi);
	errata = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, QUERY_ERRATA);
	printf("landlock-errata 0x%lx\n", errata < 0 ? 0L : errata);
#if defined(__x86_64__)
	printf("x32 %s\n", answers(0) ? "open" : "closed");
	printf("int80 %s\n", answers(1) ? "open" : "closed");
#endif
	return 0;
}
