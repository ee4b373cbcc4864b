/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Try the ways out of a sandbox and print what the kernel answered.
 *
 * One static program, so that the same bytes run in the test suite, through the
 * launcher and in a bare booted kernel. It judges nothing by itself:
 * expectations stand in one table outside (tests/escape/routes.py).
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decide.h"
#include "scene.h"
#include "table.h"

static const char usage[] =
	"usage: escape list\n"
	"       escape try ROUTE ARENA [NAME]         try one route, print its "
	"answer\n"
	"       escape all (--here | --apart) ARENA ROUTE...\n"
	"                                             try many routes, in one "
	"process or in children\n"
	"       escape arrange [--terminal] ARENA -- PROGRAM [ARGUMENT...]\n"
	"                                             put up an arena, run, "
	"print effects\n"
	"       escape suite FILE                     try routes outside and "
	"inside, judge\n"
	"       escape decide                         do `ACTION PATH` lines, "
	"print answers\n"
	"       escape as USER GROUP -- PROGRAM [ARGUMENT...]\n"
	"                                             give up root's identity, "
	"then run\n";

static int misuse(void)
{
	fputs(usage, stderr);
	return 2;
}

/* Where the words after `--` begin; NULL without them. */
static char **after_dashes(char **words)
{
	while (*words != NULL && strcmp(*words, "--") != 0)
		words++;
	return *words == NULL || words[1] == NULL ? NULL : words + 1;
}

static int arrange_command(char **words)
{
	bool terminal = words[0] != NULL && strcmp(words[0], "--terminal") == 0;
	char **command = after_dashes(words);

	words += terminal;
	if (command == NULL || words[0][0] != '/')
		return misuse();
	return arrange(words[0], terminal, command);
}

static int as_command(char **words)
{
	char **command = after_dashes(words);

	if (command != words + 3)
		return misuse();
	uid_t user = (uid_t)atol(words[0]);
	gid_t group = (gid_t)atol(words[1]);
	if (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 ||
	    setresuid(user, user, user) != 0 || user == 0 || setuid(0) == 0)
		give_up("as");
	execv(command[0], command);
	give_up(command[0]);
}

int main(int count, char **words)
{
	const char *verb = count > 1 ? words[1] : "";

	if (strcmp(verb, "list") == 0)
		list_routes();
	else if (strcmp(verb, "try") == 0 && (count == 4 || count == 5))
		return try_route(words[2], words[3],
				 count == 5 ? words[4] : NULL);
	else if (strcmp(verb, "all") == 0 && count > 4)
		return try_all(words[3], strcmp(words[2], "--apart") == 0,
			       words + 4);
	else if (strcmp(verb, "arrange") == 0)
		return arrange_command(words + 2);
	else if (strcmp(verb, "suite") == 0 && count == 3)
		return suite(words[2]);
	else if (strcmp(verb, "decide") == 0 && count == 2)
		return decide();
	else if (strcmp(verb, "as") == 0)
		return as_command(words + 2);
	else if (strcmp(verb, "reached") == 0)
		printf("answer %s ok execve\n", words[count - 1]);
	else if (strcmp(verb, "silent") != 0)
		return misuse();
	return 0;
}
