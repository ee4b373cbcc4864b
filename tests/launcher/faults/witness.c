/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Says how confined it is, one fact a line, so that a start with a fault can be
 * compared with one without.
 *
 * witness WITNESS-CALL SECRET OUTSIDE GIVEN OUT
 *
 * `fact` must be the same, `deny` must be an error, `give` may be one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void say(const char *kind, const char *name, long answer)
{
	printf("%s %s %d\n", kind, name, answer < 0 ? errno : 0);
}

static long end_child(long child)
{
	if (child == 0)
		_exit(0);
	if (child > 0)
		(void)waitpid((pid_t)child, NULL, 0);
	return child;
}

static void print_state(long witness)
{
	struct rlimit limit;
	struct stat status;
	char folder[4096];

	printf("fact no-new-privileges %d\n",
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	printf("fact seccomp %d\n", prctl(PR_GET_SECCOMP));
	errno = 0;
	(void)syscall(witness);
	printf("fact witness %d\n", errno >= 1000 && errno < 4095);
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("fact descriptor %d %o\n", fd,
			       fstat(fd, &status) == 0 ? status.st_mode & S_IFMT
						       : 0);
	for (char **entry = environ; *entry; entry++)
		printf("fact environment %s\n", *entry);
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	printf("limit descriptors %lu of %lu\n", limit.rlim_cur,
	       limit.rlim_max);
	printf("fact folder %s\n", getcwd(folder, sizeof(folder)));
	printf("fact mask %o\n", umask(0));
}

static void print_signals(void)
{
	struct sigaction action;
	sigset_t mask;

	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < 32; number++)
		if (sigaction(number, NULL, &action) == 0 &&
		    (action.sa_handler != SIG_DFL ||
		     sigismember(&mask, number)))
			printf("signal %d %s%s\n", number,
			       action.sa_handler == SIG_IGN ? "ignored" : "",
			       sigismember(&mask, number) ? " blocked" : "");
}

static const char *within(const char *folder, const char *name)
{
	static char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void try_files(const char *secret, const char *outside)
{
	say("deny", "read", open(secret, O_RDONLY));
	say("deny", "write", open(secret, O_WRONLY));
	say("deny", "truncate", truncate(secret, 0));
	say("deny", "list", open(outside, O_RDONLY | O_DIRECTORY));
	say("deny", "make",
	    open(within(outside, "made"), O_CREAT | O_WRONLY, 0600));
	say("deny", "make-folder", mkdir(within(outside, "folder"), 0700));
	say("deny", "remove", unlink(within(outside, "victim")));
	say("deny", "rename", rename(within(outside, "victim"), "elsewhere"));
	say("deny", "link", symlink("x", within(outside, "link")));
	say("deny", "execute",
	    execl(within(outside, "program"), "program", NULL));
}

static void try_calls(const char *secret)
{
	struct rlimit limit;
	struct io_uring_params parameters = {0};

	say("deny", "setid", fchmod(-1, 04000));
	say("deny", "change-mode", chmod(secret, 0644));
	say("deny", "signal", kill(getppid(), 0));
	/* The same limit again: nothing changes where it is allowed. */
	(void)getrlimit(RLIMIT_CORE, &limit);
	say("deny", "limit", prlimit(getppid(), RLIMIT_CORE, &limit, NULL));
	say("deny", "network", socket(AF_INET, SOCK_STREAM, 0));
	say("deny", "unix", socket(AF_UNIX, SOCK_STREAM, 0));
	say("deny", "namespace", unshare(CLONE_NEWUSER));
	say("deny", "ring", syscall(SYS_io_uring_setup, 1, &parameters));
	say("deny", "process", end_child(syscall(SYS_clone, SIGCHLD, 0)));
	say("deny", "keys", syscall(SYS_keyctl, 0, -3, 0));
	say("deny", "trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	/* Unconfined it writes where it is told to: never as root. */
	if (argc < 6 || geteuid() == 0)
		return 2;
	/* A script's own name may stand before the last four. */
	char **paths = argv + argc - 4;

	print_state(atol(argv[1]));
	print_signals();
	try_files(paths[0], paths[1]);
	try_calls(paths[0]);
	say("give", "read", open(paths[2], O_RDONLY));
	say("give", "make",
	    open(within(paths[3], "made"), O_CREAT | O_WRONLY, 0600));
	say("deny", "write-read-only", open(paths[2], O_WRONLY));
	printf("end\n");
	return fflush(stdout) == 0 ? 0 : 3;
}
