/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Put up the outside and run commands in it, telling what each changed;
 * scene.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scene.h"

enum {
	COMMAND_SECONDS = 20,
	/* Longer than the tick by which a file's times advance (HZ = 100 at
	   worst). */
	TICK_NANOSECONDS = 12000000,
};

/* The child's side: open descriptors and a variable that must not arrive
 * inside. */
static _Noreturn void become(const struct scene *scene, int output,
			     char *const command[])
{
	static char secret[] = ENVIRONMENT_SECRET "=1";
	char *environment[] = {secret, "PATH=/usr/bin:/bin",
			       "HOME=/nonexistent", NULL};
	int reading = open(at(&scene->arena, "outside/secret"), O_RDONLY);
	int writing = open(at(&scene->arena, "outside/secret"), O_RDWR);
	int folder = open(at(&scene->arena, "outside"), O_RDONLY | O_DIRECTORY);
	sigset_t none;

	dup2(reading, INHERITED_READ);
	dup2(writing, INHERITED_WRITE);
	dup2(folder, INHERITED_FOLDER);
	if (!scene->terminal)
		dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
	dup2(output, 1);
	if (output > 2)
		dup2(output, 2);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(command[0], command, environment);
	fprintf(stderr, "escape: %s: %s\n", command[0], strerror(errno));
	_exit(126);
}

/* Wait for a child, for a bounded time; returns its wait status. */
static int await(pid_t child, effect_sink *sink)
{
	struct timespec limit = {COMMAND_SECONDS, 0};
	sigset_t ends;
	int state = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	for (;;) {
		pid_t ended = waitpid(child, &state, WNOHANG);
		if (ended == child)
			return state;
		if (ended < 0)
			give_up("waitpid");
		if (sigtimedwait(&ends, NULL, &limit) < 0 && errno == EAGAIN) {
			sink("timeout");
			kill(child, SIGKILL);
			waitpid(child, &state, 0);
			return state;
		}
	}
}

static void strangers(const struct scene *scene, effect_sink *sink)
{
	siginfo_t state;

	for (;;) {
		memset(&state, 0, sizeof state);
		if (waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT) !=
			    0 ||
		    state.si_pid == 0 || state.si_pid == scene->victim)
			return;
		waitpid(state.si_pid, NULL, 0);
		sink("stranger");
	}
}

/* SIGUSR1 reaches this process as a member of the group; it must not end by it.
 */
static void survive(int number)
{
	(void)number;
}

static void remember_trees(struct scene *scene)
{
	scene->outside = tree_digest(&scene->arena, "outside");
	scene->granted = tree_digest(&scene->arena, "read") ^
			 tree_digest(&scene->arena, "exec");
	scene->written = tree_digest(&scene->arena, "write") ^
			 tree_digest(&scene->arena, "write2");
}

void scene_open(struct scene *scene, const char *root, bool terminal)
{
	struct timespec tick = {0, TICK_NANOSECONDS};
	sigset_t ends;

	memset(scene, 0, sizeof *scene);
	scene->terminal = terminal;
	snprintf(scene->arena.root, sizeof scene->arena.root, "%s", root);
	signal(SIGUSR1, survive);
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	tree_remove(root);
	tree_make(root);
	victim_start(scene);
	services_open(scene);
	if ((errno = arena_save(&scene->arena)) != 0)
		give_up("context");
	nanosleep(&tick, NULL);
	remember_trees(scene);
}

int scene_run(struct scene *scene, char *const command[], int output,
	      effect_sink *sink)
{
	pid_t child;
	int state;

	fflush(stdout);
	child = fork();
	if (child < 0)
		give_up("fork");
	if (child == 0)
		become(scene, output, command);
	state = await(child, sink);
	strangers(scene, sink);
	victim_effects(scene, sink);
	services_effects(scene, sink);
	tree_effects(scene, sink);
	return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

bool scene_is_fresh(const struct scene *scene)
{
	return (tree_digest(&scene->arena, "write") ^
		tree_digest(&scene->arena, "write2")) == scene->written;
}

void scene_close(struct scene *scene)
{
	services_close(scene);
	victim_end(scene);
	tree_remove(scene->arena.root);
}
