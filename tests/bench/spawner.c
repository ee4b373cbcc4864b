/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn several commands into the time that each takes from spawn to reaped end.
 *
 *     spawner ROUNDS COMMAND... [+ COMMAND...]...
 *
 * Every round runs each command once, so that a slow moment of the machine
 * falls on all alike. Prints one line a command: minimum and median in
 * nanoseconds, and the most memory that a run used, in KiB. Static, and
 * posix_spawn shares the memory: the spawner's size costs nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum {
	MOST_COMMANDS = 16,
	MOST_ROUNDS = 100000,
	WARM_UP_ROUNDS = 10,
};

extern char **environ;

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Return the nanoseconds of one run; anything but a clean end ends the bench.
 */
static long run(char **command, long *most_memory)
{
	long start = now();
	int state = 0, error;
	struct rusage used;
	pid_t child;

	error = posix_spawn(&child, command[0], NULL, NULL, command, environ);
	if (error != 0) {
		fprintf(stderr, "spawner: `%s`: %s\n", command[0],
			strerror(error));
		exit(125);
	}
	while (wait4(child, &state, 0, &used) < 0 && errno == EINTR)
		;
	long taken = now() - start;
	if (state != 0) {
		fprintf(stderr, "spawner: `%s` ended with wait status 0x%x\n",
			command[0], (unsigned)state);
		exit(125);
	}
	if (used.ru_maxrss > *most_memory)
		*most_memory = used.ru_maxrss;
	return taken;
}

static int ascending(const void *left, const void *right)
{
	long a = *(const long *)left, b = *(const long *)right;

	return (a > b) - (a < b);
}

int main(int count, char **arguments)
{
	char **commands[MOST_COMMANDS];
	long *times[MOST_COMMANDS], memory[MOST_COMMANDS] = {0}, rounds;
	int known = 0;

	if (count < 3 || (rounds = atol(arguments[1])) < 1 ||
	    rounds > MOST_ROUNDS) {
		fprintf(stderr,
			"usage: spawner ROUNDS COMMAND... [+ COMMAND...]...\n");
		return 125;
	}
	commands[known++] = arguments + 2;
	for (int i = 2; i < count && known < MOST_COMMANDS; i++)
		if (strcmp(arguments[i], "+") == 0) {
			arguments[i] = NULL;
			commands[known++] = arguments + i + 1;
		}
	for (int i = 0; i < known; i++)
		if ((times[i] = calloc((size_t)rounds, sizeof *times[i])) ==
		    NULL)
			return 125;
	for (long round = -WARM_UP_ROUNDS; round < rounds; round++)
		for (int i = 0; i < known; i++) {
			long taken = run(commands[i], &memory[i]);
			if (round >= 0)
				times[i][round] = taken;
		}
	for (int i = 0; i < known; i++) {
		qsort(times[i], (size_t)rounds, sizeof *times[i], ascending);
		printf("%ld %ld %ld\n", times[i][0], times[i][rounds / 2],
		       memory[i]);
	}
	return 0;
}
