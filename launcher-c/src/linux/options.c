/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the command line; see options.h. */
#include "options.h"

#include <string.h>
#include <unistd.h>

#include "core/bundle.h"
#include "core/message.h"

static const char help[] =
	"usage: stockade-launch [--check] (ARTIFACT | --artifact-fd N)\n"
	"                       [--protect PATH]... [--] [PROGRAM [ARGS...]]\n"
	"\n"
	"Confines itself as ARTIFACT says, proves the confinement by trying "
	"what is\n"
	"denied, and becomes PROGRAM (an absolute path).\n"
	"\n"
	"  --check           print what this host enforces and start nothing\n"
	"  --artifact-fd N   read the artifact from a fully sealed memfd\n"
	"  --protect PATH    refuse a writable grant that reaches PATH\n"
	"  --help, --version\n"
	"\n"
	"Status: PROGRAM's own; 125 for any refusal, with the reason on "
	"standard\n"
	"error; with --check 0 when everything is enforced and 1 when "
	"something\n"
	"cannot be.\n";

#ifdef STOCKADE_FAKE_ABI
static const char version[] = "stockade-launch " STOCKADE_RELEASE " FAKE_ABI\n";
#else
static const char version[] = "stockade-launch " STOCKADE_RELEASE "\n";
#endif

static _Noreturn void answer(const char *text)
{
	size_t length = strlen(text);

	if (write(STDOUT_FILENO, text, length) != (ssize_t)length)
		die("cannot write to standard output");
	_exit(0);
}

static int descriptor_number(const char *text)
{
	int number = 0;

	for (const char *digit = text; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || number > 1 << 20)
			die("`--artifact-fd` needs a number, not `%s`", text);
		number = number * 10 + (*digit - '0');
	}
	if (number < 3)
		die("`--artifact-fd` needs a descriptor above 2, not `%s`",
		    text);
	return number;
}

/* Options up to `--`, the artifact, or the first argument that is none. */
static char **parse_options(char **next, struct stk_options *options)
{
	char **kept = options->protect;

	for (; *next && strncmp(*next, "--", 2) == 0 && (*next)[2]; next++) {
		const char *option = *next;

		if (strcmp(option, "--help") == 0)
			answer(help);
		if (strcmp(option, "--version") == 0)
			answer(version);
		if (strcmp(option, "--check") == 0) {
			options->check = true;
			continue;
		}
		if (strcmp(option, "--artifact-fd") != 0 &&
		    strcmp(option, "--protect") != 0)
			die("unknown option `%s`; see --help", option);
		if (!*++next)
			die("`%s` needs a value", option);
		if (strcmp(option, "--protect") == 0)
			*kept++ = *next;
		else if (options->artifact_fd >= 0)
			die("`--artifact-fd` is given twice");
		else
			options->artifact_fd = descriptor_number(*next);
	}
	options->protect = kept;
	return next;
}

void options_parse(char **argv, struct stk_options *ret_options)
{
	struct stk_options options = {.artifact_fd = -1};
	char **next = argv;

	if (*next)
		next++;
	/* Paths to protect move to the front, over options already read. */
	options.protect = argv;
	next = parse_options(next, &options);
	if (options.artifact_fd < 0) {
		if (!*next || strcmp(*next, "--") == 0)
			die("no artifact is named; see --help");
		options.artifact = *next++;
		next = parse_options(next, &options);
		if (options.artifact_fd >= 0)
			die("both `%s` and `--artifact-fd` are given",
			    options.artifact);
	}
	if (*next && strcmp(*next, "--") == 0)
		next++;
	options.program = next;
	if (!*next && !options.check)
		die("no program is named; see --help");
	if (*next && **next != '/')
		die("the program's path `%s` is not absolute", *next);
	/* At least the program's own name or the artifact lies before `next`.
	 */
	*options.protect = NULL;
	options.protect = argv;
	*ret_options = options;
}
