/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes by another system call table of the same kernel: i386 numbers by `int
 * 0x80` and x32 numbers. A filter that reads only native numbers judges the
 * wrong call.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "route.h"

#if defined(__x86_64__)

enum {
	I386_FORK = 2,
	I386_OPEN = 5,
	I386_CHMOD = 15,
	I386_GETPID = 20,
	I386_KILL = 37,
	I386_SOCKET = 359,
	X32_BIT = 0x40000000,
};

/* A copy of a path that a 32-bit pointer can reach. */
static long low_copy(const char *path)
{
	char *page = mmap(NULL, ARENA_PATH_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (page == MAP_FAILED)
		return -errno;
	strcpy(page, path);
	return (long)page;
}

static int foreign_i386_getpid(const struct arena *arena)
{
	long number;

	(void)arena;
	ATTEMPT(number, "int80 getpid", call_compat(I386_GETPID, 0, 0, 0));
	return number == getpid() ? 0 : route_break("compare", EBADMSG);
}

static int foreign_i386_open(const struct arena *arena)
{
	long path, descriptor;

	PREPARE(path, "mmap", low_copy(at(arena, "outside/secret")));
	ATTEMPT(descriptor, "int80 open",
		call_compat(I386_OPEN, path, O_RDONLY, 0));
	return read_secret(descriptor);
}

static int foreign_i386_chmod(const struct arena *arena)
{
	long path, done;

	PREPARE(path, "mmap", low_copy(at(arena, "outside/secret")));
	ATTEMPT(done, "int80 chmod", call_compat(I386_CHMOD, path, 0640, 0));
	return 0;
}

static int foreign_i386_socket(const struct arena *arena)
{
	long socket;

	(void)arena;
	ATTEMPT(socket, "int80 socket",
		call_compat(I386_SOCKET, AF_INET, SOCK_STREAM, 0));
	return 0;
}

static int foreign_i386_kill(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "int80 kill",
		call_compat(I386_KILL, arena->victim, 10 /* USR1 */, 0));
	return 0;
}

static int foreign_i386_fork(const struct arena *arena)
{
	long child, done;

	(void)arena;
	child = call_compat(I386_FORK, 0, 0, 0);
	if (child == 0)
		call(SYS_exit_group, 0);
	ATTEMPT(child, "int80 fork", child);
	PREPARE(done, "wait4", call(SYS_wait4, child, 0, 0, 0));
	return 0;
}

static int foreign_x32_open(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "x32 openat",
		call(X32_BIT | SYS_openat, AT_FDCWD,
		     at(arena, "outside/secret"), O_RDONLY));
	return read_secret(descriptor);
}

static int foreign_x32_socket(const struct arena *arena)
{
	long socket;

	(void)arena;
	ATTEMPT(socket, "x32 socket",
		call(X32_BIT | SYS_socket, AF_INET, SOCK_STREAM, 0));
	return 0;
}

static int foreign_x32_kill(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "x32 kill",
		call(X32_BIT | SYS_kill, arena->victim, 10 /* USR1 */));
	return 0;
}

static const struct route table[] = {
	{"foreign-i386-getpid", foreign_i386_getpid, 0},
	{"foreign-i386-open", foreign_i386_open, 0},
	{"foreign-i386-chmod", foreign_i386_chmod, 0},
	{"foreign-i386-socket", foreign_i386_socket, 0},
	{"foreign-i386-kill", foreign_i386_kill, 0},
	{"foreign-i386-fork", foreign_i386_fork, 0},
	{"foreign-x32-open", foreign_x32_open, 0},
	{"foreign-x32-socket", foreign_x32_socket, 0},
	{"foreign-x32-kill", foreign_x32_kill, 0},
};
ROUTE_GROUP(foreign_routes, table);

#else

const struct route_group foreign_routes = {NULL, 0};

#endif
