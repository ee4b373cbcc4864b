/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn several seccomp programs into the time that attaching each one takes.
 *
 *     attach ROUNDS FILE...      FILE: instructions as `struct sock_filter`, 8
 * bytes each
 *
 * Every round attaches each program once, in a child of its own, since a filter
 * never comes off. Prints one line a file: minimum and median in nanoseconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_FILES = 8,
	MOST_ROUNDS = 100000,
	INSTRUCTION_BYTES = 8,
	MOST_INSTRUCTIONS = 4096,
	SET_MODE_FILTER = 1,
	WARM_UP_ROUNDS = 10,
};

struct program {
	unsigned short length;
	const void *instructions;
};

static char room[MOST_FILES][MOST_INSTRUCTIONS * INSTRUCTION_BYTES];

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int load(const char *path, char *target, struct program *ret)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = read(file, target, sizeof room[0]);

	if (count <= 0 || count % INSTRUCTION_BYTES != 0)
		return -1;
	close(file);
	ret->length = (unsigned short)(count / INSTRUCTION_BYTES);
	ret->instructions = target;
	return 0;
}

/* Attach in a child and leave the time where the parent sees it. */
static long attach(const struct program *program, volatile long *shared)
{
	pid_t child;

	*shared = -1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		long start = now();
		long failed = syscall(SYS_seccomp, SET_MODE_FILTER, 0, program);
		*shared = failed ? -1 : now() - start;
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return -1;
	return *shared;
}

static int ascending(const void *left, const void *right)
{
	long a = *(const long *)left, b = *(const long *)right;

	return (a > b) - (a < b);
}

int main(int count, char **arguments)
{
	struct program programs[MOST_FILES];
	long rounds = count < 3 ? 0 : atol(arguments[1]);
	int files = count - 2;
	long *times;
	volatile long *shared =
		mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (rounds < 1 || rounds > MOST_ROUNDS || files > MOST_FILES ||
	    shared == MAP_FAILED)
		return 125;
	times = calloc((size_t)(rounds * files), sizeof *times);
	for (int i = 0; i < files; i++)
		if (times == NULL ||
		    load(arguments[i + 2], room[i], &programs[i]) != 0) {
			fprintf(stderr, "attach: cannot read `%s`\n",
				arguments[i + 2]);
			return 125;
		}
	for (long round = -WARM_UP_ROUNDS; round < rounds; round++)
		for (int i = 0; i < files; i++) {
			long taken = attach(&programs[i], shared);
			if (taken < 0) {
				fprintf(stderr, "attach: `%s` is refused\n",
					arguments[i + 2]);
				return 125;
			}
			if (round >= 0)
				times[i * rounds + round] = taken;
		}
	for (int i = 0; i < files; i++) {
		qsort(times + i * rounds, (size_t)rounds, sizeof *times,
		      ascending);
		printf("%ld %ld\n", times[i * rounds],
		       times[i * rounds + rounds / 2]);
	}
	return 0;
}
