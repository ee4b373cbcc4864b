/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes by an inherited terminal: typing into it for the shell to run, taking
 * it from the other jobs, signalling them through it.
 */
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "route.h"

enum {
	TERMINAL = 0,
	TYPE = 0x5412,
	EXCLUSIVE = 0x540c,
	FOREGROUND = 0x5410,
	WINDOW_SIZE = 0x5414,
	PACKET_MODE = 0x5420,
	DISCIPLINE = 0x5423,
	SET_SIGNAL = 10,
	ASYNC_FLAG = 0x2000,
};

static int terminal_type(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TIOCSTI)", call(SYS_ioctl, TERMINAL, TYPE, "t"));
	return 0;
}

static int terminal_type_high(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(1<<32|TIOCSTI)",
		call(SYS_ioctl, TERMINAL, 1L << 32 | TYPE, "t"));
	return 0;
}

static int terminal_exclusive(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TIOCEXCL)",
		call(SYS_ioctl, TERMINAL, EXCLUSIVE, 0));
	return 0;
}

static int terminal_discipline(const struct arena *arena)
{
	int plain = 0;
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TIOCSETD)",
		call(SYS_ioctl, TERMINAL, DISCIPLINE, &plain));
	return 0;
}

static int terminal_size(const struct arena *arena)
{
	unsigned short size[4] = {7, 77, 0, 0};
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TIOCSWINSZ)",
		call(SYS_ioctl, TERMINAL, WINDOW_SIZE, size));
	return 0;
}

static int terminal_foreground(const struct arena *arena)
{
	int group = getpid();
	long done;

	(void)arena;
	signal(SIGTTOU, SIG_IGN);
	PREPARE(done, "setpgid(0, 0)", call(SYS_setpgid, 0, 0));
	ATTEMPT(done, "ioctl(TIOCSPGRP)",
		call(SYS_ioctl, TERMINAL, FOREGROUND, &group));
	return 0;
}

/* Nobody has to be named: a terminal's owner is its foreground group. Whoever
 * sits at the other end answers every line with a key, as a terminal does. */
static int terminal_async(const struct arena *arena)
{
	static const struct timespec answer_time = {0, 40000000};
	long done;

	(void)arena;
	signal(SIGUSR1, SIG_IGN);
	ATTEMPT(done, "fcntl(F_SETSIG)",
		call(SYS_fcntl, TERMINAL, SET_SIGNAL, SIGUSR1));
	ATTEMPT(done, "fcntl(F_SETFL)",
		call(SYS_fcntl, TERMINAL, F_SETFL, ASYNC_FLAG));
	PREPARE(done, "write", call(SYS_write, TERMINAL, "k", 1));
	nanosleep(&answer_time, NULL);
	return 0;
}

static int terminal_open(const struct arena *arena)
{
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "openat(/dev/tty)",
		call(SYS_openat, AT_FDCWD, "/dev/tty", O_RDWR));
	return 0;
}

static int terminal_reopen(const struct arena *arena)
{
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "openat(/proc/self/fd/0)",
		call(SYS_openat, AT_FDCWD, "/proc/self/fd/0", O_RDWR));
	return 0;
}

/* A terminal that the program makes itself still takes only the requests that a
 * granted device takes. */
static int terminal_own_device(const struct arena *arena)
{
	int on = 0;
	long master, done;

	(void)arena;
	PREPARE(master, "openat(/dev/ptmx)",
		call(SYS_openat, AT_FDCWD, "/dev/ptmx", O_RDONLY | O_NOCTTY));
	ATTEMPT(done, "ioctl(TIOCPKT)",
		call(SYS_ioctl, master, PACKET_MODE, &on));
	return 0;
}

static const struct route table[] = {
	{"terminal-type", terminal_type, ROUTE_TERMINAL},
	{"terminal-type-high", terminal_type_high, ROUTE_TERMINAL},
	{"terminal-exclusive", terminal_exclusive, ROUTE_TERMINAL},
	{"terminal-discipline", terminal_discipline, ROUTE_TERMINAL},
	{"terminal-size", terminal_size, ROUTE_TERMINAL},
	{"terminal-foreground", terminal_foreground, ROUTE_TERMINAL},
	{"terminal-async", terminal_async, ROUTE_TERMINAL},
	{"terminal-open", terminal_open, ROUTE_TERMINAL},
	{"terminal-reopen", terminal_reopen, ROUTE_TERMINAL},
	{"terminal-own-device", terminal_own_device, 0},
};
ROUTE_GROUP(terminal_routes, table);
