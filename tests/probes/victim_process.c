/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Keep a process of the same user outside and tell what was done to it;
 * scene.h. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scene.h"

enum {
	VICTIM_DESCRIPTOR = 30,
	FLUSH_TRIES = 2000, /* of a millisecond */
};

static struct witness *shared;

static void record(int number)
{
	if (number == SIGRTMAX)
		shared->flushed = 1;
	else
		shared->signals |= 1UL << number;
}

static _Noreturn void be_victim(struct scene *scene)
{
	struct sigaction action = {.sa_handler = record};
	int secret =
		open(at(&scene->arena, "outside/secret"), O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (secret < 0 || dup2(secret, VICTIM_DESCRIPTOR) < 0 ||
	    chdir(at(&scene->arena, "outside")) != 0)
		_exit(1);
	/* Where Yama guards siblings from each other, this one waives it. */
	prctl(0x59616d61 /* PR_SET_PTRACER */, -1L, 0, 0, 0);
	/* All others are held back while one is recorded, so that the highest
	 * number comes last: it tells that none is on its way any more. */
	sigfillset(&action.sa_mask);
	for (int number = 1; number <= SIGRTMAX; number++)
		sigaction(number, &action, NULL);
	shared->flushed = 1;
	for (;;)
		pause();
}

static void nap(long microseconds)
{
	struct timespec time = {0, microseconds * 1000};

	nanosleep(&time, NULL);
}

static bool await_flush(struct scene *scene)
{
	for (int i = 0; i < FLUSH_TRIES * 10; i++) {
		if (scene->witness->flushed)
			return true;
		nap(100);
	}
	return false;
}

static unsigned long priorities_of(pid_t process)
{
	cpu_set_t processors;
	unsigned long facts;

	CPU_ZERO(&processors);
	sched_getaffinity(process, sizeof processors, &processors);
	facts = (unsigned long)(getpriority(PRIO_PROCESS, (id_t)process) + 40);
	facts = facts * 1000 +
		(unsigned long)syscall(SYS_sched_getscheduler, process);
	facts = facts * 1000 + (unsigned long)CPU_COUNT(&processors);
	return facts * 100000 +
	       (unsigned long)syscall(SYS_ioprio_get, 1, process);
}

static unsigned long limits_of(pid_t process)
{
	struct rlimit files = {0, 0}, core = {0, 0};

	prlimit(process, RLIMIT_NOFILE, NULL, &files);
	prlimit(process, RLIMIT_CORE, NULL, &core);
	return files.rlim_cur * 31 + core.rlim_cur;
}

void victim_start(struct scene *scene)
{
	scene->witness = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scene->witness == MAP_FAILED)
		give_up("mmap");
	shared = scene->witness;
	shared->word = VICTIM_WORD;
	scene->victim = fork();
	if (scene->victim < 0)
		give_up("fork");
	if (scene->victim == 0)
		be_victim(scene);
	if (!await_flush(scene))
		give_up("victim");
	scene->arena.victim = scene->victim;
	scene->arena.group = getpgrp();
	scene->arena.word = (unsigned long)&scene->witness->word;
	scene->arena.victim_fd = VICTIM_DESCRIPTOR;
	scene->priorities = priorities_of(scene->victim);
	scene->limits = limits_of(scene->victim);
}

void victim_effects(struct scene *scene, effect_sink *sink)
{
	siginfo_t state = {0};

	if (waitid(P_PID, (id_t)scene->victim, &state,
		   WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    state.si_pid == scene->victim) {
		sink("victim-ended");
		return;
	}
	if (priorities_of(scene->victim) != scene->priorities)
		sink("victim-priority");
	if (limits_of(scene->victim) != scene->limits)
		sink("victim-limits");
	scene->witness->flushed = 0;
	kill(scene->victim, SIGRTMAX);
	if (!await_flush(scene))
		sink("victim-stopped");
	if (scene->witness->signals != 0)
		sink("victim-signal");
	if (scene->witness->word != VICTIM_WORD)
		sink("victim-memory");
}

void victim_end(struct scene *scene)
{
	kill(scene->victim, SIGKILL);
	waitpid(scene->victim, NULL, 0);
	munmap(scene->witness, 4096);
}
