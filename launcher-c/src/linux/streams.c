/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tells the kinds of open files apart; see streams.h. */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <termios.h>
#include <unistd.h>

#include "core/bundle.h"
#include "kernel.h"
#include "message.h"
#include "mounts.h"

static const char *const names[] = {
	"standard input",
	"standard output",
	"standard error",
};

static _Noreturn void refuse(int fd, const char *kind)
{
	char link[PATH_OF_FD_BYTES], shown[128];
	ssize_t length;

	path_put_fd(link, fd);
	length = readlink(link, shown, sizeof(shown) - 1);
	if (length < 0)
		length = 0;
	shown[length] = '\0';
	die("%s is %s (`%s`), which keeps rights that the policy does not "
	    "give; "
	    "redirect it to a file or a pipe",
	    names[fd], kind, shown);
}

/* Files that show or act on processes outside, memory included. */
static void judge_kernel_file(int fd, const struct statfs *system)
{
	int flags = fcntl(fd, F_GETFL);

	switch ((unsigned long)system->f_type) {
	case STK_PROC_MAGIC:
		refuse(fd, "a file of /proc");
	case STK_SYSFS_MAGIC:
	case STK_CGROUP_MAGIC:
	case STK_CGROUP2_MAGIC:
		if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY)
			refuse(fd, "a writable file of the kernel");
		return;
	default:
		return;
	}
}

/* Memory files open again past Landlock, whatever their descriptor allows. */
static void judge_regular(int fd)
{
	const int sealed = F_SEAL_WRITE | STK_F_SEAL_EXEC;
	struct path_object object = path_inspect(fd, names[fd]);
	struct statfs system;
	int seals;

	/* What lies on a disk is a file like others. */
	if (object.device >> 32 != 0)
		return;
	seals = fcntl(fd, F_GET_SEALS);
	/* The second seal freezes the right to execute, given or not. */
	if (seals >= 0 && (seals & sealed) == sealed &&
	    !(object.mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return;
	mounts_read();
	if (fstatfs(fd, &system) != 0)
		die_errno("cannot inspect %s", names[fd]);
	judge_kernel_file(fd, &system);
	if (system.f_type == STK_NSFS_MAGIC)
		refuse(fd, "a namespace");
	/* A hidden mount of a file system that has a visible one will do. */
	if (mounts_show(&object))
		return;
	if (seals < 0)
		refuse(fd, "a file on no visible file system");
	refuse(fd, (seals & sealed) == sealed ? "an executable memory file"
					      : "an unsealed memory file");
}

static void judge_character(int fd, dev_t device, uint32_t kinds)
{
	struct termios terminal;
	int number;

	if (major(device) == 1)
		switch (minor(device)) {
		case 3: /* null */
		case 5: /* zero */
		case 7: /* full */
		case 8: /* random */
		case 9: /* urandom */
			return;
		default:
			refuse(fd, "a memory device");
		}
	if (tcgetattr(fd, &terminal) != 0)
		refuse(fd, "a device");
	/* Major 2 are the masters of old; they do not know the request. */
	if (major(device) != 2 &&
	    syscall(SYS_ioctl, fd, STK_TIOCGPTN, &number) != 0)
		return;
	if (!(kinds & STK_STREAM_PTY_MASTER))
		refuse(fd, "the master of a pseudo-terminal");
}

struct socket_kind {
	int family, type, protocol;
	bool connected;
};

static int option(int fd, int name)
{
	int value = 0;
	socklen_t size = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, name, &value, &size) != 0)
		die_errno("cannot inspect the socket on %s", names[fd]);
	return value;
}

/*
 * The bits of STK_STREAM_… of which a policy needs one for such a socket; 0: no
 * policy has it.
 */
static uint32_t needed(const struct socket_kind *kind)
{
	switch (kind->family) {
	case AF_UNIX:
		if (kind->connected && kind->type != SOCK_DGRAM)
			return STK_STREAM_UNIX_CONNECTED;
		return STK_STREAM_UNIX_ANY;
	case AF_INET:
	case AF_INET6:
		if (kind->type == SOCK_STREAM &&
		    kind->protocol == IPPROTO_TCP && kind->connected)
			return STK_STREAM_INET | STK_STREAM_TCP_CONNECTED;
		if (kind->type == SOCK_STREAM &&
		    (kind->protocol == IPPROTO_TCP ||
		     kind->protocol == STK_IPPROTO_MPTCP))
			return STK_STREAM_INET;
		if (kind->type == SOCK_DGRAM &&
		    (kind->protocol == IPPROTO_UDP ||
		     kind->protocol == IPPROTO_ICMP ||
		     kind->protocol == IPPROTO_ICMPV6))
			return STK_STREAM_INET;
		return 0;
	case AF_NETLINK:
		return kind->protocol == STK_NETLINK_ROUTE
			       ? STK_STREAM_ROUTE_NETLINK
			       : 0;
	default:
		return 0;
	}
}

static const char *const families[] = {
	[AF_UNIX] = "Unix",       [AF_INET] = "IPv4",   [AF_INET6] = "IPv6",
	[AF_NETLINK] = "netlink", [AF_VSOCK] = "vsock",
};
static const char *const types[] = {
	[SOCK_STREAM] = "stream",
	[SOCK_DGRAM] = "datagram",
	[SOCK_RAW] = "raw",
	[SOCK_SEQPACKET] = "seqpacket",
};

static const char *word(const char *const *words, size_t count, int number)
{
	if (number < 0 || (size_t)number >= count || !words[number])
		return "other";
	return words[number];
}

static void judge_socket(int fd, uint32_t kinds)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	const char *state = "not connected";
	struct socket_kind kind = {
		.family = option(fd, SO_DOMAIN),
		.type = option(fd, SO_TYPE),
		.protocol = option(fd, SO_PROTOCOL),
		.connected =
			getpeername(fd, (struct sockaddr *)&peer, &size) == 0,
	};

	if (needed(&kind) & kinds)
		return;
	if (kind.connected)
		state = "connected";
	else if (option(fd, SO_ACCEPTCONN))
		state = "listening";
	die("%s is a socket (family %s %d, type %s, protocol %d, %s), and the "
	    "policy does not let the program make one; pass a pipe",
	    names[fd],
	    word(families, sizeof(families) / sizeof(*families), kind.family),
	    kind.family, word(types, sizeof(types) / sizeof(*types), kind.type),
	    kind.protocol, state);
}

void streams_judge(uint32_t kinds)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat status = {0};
		int flags = fcntl(fd, F_GETFL);

		if (flags < 0 || fstat(fd, &status) != 0)
			die_errno("cannot inspect %s", names[fd]);
		if (flags & O_PATH)
			refuse(fd, "a path without an open file");
		switch (status.st_mode & S_IFMT) {
		case S_IFREG:
			judge_regular(fd);
			break;
		case S_IFIFO:
			break;
		case S_IFCHR:
			judge_character(fd, status.st_rdev, kinds);
			break;
		case S_IFSOCK:
			judge_socket(fd, kinds);
			break;
		case S_IFDIR:
			refuse(fd, "a folder");
		case S_IFBLK:
			refuse(fd, "a block device");
		default:
			refuse(fd, "a kernel object");
		}
	}
}
