/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Prints what a program can tell of how it was started, one fact a line, so
 * that two ways of starting it can be compared. It reads nothing but its own
 * state.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void print_bytes(const char *name, const char *text)
{
	printf("%s ", name);
	for (; *text; text++)
		printf("%02x", (unsigned char)*text);
	putchar('\n');
}

static void print_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) != 0)
			continue;
		printf("signal %d %s%s\n", number,
		       action.sa_handler == SIG_IGN   ? "ignored"
		       : action.sa_handler == SIG_DFL ? "default"
						      : "handled",
		       sigismember(&mask, number) ? " blocked" : "");
	}
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		struct stat status;

		if (fstat(fd, &status) != 0)
			continue;
		printf("descriptor %d %o %lx %x %x\n", fd,
		       status.st_mode & S_IFMT, (unsigned long)status.st_rdev,
		       (unsigned)fcntl(fd, F_GETFL),
		       (unsigned)fcntl(fd, F_GETFD));
	}
}

static void print_limits(void)
{
	for (int number = 0; number < RLIMIT_NLIMITS; number++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)number, &limit) == 0)
			printf("limit %d %lx %lx\n", number,
			       (unsigned long)limit.rlim_cur,
			       (unsigned long)limit.rlim_max);
	}
}

int main(int argc, char **argv)
{
	static char folder[4096], input[4096];
	mode_t mask = umask(0);

	printf("pid %d\nparent %d\ngroup %d\nsession %d\n", getpid(), getppid(),
	       getpgrp(), getsid(0));
	printf("umask %o\n", mask);
	print_bytes("folder", getcwd(folder, sizeof(folder)) ? folder : "?");
	for (int i = 0; i < argc; i++)
		print_bytes("argument", argv[i]);
	for (char **entry = environ; *entry; entry++)
		print_bytes("variable", *entry);
	print_signals();
	print_limits();
	print_descriptors();
	ssize_t length = read(STDIN_FILENO, input, sizeof(input) - 1);
	printf("input %zd %s\n", length, length > 0 ? input : "");
	return 42;
}
