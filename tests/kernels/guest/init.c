/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn /plan into a transcript on the console and an exit status of the
 * emulator.
 *
 * Process 1 of every row. It first writes /settings, lines of `NAME=VALUE`,
 * into /proc/sys. Each line of the plan is `NAME STATUS COMMAND`: the command
 * runs as an unprivileged user, or as root where NAME starts with `root-`, has
 * as many seconds as /seconds says, and must end with that status. Both the
 * transcript and the emulator's exit status carry the number of misses, so that
 * neither a lost line nor a kernel that dies can look like a success.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

enum {
	UNPRIVILEGED = 65534,
	LINE_BYTES = 4096,
	COMMAND_SECONDS = 150, /* where /seconds says nothing */
	MOST_MISSES = 100,
};

static long command_seconds = COMMAND_SECONDS;

/* End the emulator with a status that tells `misses`. */
static void end(unsigned misses)
{
	unsigned status = misses > MOST_MISSES ? MOST_MISSES : misses;

#if defined(__x86_64__)
	/* The device ends QEMU with 2 * value + 1; a panic ends it with 0. */
	if (ioperm(0xf4, 4, 1) == 0)
		outl(status, 0xf4);
#elif defined(__aarch64__)
	/* Semihosting SYS_EXIT with ADP_Stopped_ApplicationExit: status =
	 * value. */
	unsigned long block[2] = {0x20026, status};
	register unsigned long operation __asm__("x0") = 0x18;
	register unsigned long *argument __asm__("x1") = block;

	__asm__ volatile("hlt #0xf000"
			 :
			 : "r"(operation), "r"(argument)
			 : "memory");
#endif
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* Return how many mounts failed: a guest that lacks one is not what rows
 * expect. */
static unsigned mount_all(void)
{
	unsigned misses = 0;
	static const struct {
		const char *type, *place, *options;
	} mounts[] = {
		{"proc", "/proc", NULL},
		{"sysfs", "/sys", NULL},
		{"devtmpfs", "/dev", NULL},
		{"devpts", "/dev/pts", "mode=0620,ptmxmode=0666"},
		{"tmpfs", "/dev/shm", "mode=1777"},
		{"tmpfs", "/tmp", "mode=1777"},
		{"tmpfs", "/var/tmp", "mode=1777"},
	};

	for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
		mkdir(mounts[i].place, 0755);
		if (mount(mounts[i].type, mounts[i].place, mounts[i].type, 0,
			  mounts[i].options) != 0) {
			printf("@@NOTE mount %s: %s\n", mounts[i].place,
			       strerror(errno));
			misses++;
		}
	}
	return misses;
}

/* Routes over loopback must be stopped by the sandbox and not by a link that is
 * down. */
static unsigned raise_loopback(void)
{
	int failed;
	struct ifreq request = {.ifr_name = "lo"};
	int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	request.ifr_flags = IFF_UP | IFF_RUNNING;
	failed = handle < 0 || ioctl(handle, SIOCSIFFLAGS, &request) != 0;
	if (failed)
		printf("@@NOTE loopback: %s\n", strerror(errno));
	if (handle >= 0)
		close(handle);
	return failed != 0;
}

/* Write the settings of the row, and return how many could not be. */
static unsigned apply_settings(void)
{
	char line[LINE_BYTES], path[LINE_BYTES + 16];
	unsigned misses = 0;
	FILE *settings = fopen("/settings", "re"), *file;

	while (settings != NULL && fgets(line, sizeof line, settings) != NULL) {
		char *name = strtok(line, "="), *value = strtok(NULL, "\n");

		snprintf(path, sizeof path, "/proc/sys/%s", name);
		file = fopen(path, "we");
		if (file == NULL || value == NULL || fputs(value, file) < 0 ||
		    fclose(file) != 0) {
			printf("@@NOTE setting %s: %s\n", name,
			       strerror(errno));
			misses++;
		}
	}
	return misses;
}

static void read_limit(void)
{
	char line[32];
	FILE *file = fopen("/seconds", "re");

	if (file != NULL && fgets(line, sizeof line, file) != NULL)
		command_seconds = atol(line);
}

/* The child's side of run(): become nobody in particular, then the command. */
static _Noreturn void become(const char *command, int output, int as_root)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	dup2(null, 0);
	dup2(output, 1);
	dup2(output, 2);
	for (int descriptor = 3; descriptor < 64; descriptor++)
		close(descriptor);
	if (chdir("/data") != 0 || setgroups(0, NULL) != 0)
		_exit(121);
	if (!as_root &&
	    (setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED) != 0 ||
	     setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED) != 0 ||
	     setuid(0) == 0))
		_exit(121);
	execl("/bin/busybox", "sh", "-c", command, (char *)NULL);
	_exit(122);
}

/* Copy what the command prints to the console, each line marked, until it ends
 * or its time is over. */
static void relay(int input)
{
	struct timespec start, now;
	struct pollfd waiting = {.fd = input, .events = POLLIN};
	char text[512];
	int fresh = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec >= command_seconds)
			break;
		if (poll(&waiting, 1, 1000) <= 0)
			continue;
		ssize_t count = read(input, text, sizeof text);
		if (count <= 0)
			break;
		for (ssize_t i = 0; i < count; i++) {
			if (fresh)
				fputs("@@| ", stdout);
			fputc(text[i], stdout);
			fresh = text[i] == '\n';
		}
		fflush(stdout);
	}
	if (!fresh)
		fputc('\n', stdout);
}

/* Return the exit status of a command, or 128 and its signal. */
static int run(const char *command, int as_root)
{
	int ends[2], state = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0 || (child = fork()) < 0)
		return 123;
	if (child == 0)
		become(command, ends[1], as_root);
	close(ends[1]);
	relay(ends[0]);
	close(ends[0]);
	kill(-child, SIGKILL);
	if (waitpid(child, &state, 0) < 0)
		return 124;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int main(void)
{
	char line[LINE_BYTES];
	unsigned misses, done = 0;
	FILE *plan;

	misses = mount_all() + raise_loopback() + apply_settings();
	read_limit();
	printf("@@BEGIN\n");
	plan = fopen("/plan", "re");
	while (plan != NULL && fgets(line, sizeof line, plan) != NULL) {
		char *name = strtok(line, " "), *wanted = strtok(NULL, " ");
		char *command = strtok(NULL, "\n");
		if (command == NULL)
			continue;
		printf("@@RUN %s\n", name);
		fflush(stdout);
		int status = run(command, strncmp(name, "root-", 5) == 0);
		printf("@@EXIT %s %d\n", name, status);
		misses += status != atoi(wanted);
		done++;
	}
	if (done == 0)
		misses++;
	printf("@@END rc=%u\n", misses);
	fflush(stdout);
	/* The serial line is slower than its driver's buffer. */
	tcdrain(STDOUT_FILENO);
	end(misses);
}
