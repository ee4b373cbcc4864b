/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a confined process does to itself, its threads and its children must
 * work. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "route.h"

static int works_exec(const struct arena *arena)
{
	return run_program(at(arena, "exec/program"));
}

static void *return_argument(void *argument)
{
	return argument;
}

static int works_threads(const struct arena *arena)
{
	pthread_t threads[4];
	int marks[4];
	void *answer;

	(void)arena;
	for (long i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, return_argument,
				   &marks[i]) != 0)
			return EAGAIN;
	for (long i = 0; i < 4; i++)
		if (pthread_join(threads[i], &answer) != 0 ||
		    answer != &marks[i])
			return route_break("pthread_join", EBADMSG);
	return 0;
}

static volatile sig_atomic_t received;
static sigjmp_buf after_abort;

static void receive(int number)
{
	received = number;
}

static void *wait_for_signal(void *argument)
{
	while (!received)
		usleep(100);
	return argument;
}

static int works_thread_signal(const struct arena *arena)
{
	pthread_t thread;
	int error;

	(void)arena;
	signal(SIGUSR1, receive);
	if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0)
		return route_break("pthread_create", EAGAIN);
	route_step = "pthread_kill";
	error = pthread_kill(thread, SIGUSR1);
	received = SIGUSR1;
	pthread_join(thread, NULL);
	return error;
}

static int works_raise(const struct arena *arena)
{
	(void)arena;
	signal(SIGUSR1, receive);
	route_step = "raise";
	if (raise(SIGUSR1) != 0)
		return errno;
	return received == SIGUSR1 ? 0 : route_break("receive", EBADMSG);
}

static int works_kill_self(const struct arena *arena)
{
	long done;

	(void)arena;
	signal(SIGUSR1, receive);
	ATTEMPT(done, "kill", call(SYS_kill, getpid(), SIGUSR1));
	return received == SIGUSR1 ? 0 : route_break("receive", EBADMSG);
}

static void leave_abort(int number)
{
	siglongjmp(after_abort, number);
}

/* abort() ends by SIGABRT and by nothing else. */
static int works_abort(const struct arena *arena)
{
	int number;

	(void)arena;
	signal(SIGABRT, leave_abort);
	signal(SIGSEGV, leave_abort);
	number = sigsetjmp(after_abort, 1);
	if (number == 0)
		abort();
	return number == SIGABRT ? 0 : route_break("abort", EBADMSG);
}

static int works_descriptors(const struct arena *arena)
{
	char byte = 0;
	int ends[2];
	long done;

	(void)arena;
	ATTEMPT(done, "pipe2", call(SYS_pipe2, ends, 0));
	ATTEMPT(done, "fcntl(F_SETFL)",
		call(SYS_fcntl, ends[0], F_SETFL, O_NONBLOCK));
	ATTEMPT(done, "fcntl(F_SETFD)",
		call(SYS_fcntl, ends[0], F_SETFD, FD_CLOEXEC));
	ATTEMPT(done, "write", call(SYS_write, ends[1], "x", 1));
	ATTEMPT(done, "read", call(SYS_read, ends[0], &byte, 1));
	done = call(SYS_read, ends[0], &byte, 1);
	return done == -EAGAIN ? 0 : route_break("read", EBADMSG);
}

static int works_socket_pair(const struct arena *arena)
{
	char text[2] = "x";
	struct iovec part = {text, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int ends[2];
	long done;

	(void)arena;
	ATTEMPT(done, "socketpair",
		call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
		     ends));
	ATTEMPT(done, "sendmsg", call(SYS_sendmsg, ends[0], &message, 0));
	ATTEMPT(done, "recvmsg", call(SYS_recvmsg, ends[1], &message, 0));
	return 0;
}

/* Memory files are had with the seal that keeps them from running. */
static int works_sealed_memory(const struct arena *arena)
{
	enum { NOEXEC_SEAL = 8 };
	long descriptor, count;

	(void)arena;
	ATTEMPT(descriptor, "memfd_create",
		call(SYS_memfd_create, "works", NOEXEC_SEAL));
	ATTEMPT(count, "write", call(SYS_write, descriptor, "x", 1));
	return 0;
}

static int works_own_limits(const struct arena *arena)
{
	struct rlimit limit;
	long done;

	ATTEMPT(done, "prlimit64(0, read)",
		call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit));
	ATTEMPT(done, "prlimit64(0, write)",
		call(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, 0));
	ATTEMPT(done, "prlimit64(victim, read)",
		call(SYS_prlimit64, arena->victim, RLIMIT_NOFILE, 0, &limit));
	return 0;
}

/* By number only a program without children may: no stranger gets its number.
 */
static int works_own_limits_by_number(const struct arena *arena)
{
	struct rlimit limit;
	long done;

	(void)arena;
	ATTEMPT(done, "prlimit64(0, read)",
		call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit));
	ATTEMPT(done, "prlimit64(own, write)",
		call(SYS_prlimit64, getpid(), RLIMIT_NOFILE, &limit, 0));
	return 0;
}

static int works_own_group(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "setpgid(0, 0)", call(SYS_setpgid, 0, 0));
	return 0;
}

static int works_terminal(const struct arena *arena)
{
	unsigned char modes[64];
	unsigned short size[4];
	int waiting;
	long done;

	(void)arena;
	ATTEMPT(done, "ioctl(TCGETS)", call(SYS_ioctl, 0, 0x5401, modes));
	ATTEMPT(done, "ioctl(TIOCGWINSZ)", call(SYS_ioctl, 0, 0x5413, size));
	ATTEMPT(done, "ioctl(FIONREAD)", call(SYS_ioctl, 0, 0x541b, &waiting));
	return 0;
}

static int works_children(const struct arena *arena)
{
	int state = 0;
	pid_t child;

	(void)arena;
	route_step = "fork";
	child = fork();
	if (child < 0)
		return errno;
	if (child == 0) {
		pause();
		_exit(1);
	}
	route_step = "kill";
	if (kill(child, SIGTERM) != 0)
		return errno;
	if (waitpid(child, &state, 0) != child || !WIFSIGNALED(state))
		return route_break("waitpid", EBADMSG);
	return 0;
}

static int works_child_program(const struct arena *arena)
{
	const char *path = at(arena, "exec/program");
	int state = 0;
	pid_t child;

	route_step = "fork";
	child = fork();
	if (child < 0)
		return errno;
	if (child == 0) {
		execl(path, "escape", "silent", (char *)NULL);
		_exit(errno);
	}
	if (waitpid(child, &state, 0) != child || !WIFEXITED(state))
		return route_break("waitpid", EBADMSG);
	route_step = "execve";
	return WEXITSTATUS(state);
}

static const struct route table[] = {
	{"works-exec", works_exec, 0},
	{"works-threads", works_threads, 0},
	{"works-thread-signal", works_thread_signal, 0},
	{"works-raise", works_raise, 0},
	{"works-kill-self", works_kill_self, 0},
	{"works-abort", works_abort, 0},
	{"works-descriptors", works_descriptors, 0},
	{"works-socket-pair", works_socket_pair, 0},
	{"works-sealed-memory", works_sealed_memory, 0},
	{"works-own-limits", works_own_limits, 0},
	{"works-own-limits-by-number", works_own_limits_by_number, 0},
	{"works-own-group", works_own_group, 0},
	{"works-terminal", works_terminal, ROUTE_TERMINAL},
	{"works-children", works_children, 0},
	{"works-child-program", works_child_program, 0},
};
ROUTE_GROUP(works_process_routes, table);
