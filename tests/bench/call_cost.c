/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn several seccomp programs into the time that one inspected call takes.
 *
 *     call_cost ROUNDS FILE...    FILE: instructions as `struct sock_filter`
 *
 * Every round makes a batch of calls once without a filter and once under each
 * program, in children of their own, since a filter never comes off. The call
 * is an ioctl on no file: the request is inspected, nothing follows. Prints one
 * line without a filter, then one a file: minimum and median, picoseconds a
 * call.
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
	MOST_ROUNDS = 10000,
	INSTRUCTION_BYTES = 8,
	MOST_INSTRUCTIONS = 4096,
	SET_MODE_FILTER = 1,
	BATCH = 2000,
	WARM_UP_CALLS = 200,
	ALLOWED_REQUEST = 0x5413, /* TIOCGWINSZ */
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

static long time_calls(void)
{
	long start;

	for (int i = 0; i < WARM_UP_CALLS; i++)
		syscall(SYS_ioctl, -1, ALLOWED_REQUEST, 0);
	start = now();
	for (int i = 0; i < BATCH; i++)
		syscall(SYS_ioctl, -1, ALLOWED_REQUEST, 0);
	return (now() - start) * 1000 / BATCH;
}

/* Time in a child, under the program if there is one; -1 when it is refused. */
static long measure(const struct program *program, volatile long *shared)
{
	pid_t child;

	*shared = -1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (program == NULL ||
		    syscall(SYS_seccomp, SET_MODE_FILTER, 0, program) == 0)
			*shared = time_calls();
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
	times = calloc((size_t)(rounds * (files + 1)), sizeof *times);
	for (int i = 0; i < files; i++)
		if (times == NULL ||
		    load(arguments[i + 2], room[i], &programs[i]) != 0) {
			fprintf(stderr, "call_cost: cannot read `%s`\n",
				arguments[i + 2]);
			return 125;
		}
	for (long round = 0; round < rounds; round++)
		for (int i = 0; i <= files; i++) {
			long taken = measure(i == 0 ? NULL : &programs[i - 1],
					     shared);
			if (taken < 0) {
				fprintf(stderr,
					"call_cost: program %d is refused\n",
					i);
				return 125;
			}
			times[i * rounds + round] = taken;
		}
	for (int i = 0; i <= files; i++) {
		qsort(times + i * rounds, (size_t)rounds, sizeof *times,
		      ascending);
		printf("%ld %ld\n", times[i * rounds],
		       times[i * rounds + rounds / 2]);
	}
	return 0;
}
