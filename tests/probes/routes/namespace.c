/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes into new namespaces, where the program would hold every capability,
 * and into mounts.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "route.h"

enum { OPEN_TREE_CLONE = 1 };

static int namespace_unshare(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "unshare(CLONE_NEWUSER)",
		call(SYS_unshare, CLONE_NEWUSER));
	return 0;
}

/* The user namespace gives the right to mount, and a mount changes what a
 * granted path means. */
static int namespace_mount(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "unshare(CLONE_NEWUSER|CLONE_NEWNS)",
		call(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS));
	ATTEMPT(done, "mount(MS_BIND)",
		call(SYS_mount, at(arena, "outside"), at(arena, "read"), 0,
		     4096, 0));
	return open_secret(at(arena, "read/secret"));
}

static int namespace_root(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "unshare(CLONE_NEWUSER)",
		call(SYS_unshare, CLONE_NEWUSER));
	ATTEMPT(done, "chroot", call(SYS_chroot, at(arena, "outside")));
	return open_secret("/secret");
}

static int spawn_and_wait(const char *step, long flags)
{
	long child, done;

	ATTEMPT(child, step, call_spawn(SYS_clone, flags, 0, 0, 0, 0));
	PREPARE(done, "wait4", call(SYS_wait4, child, 0, __WALL, 0));
	return 0;
}

static int namespace_clone(const struct arena *arena)
{
	(void)arena;
	return spawn_and_wait("clone(CLONE_NEWUSER)", CLONE_NEWUSER | SIGCHLD);
}

/* The kernel reads only the low word of the flags; so must whoever judges them.
 */
static int namespace_clone_high(const struct arena *arena)
{
	(void)arena;
	return spawn_and_wait("clone(1<<40|CLONE_NEWUSER)",
			      1L << 40 | CLONE_NEWUSER | SIGCHLD);
}

/* A thread may be started; one in a new name space of mounts may not. */
static int namespace_clone3(const struct arena *arena)
{
	unsigned long words[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
	long child, done;

	(void)arena;
	ATTEMPT(child, "clone3",
		call_spawn(NR_CLONE3, (long)words, sizeof words, 0, 0, 0));
	PREPARE(done, "wait4", call(SYS_wait4, child, 0, __WALL, 0));
	return 0;
}

static int namespace_files(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "unshare(CLONE_FILES)", call(SYS_unshare, CLONE_FILES));
	return 0;
}

static int namespace_join(const struct arena *arena)
{
	long victim, done;

	ATTEMPT(victim, "pidfd_open", call(NR_PIDFD_OPEN, arena->victim, 0));
	/* Its user namespace is ours already: the kernel says so, and says no.
	 */
	ATTEMPT(done, "setns(CLONE_NEWUSER)",
		call(SYS_setns, victim, CLONE_NEWUSER));
	return 0;
}

static int namespace_tree(const struct arena *arena)
{
	long tree;

	ATTEMPT(tree, "open_tree",
		call(NR_OPEN_TREE, AT_FDCWD, at(arena, "outside"), 0));
	return 0;
}

/* A detached copy of a tree lies below no granted path, and below no other
 * either. */
static int namespace_detached_tree(const struct arena *arena)
{
	long done, tree, descriptor;

	ATTEMPT(done, "unshare(CLONE_NEWUSER|CLONE_NEWNS)",
		call(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS));
	ATTEMPT(tree, "open_tree(OPEN_TREE_CLONE)",
		call(NR_OPEN_TREE, AT_FDCWD, at(arena, "outside"),
		     OPEN_TREE_CLONE));
	ATTEMPT(descriptor, "openat",
		call(SYS_openat, tree, "secret", O_RDONLY));
	return read_secret(descriptor);
}

static const struct route table[] = {
	{"namespace-unshare", namespace_unshare, 0},
	{"namespace-mount", namespace_mount, 0},
	{"namespace-root", namespace_root, 0},
	{"namespace-clone", namespace_clone, 0},
	{"namespace-clone-high", namespace_clone_high, 0},
	{"namespace-clone3", namespace_clone3, 0},
	{"namespace-files", namespace_files, 0},
	{"namespace-join", namespace_join, 0},
	{"namespace-tree", namespace_tree, 0},
	{"namespace-detached-tree", namespace_detached_tree, 0},
};
ROUTE_GROUP(namespace_routes, table);
