/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Print what the booted kernel offers: Landlock ABI and errata, user
 * namespaces, x32, int 0x80.
 *
 * The runner holds a row to these facts: a row for the x32 entry that boots a
 * kernel without it would prove nothing about the filter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LANDLOCK_CREATE_RULESET = 444,
	QUERY_VERSION = 1,
	QUERY_ERRATA = 2,
};

/* Whether a child that does something ends well; the kernel may end it instead.
 */
static int works(int (*action)(void))
{
	int state = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(action());
	return waitpid(child, &state, 0) == child && WIFEXITED(state) &&
	       WEXITSTATUS(state) == 0;
}

static int make_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

#if defined(__x86_64__)
/* getpid through another entry than the native one. */
static int call_x32(void)
{
	long answer = -ENOSYS;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(0x40000000L + 39)
			 : "rcx", "r11", "memory");
	return answer != getpid();
}

static int call_int80(void)
{
	long answer = -ENOSYS;

	__asm__ volatile("int $0x80" : "=a"(answer) : "a"(20L) : "memory");
	return answer != getpid();
}
#endif

static void tell(const char *name, int (*action)(void))
{
	fflush(stdout);
	printf("%s %s\n", name, works(action) ? "open" : "closed");
}

static const char *name_of(long answer)
{
	if (answer >= 0)
		return "ok";
	return errno == EOPNOTSUPP ? "EOPNOTSUPP"
	       : errno == ENOSYS   ? "ENOSYS"
				   : strerror(errno);
}

int main(void)
{
	long abi = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, QUERY_VERSION);
	long errata;

	printf("landlock-answer %s\n", name_of(abi));
	printf("landlock-abi %ld\n", abi < 0 ? 0 : abi);
	errata = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, QUERY_ERRATA);
	printf("landlock-errata 0x%lx\n", errata < 0 ? 0L : errata);
	tell("user-namespaces", make_namespace);
#if defined(__x86_64__)
	tell("x32", call_x32);
	tell("int80", call_int80);
#endif
	return 0;
}
