/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Closes and limits descriptors; see descriptors.h. */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernel.h"
#include "message.h"

enum {
	/* For the canary, the ruleset, probes and lookups, beside the grants.
	 */
	SPARE = 24,
	/* Under the caller's own limit, which the program gets: probes. */
	LEAST = 16,
};

static struct rlimit limit;

/* What is kept above 2, in order; BEYOND stands for none. */
static const int64_t BEYOND = INT64_C(1) << 32;
static int64_t low, high;

/* Lets the launcher hold @wanted descriptors, beside the three. */
static void raise_limit(rlim_t wanted)
{
	struct rlimit raised = limit;

	if (limit.rlim_cur >= wanted)
		return;
	if (limit.rlim_max < wanted)
		die("starting needs %llu descriptors and the limit is %llu; "
		    "raise "
		    "the hard limit (`ulimit -Hn`)",
		    (unsigned long long)wanted,
		    (unsigned long long)limit.rlim_max);
	raised.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised) != 0)
		die_errno("cannot raise the limit of descriptors");
}

void descriptors_fill_standard(void)
{
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		die_errno("cannot read the limit of descriptors");
	raise_limit(SPARE);
	if (limit.rlim_cur < LEAST)
		die("the limit of descriptors is %llu and proving the start "
		    "takes %d; raise it (`ulimit -n`)",
		    (unsigned long long)limit.rlim_cur, LEAST);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (errno != EBADF ||
		    openat(AT_FDCWD, "/dev/null", O_RDWR) != fd)
			die_errno("cannot open `/dev/null` in place of the "
				  "closed descriptor %d (start with 0, 1 and 2 "
				  "open)",
				  fd);
	}
}

/* Handles one entry of /proc/self/fd; returns whether it was a stray. */
static int handle(const char *name, int folder, int end_at_exec)
{
	int fd = (int)strtol(name, NULL, 10);

	if (fd <= STDERR_FILENO || fd == folder)
		return 0;
	if (!end_at_exec && (fd == low || fd == high))
		return 0;
	if (!end_at_exec)
		(void)close(fd);
	else if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		die_errno("cannot make descriptor %d end at exec", fd);
	return 1;
}

/* Walks /proc/self/fd; returns how many strays it saw, or -1 without it. */
static int sweep(int end_at_exec)
{
	static _Alignas(8) char entries[4096];
	int strays = 0;
	bool complete = false;
	long length;
	struct statfs system;
	int folder = openat(AT_FDCWD, "/proc/self/fd",
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (folder < 0)
		return -1;
	if (fstatfs(folder, &system) != 0 || system.f_type != STK_PROC_MAGIC) {
		(void)close(folder);
		return -1;
	}
	while ((length = syscall(SYS_getdents64, folder, entries,
				 sizeof(entries))) > 0)
		for (long at = 0; at < length;) {
			/* struct linux_dirent64: length at 16, name at 19 */
			uint16_t size;

			memcpy(&size, entries + at + 16, sizeof(size));
			strays +=
				handle(entries + at + 19, folder, end_at_exec);
			complete |=
				strtol(entries + at + 19, NULL, 10) == folder;
			at += size;
		}
	(void)close(folder);
	/* A listing without the descriptor it is read from is a false one. */
	return length < 0 || !complete ? -1 : strays;
}

/*
 * Closes a range of descriptors by a call that an outer filter may only claim
 * to make: a copy of descriptor 0 at @first must be gone then.  Returns what
 * the call lacks, or NULL.
 */
static const char *close_witnessed(int first, unsigned last)
{
	if (dup2(STDIN_FILENO, first) != first)
		return "cannot be seen to work";
	if (syscall(SYS_close_range, first, last, 0) != 0)
		return "fails";
	if (fcntl(first, F_GETFD) < 0 && errno == EBADF)
		return NULL;
	return "closes nothing";
}

/* Hands each run of descriptors that are not kept to @close_run. */
static void close_gaps(void (*close_run)(int first, unsigned last))
{
	const int64_t starts[] = {STDERR_FILENO + 1, low + 1, high + 1};
	const int64_t ends[] = {low, high, BEYOND};

	for (unsigned i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (starts[i] < ends[i])
			close_run((int)starts[i], (unsigned)(ends[i] - 1));
}

/* What close_range was seen to lack. */
static const char *lack;

static void close_run(int first, unsigned last)
{
	const char *found = close_witnessed(first, last);

	if (found)
		lack = found;
}

void descriptors_close_others(int one, int other)
{
	const int64_t first = one < 0 ? BEYOND : one;
	const int64_t second = other < 0 ? BEYOND : other;

	low = first < second ? first : second;
	high = first < second ? second : first;
	close_gaps(close_run);
	if (!lack)
		return;
	/* One by one, then, and seen in the list of what is open. */
	int strays = sweep(0);
	if (strays > 0)
		strays = sweep(0);
	if (strays > 0)
		die("%d descriptors above 2 cannot be closed", strays);
	if (strays < 0)
		die("cannot close the descriptors above 2: close_range %s "
		    "under an outer filter and `/proc/self/fd` cannot be read; "
		    "allow one of them",
		    lack);
}

void descriptors_raise_limit(uint32_t grants)
{
	raise_limit((rlim_t)grants + SPARE);
}

uint64_t descriptors_restore_limit(void)
{
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		die_errno("cannot restore the limit of descriptors");
	return limit.rlim_cur;
}

void descriptors_end_at_exec(void)
{
	/* Each is opened so already: this is a second net. */
	if (syscall(SYS_close_range, 3, ~0u, STK_CLOSE_RANGE_CLOEXEC) != 0)
		(void)sweep(1);
	/*
	 * A false answer that named one of them had the launcher close it: the
	 * program's first file would take its place.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) != 0)
			die("descriptor %d was lost while starting; does an "
			    "outer filter answer calls falsely?",
			    fd);
}
