/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Make random system calls for as long as they are wanted, in a process, a
 * thread of it and a child, and report each by number and outcome; see fuzz.h.
 *
 *   fuzz FACTS SEED CALLS [trace]
 *
 * A line `n NUMBER ERRNO` for each call made, `x` for the x32 entry, `i` for
 * the i386 one. With `trace` each call is printed before it is made, so that
 * one that was noticed outside can be found and repeated.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../call.h"
#include "fuzz.h"

enum {
	CALLS_A_LINE =
		32, /* reported with one write, which a pipe keeps whole */
	TICK_MICROSECONDS = 4000,
	MOST_STREAMS = 4,
};

static struct stream streams[MOST_STREAMS];
static unsigned long wanted;
static int traced;

static void map_scratch(struct stream *stream)
{
	call(SYS_mmap, stream->scratch, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* A call may unmap or protect the memory that words point into. */
static void mend(int number, siginfo_t *info, void *context)
{
	char *place = info->si_addr;

	(void)number, (void)context;
	for (unsigned i = 0; i < MOST_STREAMS; i++)
		if (streams[i].scratch != NULL && place >= streams[i].scratch &&
		    place < streams[i].scratch + SCRATCH_BYTES) {
			map_scratch(&streams[i]);
			return;
		}
	call(SYS_exit_group, 9);
}

static void wake(int number)
{
	(void)number;
}

/* What blocks is interrupted; calls may have undone any of this. */
static void stay_awake(void)
{
	struct itimerval tick = {{0, TICK_MICROSECONDS},
				 {0, TICK_MICROSECONDS}};
	struct sigaction waking = {.sa_handler = wake},
			 mending = {.sa_sigaction = mend,
				    .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigset_t none;

	sigemptyset(&none);
	sigaction(SIGALRM, &waking, NULL);
	sigaction(SIGSEGV, &mending, NULL);
	sigaction(SIGBUS, &mending, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	call(SYS_setitimer, ITIMER_REAL, &tick, 0);
}

/* Calls that start a process: the new one must end at once. */
static int starts_process(const struct choice *choice)
{
	long number = choice->number & 0xffffffffL;

	if (choice->entry == COMPAT)
		return number == 2 || number == 120 || number == 190 ||
		       number == NR_CLONE3;
	number &= ~0x40000000L;
#ifdef SYS_fork
	if (number == SYS_fork || number == SYS_vfork)
		return 1;
#endif
	return number == SYS_clone || number == NR_CLONE3;
}

static long make(const struct choice *choice)
{
	const long *words = choice->words;

	if (choice->entry == COMPAT)
		return starts_process(choice)
			       ? call_compat_spawn(choice->number, words[0],
						   words[1], words[2])
			       : call_compat(choice->number, words[0], words[1],
					     words[2]);
	if (starts_process(choice))
		return call_spawn(choice->number, words[0], words[1], words[2],
				  words[3], words[4]);
	return call_words(choice->number, words);
}

static void trace(const struct stream *stream, unsigned long index,
		  const struct choice *choice)
{
	char line[256];
	int length =
		snprintf(line, sizeof line,
			 "trace %d.%lu %c %ld %lx %lx %lx %lx %lx %lx\n",
			 (int)(stream - streams), index, "nxi"[choice->entry],
			 choice->number, choice->words[0], choice->words[1],
			 choice->words[2], choice->words[3], choice->words[4],
			 choice->words[5]);

	call(SYS_write, REPORT, line, length);
}

static void run(struct stream *stream)
{
	char report[CALLS_A_LINE * 32];
	size_t used = 0;

	for (unsigned long i = 0; i < wanted; i++) {
		struct choice choice;
		long answer;

		if (i % CALLS_A_LINE == 0) {
			call(SYS_write, REPORT, report, used);
			used = 0;
			stay_awake();
		}
		choose(stream, &choice);
		if (traced)
			trace(stream, i, &choice);
		answer = make(&choice);
		used += (size_t)snprintf(
			report + used, sizeof report - used, "%c %lu %ld\n",
			"nxi"[choice.entry],
			(unsigned long)(choice.number & 0xffffffffL),
			answer < 0 && answer > -4096 ? -answer : 0);
	}
	call(SYS_write, REPORT, report, used);
}

static void *run_thread(void *stream)
{
	run(stream);
	return NULL;
}

static struct stream *open_stream(unsigned index, uint64_t seed)
{
	struct stream *stream = &streams[index];

	stream->state = seed * MOST_STREAMS + index;
	stream->scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stream->scratch == MAP_FAILED ? NULL : stream;
}

/* A program of the arena was executed: tell which, that the watcher can judge.
 */
static int tell_execution(void)
{
	const char *path = (const char *)getauxval(AT_EXECFN);

	printf("executed %s\n", path == NULL ? "" : path);
	return 0;
}

int main(int count, char **words)
{
	pthread_t thread;
	uint64_t seed;
	long child;

	if (count == 1 && strcmp(words[0], "reached") == 0)
		return tell_execution();
	if (count < 4 || (errno = facts_load(words[1])) != 0) {
		fprintf(stderr, "fuzz: no facts: %s\n", strerror(errno));
		return 2;
	}
	seed = strtoull(words[2], NULL, 0);
	wanted = strtoul(words[3], NULL, 0);
	traced = count > 4;
	for (unsigned i = 0; i < MOST_STREAMS; i++)
		if (open_stream(i, seed) == NULL)
			return 2;
	open_all(&streams[0]);
	/* Where children are denied, this one fails and nothing else changes.
	 */
	child = fork();
	if (child == 0) {
		run(&streams[1]);
		call(SYS_exit_group, 0);
	}
	if (pthread_create(&thread, NULL, run_thread, &streams[2]) != 0)
		return 2;
	run(&streams[0]);
	pthread_join(thread, NULL);
	call(SYS_exit_group, 0);
}
