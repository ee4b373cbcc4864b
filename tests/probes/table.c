/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Find a route by its name and print its answer; see table.h. */
#include "table.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "errnos.h"
#include "route.h"
#include "scene.h"

static const struct route_group *const groups[] = {
	&read_routes,         &write_routes,
	&name_routes,         &setid_routes,
	&metadata_routes,     &exec_routes,
	&victim_routes,       &signal_routes,
	&namespace_routes,    &child_routes,
	&socket_routes,       &kernel_routes,
	&ipc_routes,          &terminal_routes,
	&foreign_routes,      &works_routes,
	&limit_routes,        &works_process_routes,
	&victim_limit_routes, &signal_end_routes,
	&client_routes,       &works_debugger_routes,
};

enum { ROUTE_SECONDS = 2 };

enum { GROUPS = sizeof groups / sizeof groups[0] };

static const struct route *find(const char *name)
{
	for (size_t i = 0; i < GROUPS; i++)
		for (size_t j = 0; j < groups[i]->count; j++)
			if (strcmp(groups[i]->routes[j].name, name) == 0)
				return &groups[i]->routes[j];
	return NULL;
}

unsigned route_flags(const char *name)
{
	const struct route *route = find(name);

	return route == NULL ? 0 : route->flags;
}

void list_routes(void)
{
	for (size_t i = 0; i < GROUPS; i++)
		for (size_t j = 0; j < groups[i]->count; j++)
			printf("%s%s\n", groups[i]->routes[j].name,
			       groups[i]->routes[j].flags & ROUTE_TERMINAL
				       ? " terminal"
				       : "");
}

/* A call as numbers: harmless words, whose natural error tells that the
 * kernel's own code was reached. */
static int bare_call(const char *text)
{
	long words[7] = {0};
	char *end = (char *)text;
	long done;

	for (int i = 0; i < 7 && *end != '\0'; i++) {
		words[i] = (long)strtoul(end, &end, 0);
		if (*end == ':')
			end++;
	}
	ATTEMPT(done, "call", call_words(words[0], words + 1));
	return 0;
}

int try_route(const char *name, const char *root, const char *alias)
{
	static const char prefix[] = "call:";
	const struct route *route = find(name);
	struct arena arena = {.root = ""};
	char buffer[ERRNO_NAME_BYTES];
	int error;

	route_broken = false;
	route_name = alias == NULL ? name : alias;
	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		error = bare_call(name + sizeof prefix - 1);
	else if (route == NULL)
		error = route_break("find", ENOENT);
	else if ((error = arena_load(&arena, root)) != 0)
		route_break("context", error);
	else
		error = route->run(&arena);
	printf("answer %s %s %s %s\n", route_name,
	       route_broken ? "broken" : errno_name(error, buffer), route_step,
	       route_broken ? errno_name(error, buffer) : "");
	return 0;
}

int try_all(const char *root, bool apart, char *const names[])
{
	/* Some reach the whole group. */
	signal(SIGUSR1, apart ? SIG_IGN : SIG_DFL);
	for (; *names != NULL; names++) {
		pid_t child;

		fflush(stdout);
		child = apart ? fork() : 0;
		if (child < 0)
			give_up("fork");
		/* What one left behind may make another wait. */
		if (child == 0)
			alarm(ROUTE_SECONDS);
		if (child == 0)
			try_route(*names, root, NULL);
		if (child == 0 && apart)
			leave(0);
		if (apart)
			waitpid(child, NULL, 0);
	}
	printf("tried all\n");
	return 0;
}
