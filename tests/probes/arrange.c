/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Arrange one run and print what it changed; with a terminal of its own where
 * the command wants one. See scene.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "scene.h"

enum {
	ROWS = 24,
	COLUMNS = 80,
};

static void print_effect(const char *name)
{
	printf("effect %s\n", name);
}

static void terminal_effects(pid_t foreground)
{
	struct winsize size;
	int exclusive = 0;
	char typed;

	signal(SIGTTIN, SIG_IGN);
	if (tcgetpgrp(0) != foreground || ioctl(0, TIOCGWINSZ, &size) != 0 ||
	    size.ws_row != ROWS || ioctl(0, (int)TIOCGEXCL, &exclusive) != 0 ||
	    exclusive)
		print_effect("terminal-changed");
	fcntl(0, F_SETFL, O_NONBLOCK);
	while (read(0, &typed, 1) == 1)
		if (typed != 'x')
			print_effect("typed");
}

static int arrange_here(const char *root, bool terminal, char *const command[])
{
	struct scene scene;
	pid_t foreground = terminal ? tcgetpgrp(0) : 0;
	int status;

	if (!terminal && setpgid(0, 0) != 0)
		give_up("setpgid");
	scene_open(&scene, root, terminal);
	status = scene_run(&scene, command, 1, print_effect);
	printf("status %d\n", status);
	if (terminal)
		terminal_effects(foreground);
	fflush(stdout);
	scene_close(&scene);
	return status;
}

static void open_session(const char *name)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	struct termios modes;
	int slave;

	if (setsid() < 0 || (slave = open(name, O_RDWR | O_CLOEXEC)) < 0 ||
	    ioctl(slave, TIOCSCTTY, 0) != 0 || tcgetattr(slave, &modes) != 0)
		give_up(name);
	cfmakeraw(&modes);
	if (tcsetattr(slave, TCSANOW, &modes) != 0 ||
	    ioctl(slave, TIOCSWINSZ, &size) != 0 || dup2(slave, 0) < 0)
		give_up(name);
}

/* Sit at the terminal's other end: answer every output with a key. */
static int sit(int master, pid_t child)
{
	char text[64];
	int state = 0;

	while (read(master, text, sizeof text) > 0)
		if (write(master, "x", 1) != 1)
			break;
	while (waitpid(child, &state, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int arrange(const char *root, bool terminal, char *const command[])
{
	int master;
	pid_t child;

	if (!terminal)
		return arrange_here(root, false, command);
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		give_up("/dev/ptmx");
	child = fork();
	if (child < 0)
		give_up("fork");
	if (child == 0) {
		open_session(ptsname(master));
		close(master);
		leave(arrange_here(root, true, command));
	}
	return sit(master, child);
}
