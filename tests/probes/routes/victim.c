/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes into another process of the same user: its memory, descriptors,
 * limits, links. Nothing but the confinement keeps them apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "route.h"

static int expect_word(unsigned long word)
{
	return word == VICTIM_WORD ? 0 : route_break("compare", EBADMSG);
}

static int victim_seize(const struct arena *arena)
{
	unsigned long word = 0;
	int state;
	long done;

	ATTEMPT(done, "ptrace(PTRACE_SEIZE)",
		call(SYS_ptrace, PTRACE_SEIZE, arena->victim, 0, 0));
	ATTEMPT(done, "ptrace(PTRACE_INTERRUPT)",
		call(SYS_ptrace, PTRACE_INTERRUPT, arena->victim, 0, 0));
	PREPARE(done, "wait4",
		call(SYS_wait4, arena->victim, &state, __WALL, 0));
	ATTEMPT(done, "ptrace(PTRACE_PEEKDATA)",
		call(SYS_ptrace, PTRACE_PEEKDATA, arena->victim, arena->word,
		     &word));
	return expect_word(word);
}

static int victim_attach(const struct arena *arena)
{
	int state;
	long done;

	ATTEMPT(done, "ptrace(PTRACE_ATTACH)",
		call(SYS_ptrace, PTRACE_ATTACH, arena->victim, 0, 0));
	PREPARE(done, "wait4",
		call(SYS_wait4, arena->victim, &state, __WALL, 0));
	ATTEMPT(done, "ptrace(PTRACE_POKEDATA)",
		call(SYS_ptrace, PTRACE_POKEDATA, arena->victim, arena->word,
		     1));
	PREPARE(done, "ptrace(PTRACE_DETACH)",
		call(SYS_ptrace, PTRACE_DETACH, arena->victim, 0, 0));
	return 0;
}

static int victim_read(const struct arena *arena)
{
	unsigned long word = 0;
	struct iovec mine = {&word, sizeof word};
	struct iovec theirs = {(void *)arena->word, sizeof word};
	long count;

	ATTEMPT(count, "process_vm_readv",
		call(SYS_process_vm_readv, arena->victim, &mine, 1, &theirs, 1,
		     0));
	return expect_word(word);
}

static int victim_write(const struct arena *arena)
{
	unsigned long word = 1;
	struct iovec mine = {&word, sizeof word};
	struct iovec theirs = {(void *)arena->word, sizeof word};
	long count;

	ATTEMPT(count, "process_vm_writev",
		call(SYS_process_vm_writev, arena->victim, &mine, 1, &theirs, 1,
		     0));
	return 0;
}

static long open_of_victim(const struct arena *arena, const char *name,
			   int flags)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/%s", arena->victim, name);
	return call(SYS_openat, AT_FDCWD, path, flags);
}

static int victim_memory_file(const struct arena *arena)
{
	unsigned long word = 0;
	long descriptor, count;

	ATTEMPT(descriptor, "openat(mem)",
		open_of_victim(arena, "mem", O_RDONLY));
	ATTEMPT(count, "pread64",
		call(SYS_pread64, descriptor, &word, sizeof word, arena->word));
	return expect_word(word);
}

static int victim_environment(const struct arena *arena)
{
	char text[64];
	long descriptor, count;

	ATTEMPT(descriptor, "openat(environ)",
		open_of_victim(arena, "environ", O_RDONLY));
	ATTEMPT(count, "read", call(SYS_read, descriptor, text, sizeof text));
	return 0;
}

static int victim_maps(const struct arena *arena)
{
	char text[64];
	long descriptor, count;

	ATTEMPT(descriptor, "openat(maps)",
		open_of_victim(arena, "maps", O_RDONLY));
	ATTEMPT(count, "read", call(SYS_read, descriptor, text, sizeof text));
	return 0;
}

static int victim_badness(const struct arena *arena)
{
	long descriptor, count;

	ATTEMPT(descriptor, "openat(oom_score_adj)",
		open_of_victim(arena, "oom_score_adj", O_WRONLY));
	ATTEMPT(count, "write", call(SYS_write, descriptor, "900", 3));
	return 0;
}

static int victim_descriptor(const struct arena *arena)
{
	long process, descriptor;

	ATTEMPT(process, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	ATTEMPT(descriptor, "pidfd_getfd",
		call(NR_PIDFD_GETFD, process, arena->victim_fd, 0));
	return read_secret(descriptor);
}

static int victim_compare(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "kcmp",
		call(SYS_kcmp, arena->victim, arena->victim, 0 /* KCMP_FILE */,
		     0, 1));
	return 0;
}

/* Namespaces by way of a process descriptor; the numbers count up from 0xff01.
 */
static int victim_namespace(const struct arena *arena)
{
	enum { GET_NET_NAMESPACE = 0xff04 };
	long process, descriptor;

	ATTEMPT(process, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	ATTEMPT(descriptor, "ioctl(PIDFD_GET_NET_NAMESPACE)",
		call(SYS_ioctl, process, GET_NET_NAMESPACE, 0));
	return 0;
}

static int victim_robust_list(const struct arena *arena)
{
	unsigned long head, length;
	long done;

	ATTEMPT(done, "get_robust_list",
		call(SYS_get_robust_list, arena->victim, &head, &length));
	return 0;
}

static int victim_pages(const struct arena *arena)
{
	void *page = (void *)(arena->word & ~4095UL);
	int node = -1;
	long done;

	ATTEMPT(done, "move_pages",
		call(SYS_move_pages, arena->victim, 1, &page, 0, &node, 0));
	return 0;
}

static int victim_link_target(const struct arena *arena)
{
	char path[64], target[ARENA_PATH_BYTES];
	long done;

	snprintf(path, sizeof path, "/proc/%ld/cwd", arena->victim);
	ATTEMPT(done, "readlinkat",
		call(SYS_readlinkat, AT_FDCWD, path, target, sizeof target));
	return 0;
}

static const struct route table[] = {
	{"victim-seize", victim_seize, 0},
	{"victim-attach", victim_attach, 0},
	{"victim-read", victim_read, 0},
	{"victim-write", victim_write, 0},
	{"victim-memory-file", victim_memory_file, 0},
	{"victim-environment", victim_environment, 0},
	{"victim-maps", victim_maps, 0},
	{"victim-badness", victim_badness, 0},
	{"victim-descriptor", victim_descriptor, 0},
	{"victim-compare", victim_compare, 0},
	{"victim-namespace", victim_namespace, 0},
	{"victim-robust-list", victim_robust_list, 0},
	{"victim-pages", victim_pages, 0},
	{"victim-link-target", victim_link_target, 0},
};
ROUTE_GROUP(victim_routes, table);
