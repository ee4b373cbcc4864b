/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the command line; see options.h. */
#include "options.h"

#include <string.h>

#include "message.h"

/* clang-format off */
static const char help[] =
	"usage: stockade-launch --check [--json] ARTIFACT [[--] PROGRAM [ARGS...]]\n"
	"\n"
	"Reads ARTIFACT and prints what it asks of this system. This build enforces\n"
	"nothing yet, so it starts nothing: without --check it refuses.\n"
	"\n"
	"  --check             print the plan\n"
	"  --json              with --check: print one object instead\n"
	"  --help, --version\n"
	"\n"
	"Status: 1 when the plan was printed, none of which is enforced; 125 for any\n"
	"refusal, with the reason on standard error.\n";
/* clang-format on */

static const char version[] = "stockade-launch " STOCKADE_RELEASE "\n";

static _Noreturn void answer(const char *text)
{
	if (!system_write(SYSTEM_OUTPUT, text, strlen(text)))
		die("cannot write to standard output");
	system_end(0);
}

/* Options up to `--`, the artifact, or the first argument that is none. */
static char **parse_options(char **next, struct stk_options *options)
{
	for (; *next && strncmp(*next, "--", 2) == 0 && (*next)[2]; next++) {
		if (strcmp(*next, "--help") == 0)
			answer(help);
		if (strcmp(*next, "--version") == 0)
			answer(version);
		if (strcmp(*next, "--check") == 0)
			options->check = true;
		else if (strcmp(*next, "--json") == 0)
			options->json = true;
		else
			die("unknown option `%s`; see --help", *next);
	}
	return next;
}

void options_parse(char **argv, struct stk_options *ret_options)
{
	struct stk_options options = {0};
	char **next = argv;

	if (*next)
		next++;
	next = parse_options(next, &options);
	if (!*next || strcmp(*next, "--") == 0)
		die("no artifact is named; see --help");
	options.artifact = *next++;
	next = parse_options(next, &options);
	if (*next && strcmp(*next, "--") == 0)
		next++;
	options.program = *next;
	if (!options.program && !options.check)
		die("no program is named; see --help");
	if (options.json && !options.check)
		die("`--json` is for `--check`");
	*ret_options = options;
}
