/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that change how another process of the same user runs: its limits, its
 * priority, its processors. Landlock guards none of them.
 */
#include <errno.h>
#include <sys/resource.h>

#include "route.h"

/* A lower limit on processor time ends another process as surely as a signal.
 */
static int victim_limits(const struct arena *arena)
{
	struct rlimit limit;
	long done;

	ATTEMPT(done, "prlimit64(read)",
		call(SYS_prlimit64, arena->victim, RLIMIT_NOFILE, 0, &limit));
	limit.rlim_cur--;
	ATTEMPT(done, "prlimit64(write)",
		call(SYS_prlimit64, arena->victim, RLIMIT_NOFILE, &limit, 0));
	return 0;
}

static int victim_limits_high(const struct arena *arena)
{
	struct rlimit limit;
	long done;

	ATTEMPT(done, "prlimit64(read)",
		call(SYS_prlimit64, arena->victim, RLIMIT_NOFILE, 0, &limit));
	limit.rlim_cur--;
	ATTEMPT(done, "prlimit64(1<<32|PID)",
		call(SYS_prlimit64, 1L << 32 | arena->victim, RLIMIT_NOFILE,
		     &limit, 0));
	return 0;
}

static int victim_priority(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "setpriority(PRIO_PROCESS)",
		call(SYS_setpriority, PRIO_PROCESS, arena->victim, 5));
	return 0;
}

static int victim_priority_of_group(const struct arena *arena)
{
	/* One step more than now: the group stays as it is made. */
	int nice = getpriority(PRIO_PROCESS, (id_t)arena->victim) + 1;
	long done;

	ATTEMPT(done, "setpriority(PRIO_PGRP)",
		call(SYS_setpriority, PRIO_PGRP, arena->group, nice));
	return 0;
}

static int victim_io_priority(const struct arena *arena)
{
	enum { WHO_PROCESS = 1, IDLE_CLASS = 3 << 13 };
	long done;

	ATTEMPT(done, "ioprio_set",
		call(SYS_ioprio_set, WHO_PROCESS, arena->victim, IDLE_CLASS));
	return 0;
}

static int victim_affinity(const struct arena *arena)
{
	unsigned long processors = 1;
	long done;

	ATTEMPT(done, "sched_setaffinity",
		call(SYS_sched_setaffinity, arena->victim, sizeof processors,
		     &processors));
	return 0;
}

static int victim_scheduler(const struct arena *arena)
{
	enum { BATCH = 3 };
	int parameter = 0;
	long done;

	ATTEMPT(done, "sched_setscheduler",
		call(SYS_sched_setscheduler, arena->victim, BATCH, &parameter));
	return 0;
}

static int victim_scheduler_attributes(const struct arena *arena)
{
	struct {
		unsigned size, policy;
		unsigned long flags;
		int nice;
		unsigned priority;
		unsigned long runtime, deadline, period;
	} attributes = {.size = 48, .policy = 3, .nice = 5};
	long done;

	ATTEMPT(done, "sched_setattr",
		call(SYS_sched_setattr, arena->victim, &attributes, 0));
	return 0;
}

static const struct route table[] = {
	{"victim-limits", victim_limits, 0},
	{"victim-limits-high", victim_limits_high, 0},
	{"victim-priority", victim_priority, 0},
	{"victim-priority-of-group", victim_priority_of_group, 0},
	{"victim-io-priority", victim_io_priority, 0},
	{"victim-affinity", victim_affinity, 0},
	{"victim-scheduler", victim_scheduler, 0},
	{"victim-scheduler-attributes", victim_scheduler_attributes, 0},
};
ROUTE_GROUP(victim_limit_routes, table);
