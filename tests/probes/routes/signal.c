/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes that send a signal to a process outside: directly, to a group it
 * shares, or by a descriptor that signals its owner.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "route.h"

/* From asm-generic/fcntl.h and sockios.h; the C library hides some of them. */
enum {
	SET_OWNER = 8,
	SET_SIGNAL = 10,
	SET_OWNER_EXTENDED = 15,
	ASYNC_FLAG = 0x2000,
	REQUEST_ASYNC = 0x5452,
	REQUEST_OWNER = 0x8901,
	REQUEST_GROUP = 0x8902,
};

static int signal_kill(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "kill", call(SYS_kill, arena->victim, SIGUSR1));
	return 0;
}

static int signal_kill_high(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "kill(1<<32|PID)",
		call(SYS_kill, 1L << 32 | arena->victim, SIGUSR1));
	return 0;
}

static int signal_parent(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "kill", call(SYS_kill, getppid(), 0));
	return 0;
}

static int signal_thread(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "tkill", call(SYS_tkill, arena->victim, SIGUSR1));
	return 0;
}

static int signal_group_thread(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "tgkill",
		call(SYS_tgkill, arena->victim, arena->victim, SIGUSR1));
	return 0;
}

static void fill(siginfo_t *information)
{
	memset(information, 0, sizeof *information);
	information->si_signo = SIGUSR1;
	information->si_code = SI_QUEUE;
	information->si_pid = getpid();
	information->si_uid = getuid();
}

static int signal_queue(const struct arena *arena)
{
	siginfo_t information;
	long done;

	fill(&information);
	ATTEMPT(done, "rt_sigqueueinfo",
		call(SYS_rt_sigqueueinfo, arena->victim, SIGUSR1,
		     &information));
	return 0;
}

static int signal_queue_thread(const struct arena *arena)
{
	siginfo_t information;
	long done;

	fill(&information);
	ATTEMPT(done, "rt_tgsigqueueinfo",
		call(SYS_rt_tgsigqueueinfo, arena->victim, arena->victim,
		     SIGUSR1, &information));
	return 0;
}

static int signal_descriptor(const struct arena *arena)
{
	long process, done;

	ATTEMPT(process, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	ATTEMPT(done, "pidfd_send_signal",
		call(NR_PIDFD_SEND_SIGNAL, process, SIGUSR1, 0, 0));
	return 0;
}

/* The group holds the victim, its parent and this process, which must survive.
 */
static int signal_own_group(const struct arena *arena)
{
	long done;

	(void)arena;
	signal(SIGUSR1, SIG_IGN);
	ATTEMPT(done, "kill(0)", call(SYS_kill, 0, SIGUSR1));
	return 0;
}

static int signal_group(const struct arena *arena)
{
	long done;

	signal(SIGUSR1, SIG_IGN);
	ATTEMPT(done, "kill(-group)", call(SYS_kill, -arena->group, SIGUSR1));
	return 0;
}

/* SIGWINCH: every process of the user may get it, and by default none minds. */
static int signal_everyone(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "kill(-1)", call(SYS_kill, -1, SIGWINCH));
	return 0;
}

/* Make a pipe that signals its owner when something can be read, and write. */
static int signal_by_pipe(long command, long argument, const char *step)
{
	int ends[2];
	long done;

	PREPARE(done, "pipe2", call(SYS_pipe2, ends, O_NONBLOCK));
	ATTEMPT(done, step, call(SYS_fcntl, ends[0], command, argument));
	ATTEMPT(done, "fcntl(F_SETSIG)",
		call(SYS_fcntl, ends[0], SET_SIGNAL, SIGUSR1));
	ATTEMPT(done, "fcntl(F_SETFL)",
		call(SYS_fcntl, ends[0], F_SETFL, O_NONBLOCK | ASYNC_FLAG));
	PREPARE(done, "write", call(SYS_write, ends[1], "x", 1));
	return 0;
}

static int signal_owner(const struct arena *arena)
{
	return signal_by_pipe(SET_OWNER, arena->victim, "fcntl(F_SETOWN)");
}

static int signal_owner_group(const struct arena *arena)
{
	signal(SIGUSR1, SIG_IGN);
	return signal_by_pipe(SET_OWNER, -arena->group,
			      "fcntl(F_SETOWN, -group)");
}

static int signal_owner_extended(const struct arena *arena)
{
	int owner[2] = {1 /* F_OWNER_PID */, (int)arena->victim};

	return signal_by_pipe(SET_OWNER_EXTENDED, (long)owner,
			      "fcntl(F_SETOWN_EX)");
}

static int signal_by_socket(const struct arena *arena, long request,
			    const char *step)
{
	int ends[2], owner = (int)arena->victim, on = 1;
	long done;

	PREPARE(done, "socketpair",
		call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends));
	ATTEMPT(done, step, call(SYS_ioctl, ends[0], request, &owner));
	ATTEMPT(done, "ioctl(FIOASYNC)",
		call(SYS_ioctl, ends[0], REQUEST_ASYNC, &on));
	PREPARE(done, "write", call(SYS_write, ends[1], "x", 1));
	return 0;
}

static int signal_socket_owner(const struct arena *arena)
{
	return signal_by_socket(arena, REQUEST_OWNER, "ioctl(FIOSETOWN)");
}

static int signal_socket_group(const struct arena *arena)
{
	return signal_by_socket(arena, REQUEST_GROUP, "ioctl(SIOCSPGRP)");
}

/* Leave the group, then come back by its number: a group of another job. */
static int signal_join_group(const struct arena *arena)
{
	long done;

	PREPARE(done, "setpgid(0, 0)", call(SYS_setpgid, 0, 0));
	ATTEMPT(done, "setpgid(0, group)", call(SYS_setpgid, 0, arena->group));
	return 0;
}

/* A lease holds up whoever opens the file for writing, and learns of it. */
static int signal_lease(const struct arena *arena)
{
	enum { SET_LEASE = 1024 };
	long descriptor, done;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	ATTEMPT(done, "fcntl(F_SETLEASE)",
		call(SYS_fcntl, descriptor, SET_LEASE, F_RDLCK));
	return 0;
}

static int signal_notify(const struct arena *arena)
{
	enum { NOTIFY = 1026, NOTIFY_ACCESS = 1 };
	long descriptor, done;

	PREPARE(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "read"),
		     O_RDONLY | O_DIRECTORY));
	ATTEMPT(done, "fcntl(F_NOTIFY)",
		call(SYS_fcntl, descriptor, NOTIFY, NOTIFY_ACCESS));
	return 0;
}

static const struct route table[] = {
	{"signal-kill", signal_kill, 0},
	{"signal-kill-high", signal_kill_high, 0},
	{"signal-parent", signal_parent, 0},
	{"signal-thread", signal_thread, 0},
	{"signal-group-thread", signal_group_thread, 0},
	{"signal-queue", signal_queue, 0},
	{"signal-queue-thread", signal_queue_thread, 0},
	{"signal-descriptor", signal_descriptor, 0},
	{"signal-own-group", signal_own_group, 0},
	{"signal-group", signal_group, 0},
	{"signal-everyone", signal_everyone, 0},
	{"signal-owner", signal_owner, 0},
	{"signal-owner-group", signal_owner_group, 0},
	{"signal-owner-extended", signal_owner_extended, 0},
	{"signal-socket-owner", signal_socket_owner, 0},
	{"signal-socket-group", signal_socket_group, 0},
	{"signal-join-group", signal_join_group, 0},
	{"signal-lease", signal_lease, 0},
	{"signal-notify", signal_notify, 0},
};
ROUTE_GROUP(signal_routes, table);
