/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that end, stop or continue a process outside and ask whether it is
 * there, by each call that carries a signal's number.
 */
#include <signal.h>
#include <string.h>

#include "route.h"

static const int ending[] = {0, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCONT};

enum { ENDING = sizeof ending / sizeof ending[0] };

static int signal_end(const struct arena *arena)
{
	long done;

	for (int i = 0; i < ENDING; i++)
		ATTEMPT(done, "kill", call(SYS_kill, arena->victim, ending[i]));
	return 0;
}

static int signal_end_thread(const struct arena *arena)
{
	long done;

	for (int i = 0; i < ENDING; i++) {
		ATTEMPT(done, "tkill",
			call(SYS_tkill, arena->victim, ending[i]));
		ATTEMPT(done, "tgkill",
			call(SYS_tgkill, arena->victim, arena->victim,
			     ending[i]));
	}
	return 0;
}

static int signal_end_queue(const struct arena *arena)
{
	siginfo_t information;
	long done;

	memset(&information, 0, sizeof information);
	information.si_code = SI_QUEUE;
	for (int i = 0; i < ENDING; i++) {
		information.si_signo = ending[i];
		ATTEMPT(done, "rt_sigqueueinfo",
			call(SYS_rt_sigqueueinfo, arena->victim, ending[i],
			     &information));
		ATTEMPT(done, "rt_tgsigqueueinfo",
			call(SYS_rt_tgsigqueueinfo, arena->victim,
			     arena->victim, ending[i], &information));
	}
	return 0;
}

static int signal_end_descriptor(const struct arena *arena)
{
	long process, done;

	ATTEMPT(process, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	for (int i = 0; i < ENDING; i++)
		ATTEMPT(done, "pidfd_send_signal",
			call(NR_PIDFD_SEND_SIGNAL, process, ending[i], 0, 0));
	return 0;
}

static const struct route table[] = {
	{"signal-end", signal_end, 0},
	{"signal-end-thread", signal_end_thread, 0},
	{"signal-end-queue", signal_end_queue, 0},
	{"signal-end-descriptor", signal_end_descriptor, 0},
};
ROUTE_GROUP(signal_end_routes, table);
