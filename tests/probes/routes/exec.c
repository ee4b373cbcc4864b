/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes that run code which no rule lets run: other programs, own bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "route.h"

enum {
	MEMORY_NOEXEC_SEAL = 8,
	MEMORY_EXEC = 0x10,
	MEMORY_HUGE = 4,
};

static char *reached[] = {"escape", "reached", NULL, NULL};
static char *nothing[] = {NULL};

static char **arguments(void)
{
	reached[2] = (char *)route_name;
	return reached;
}

static int exec_outside(const struct arena *arena)
{
	return run_program(at(arena, "outside/program"));
}

static int exec_read_grant(const struct arena *arena)
{
	return run_program(at(arena, "read/program"));
}

/* Write a program into the writable folder and run it there. */
static int exec_written(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, at(arena, "write/new"),
		     O_WRONLY | O_CREAT, 0755));
	PREPARE(done, "copy", copy_program(arena, descriptor));
	PREPARE(done, "close", call(SYS_close, descriptor));
	return run_program(at(arena, "write/new"));
}

static int exec_nameless(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long writing, reading, done;

	PREPARE(writing, "openat(O_TMPFILE)",
		call(SYS_openat, AT_FDCWD, at(arena, "write"),
		     O_RDWR | O_TMPFILE, 0755));
	PREPARE(done, "copy", copy_program(arena, writing));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", writing);
	PREPARE(reading, "openat", call(SYS_openat, AT_FDCWD, path, O_RDONLY));
	PREPARE(done, "close", call(SYS_close, writing));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", reading);
	return run_program(path);
}

static int exec_script(const struct arena *arena)
{
	char text[ARENA_PATH_BYTES];
	long descriptor, done;
	int length = snprintf(text, sizeof text, "#!%s reached\n",
			      at(arena, "exec/program"));

	PREPARE(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, at(arena, "write/new"),
		     O_WRONLY | O_CREAT, 0755));
	PREPARE(done, "write", call(SYS_write, descriptor, text, length));
	PREPARE(done, "close", call(SYS_close, descriptor));
	return run_program(at(arena, "write/new"));
}

/* The script may run; the interpreter that its first line names may not. */
static int exec_interpreter(const struct arena *arena)
{
	return run_program(at(arena, "exec/script"));
}

static int exec_descriptor(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/program"),
		     O_PATH));
	ATTEMPT(done, "execveat(AT_EMPTY_PATH)",
		call(SYS_execveat, descriptor, "", arguments(), nothing,
		     AT_EMPTY_PATH));
	return 0;
}

static int exec_descriptor_high(const struct arena *arena)
{
	long descriptor, done;

	PREPARE(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/program"),
		     O_PATH));
	ATTEMPT(done, "execveat(1<<32|AT_EMPTY_PATH)",
		call(SYS_execveat, descriptor, "", arguments(), nothing,
		     1L << 32 | AT_EMPTY_PATH));
	return 0;
}

static int exec_relative(const struct arena *arena)
{
	long folder, done;

	PREPARE(folder, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside"),
		     O_PATH | O_DIRECTORY));
	ATTEMPT(done, "execveat",
		call(SYS_execveat, folder, "program", arguments(), nothing, 0));
	return 0;
}

static int exec_own_link(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor;

	PREPARE(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/program"),
		     O_PATH));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	return run_program(path);
}

/* Memory files lie on no visible file system, so Landlock lets any of them run.
 */
static int exec_memory_file(const struct arena *arena, unsigned flags,
			    bool by_path)
{
	char path[ARENA_PATH_BYTES];
	long descriptor, done;

	ATTEMPT(descriptor, "memfd_create",
		call(SYS_memfd_create, "escape", flags));
	PREPARE(done, "copy", copy_program(arena, descriptor));
	if (by_path) {
		snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
		return run_program(path);
	}
	ATTEMPT(done, "execveat(AT_EMPTY_PATH)",
		call(SYS_execveat, descriptor, "", arguments(), nothing,
		     AT_EMPTY_PATH));
	return 0;
}

static int exec_memory(const struct arena *arena)
{
	return exec_memory_file(arena, 0, false);
}

static int exec_memory_path(const struct arena *arena)
{
	return exec_memory_file(arena, MFD_ALLOW_SEALING, true);
}

static int exec_memory_explicit(const struct arena *arena)
{
	return exec_memory_file(arena, MEMORY_EXEC, true);
}

/* On huge pages the seal does not hold. */
static int exec_memory_huge(const struct arena *arena)
{
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "memfd_create(MFD_HUGETLB)",
		call(SYS_memfd_create, "escape",
		     MEMORY_HUGE | MEMORY_NOEXEC_SEAL));
	return 0;
}

static const struct route table[] = {
	{"exec-outside", exec_outside, 0},
	{"exec-read-grant", exec_read_grant, 0},
	{"exec-written", exec_written, 0},
	{"exec-nameless", exec_nameless, 0},
	{"exec-script", exec_script, 0},
	{"exec-interpreter", exec_interpreter, 0},
	{"exec-descriptor", exec_descriptor, 0},
	{"exec-descriptor-high", exec_descriptor_high, 0},
	{"exec-relative", exec_relative, 0},
	{"exec-own-link", exec_own_link, 0},
	{"exec-memory", exec_memory, 0},
	{"exec-memory-path", exec_memory_path, 0},
	{"exec-memory-explicit", exec_memory_explicit, 0},
	{"exec-memory-huge", exec_memory_huge, 0},
};
ROUTE_GROUP(exec_routes, table);
