/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes that change the content of a file that no rule makes writable. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "route.h"

static const char mark[] = "changed\n";

static int write_mark(long descriptor)
{
	long count;

	ATTEMPT(count, "write",
		call(SYS_write, descriptor, mark, sizeof mark - 1));
	return 0;
}

static int write_openat(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     O_WRONLY));
	return write_mark(descriptor);
}

static int write_append(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_APPEND)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     O_WRONLY | O_APPEND));
	return write_mark(descriptor);
}

static int write_read_grant(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_RDWR)",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDWR));
	return write_mark(descriptor);
}

static int write_program(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_WRONLY)",
		call(SYS_openat, AT_FDCWD, at(arena, "exec/program"),
		     O_WRONLY));
	return write_mark(descriptor);
}

/* What is open for reading, opened once more for writing. */
static int write_reopen(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long reading, writing;

	PREPARE(reading, "openat(O_RDONLY)",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"), O_RDONLY));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", reading);
	ATTEMPT(writing, "openat", call(SYS_openat, AT_FDCWD, path, O_RDWR));
	return write_mark(writing);
}

static int write_inherited(const struct arena *arena)
{
	(void)arena;
	return write_mark(INHERITED_WRITE);
}

static int write_victim_descriptor(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor;

	snprintf(path, sizeof path, "/proc/%ld/fd/%ld", arena->victim,
		 arena->victim_fd);
	ATTEMPT(descriptor, "openat", call(SYS_openat, AT_FDCWD, path, O_RDWR));
	return write_mark(descriptor);
}

static int write_truncate(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "truncate",
		call(SYS_truncate, at(arena, "outside/secret"), 0));
	return 0;
}

static int write_truncate_read_grant(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "truncate",
		call(SYS_truncate, at(arena, "read/data"), 0));
	return 0;
}

/* Opening for reading with O_TRUNC empties a file that may only be read. */
static int write_open_truncate(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(O_TRUNC)",
		call(SYS_openat, AT_FDCWD, at(arena, "read/data"),
		     O_RDONLY | O_TRUNC));
	return 0;
}

#ifdef SYS_open
static int write_open_truncate_legacy(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "open(O_TRUNC)",
		call(SYS_open, at(arena, "read/data"), O_RDONLY | O_TRUNC));
	return 0;
}
#endif

#ifdef SYS_creat
static int write_creat(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "creat",
		call(SYS_creat, at(arena, "outside/secret"), 0600));
	return 0;
}
#endif

/* Access mode 3 asks for neither reading nor writing, so no right is judged;
 * what it opens still takes fchmod, futimens and file requests. */
static int change_mode_three(long descriptor)
{
	long done;

	ATTEMPT(done, "fchmod", call(SYS_fchmod, descriptor, 0640));
	return 0;
}

static int write_mode_three(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(3)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"), 3));
	return change_mode_three(descriptor);
}

static int write_mode_three_high(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "openat(1<<32|3)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     1L << 32 | 3));
	return change_mode_three(descriptor);
}

#ifdef SYS_open
static int write_mode_three_legacy(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "open(3)",
		call(SYS_open, at(arena, "outside/secret"), 3));
	return change_mode_three(descriptor);
}
#endif

static int write_null_device_sibling(const struct arena *arena)
{
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "openat(/dev/zero)",
		call(SYS_openat, AT_FDCWD, "/dev/zero", O_WRONLY));
	return write_mark(descriptor);
}

static int write_shared_memory_file(const struct arena *arena)
{
	const char *path = own_name(arena, "/dev/shm/new-");
	long descriptor, done;

	ATTEMPT(descriptor, "openat(O_CREAT)",
		call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL,
		     0600));
	ATTEMPT(done, "unlinkat", call(SYS_unlinkat, AT_FDCWD, path, 0));
	return 0;
}

/* The kernel itself writes a file for a program that crashes, into the folder
 * the program stands in. There is no answer: the program is gone. */
static int write_core(const struct arena *arena)
{
	struct rlimit limit;
	long done;

	PREPARE(done, "chdir", call(SYS_chdir, at(arena, "outside")));
	PREPARE(done, "prlimit64(read)",
		call(SYS_prlimit64, 0, RLIMIT_CORE, 0, &limit));
	limit.rlim_cur = limit.rlim_max;
	PREPARE(done, "prlimit64(write)",
		call(SYS_prlimit64, 0, RLIMIT_CORE, &limit, 0));
	__builtin_trap();
}

static const struct route table[] = {
	{"write-openat", write_openat, 0},
	{"write-append", write_append, 0},
	{"write-read-grant", write_read_grant, 0},
	{"write-program", write_program, 0},
	{"write-reopen", write_reopen, 0},
	{"write-inherited", write_inherited, 0},
	{"write-victim-descriptor", write_victim_descriptor, 0},
	{"write-truncate", write_truncate, 0},
	{"write-truncate-read-grant", write_truncate_read_grant, 0},
	{"write-open-truncate", write_open_truncate, 0},
#ifdef SYS_open
	{"write-open-truncate-legacy", write_open_truncate_legacy, 0},
#endif
#ifdef SYS_creat
	{"write-creat", write_creat, 0},
#endif
	{"write-mode-three", write_mode_three, 0},
	{"write-mode-three-high", write_mode_three_high, 0},
#ifdef SYS_open
	{"write-mode-three-legacy", write_mode_three_legacy, 0},
#endif
	{"write-device", write_null_device_sibling, 0},
	{"write-shared-memory-file", write_shared_memory_file, 0},
	{"write-core", write_core, 0},
};
ROUTE_GROUP(write_routes, table);
