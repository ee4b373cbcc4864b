/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the command line; see options.h. */
#include "options.h"

#include <string.h>
#include <unistd.h>

#include "core/bundle.h"
#include "message.h"

/* clang-format off */
static const char help[] =
	"usage: stockade-launch [OPTIONS] (ARTIFACT | --artifact-fd N)\n"
	"                       [--] [PROGRAM [ARGS...]]\n"
	"\n"
	"Confines itself as ARTIFACT says, proves the confinement by trying what is\n"
	"denied, and becomes PROGRAM (an absolute path).\n"
	"\n"
	"  --check             try it in a child, print what is enforced, start nothing\n"
	"  --json              with --check: print one object instead\n"
	"  --artifact-fd N     read the artifact from a fully sealed memfd\n"
	"  --protect PATH      refuse a writable grant that reaches PATH\n"
	"  --cwd DIR           the working folder of PROGRAM\n"
	"  --status-fd N, --status-file PATH   write `pid N` and `failed` there\n"
	"  --warning ID=TEXT   with --check: one more warning to print\n"
	"  --note TEXT         with --check: one more line to print at the end\n"
	"  --help, --version\n"
	"\n"
	"Status: PROGRAM's own; 125 for any refusal, with the reason on standard\n"
	"error; with --check 0 when everything is enforced and 1 when something\n"
	"cannot be.\n";
/* clang-format on */

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

static int descriptor_number(const char *option, const char *text)
{
	int number = 0;

	for (const char *digit = text; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || number > 1 << 20)
			die("`%s` needs a number, not `%s`", option, text);
		number = number * 10 + (*digit - '0');
	}
	if (number < 3)
		die("`%s` needs a descriptor above 2, not `%s`", option, text);
	return number;
}

/* The value of the option at *@next, which then is the last argument taken. */
static char *take_value(char ***next)
{
	const char *option = **next;

	if (!*++*next)
		die("`%s` needs a value", option);
	return **next;
}

static void take_number(char ***next, int *number)
{
	const char *option = **next;
	const char *value = take_value(next);

	if (*number >= 0)
		die("`%s` is given twice", option);
	*number = descriptor_number(option, value);
}

static void take_text(char ***next, const char **text)
{
	const char *option = **next;
	const char *value = take_value(next);

	if (*text)
		die("`%s` is given twice", option);
	*text = value;
}

static void add_warning(char *value, struct stk_options *options)
{
	char *text = strchr(value, '=');

	if (!text || text == value)
		die("`--warning` needs `ID=TEXT`, not `%s`", value);
	if (options->warnings_count == OPTIONS_MOST_WARNINGS)
		die("more than %d warnings are given", OPTIONS_MOST_WARNINGS);
	*text++ = '\0';
	options->warnings[options->warnings_count++] =
		(struct stk_own_warning){value, text};
}

static void take_option(char ***next, struct stk_options *options, char ***kept)
{
	const char *option = **next;

	if (strcmp(option, "--help") == 0)
		answer(help);
	if (strcmp(option, "--version") == 0)
		answer(version);
	if (strcmp(option, "--check") == 0) {
		options->check = true;
	} else if (strcmp(option, "--json") == 0) {
		options->json = true;
	} else if (strcmp(option, "--protect") == 0) {
		*(*kept)++ = take_value(next);
	} else if (strcmp(option, "--warning") == 0) {
		add_warning(take_value(next), options);
	} else if (strcmp(option, "--note") == 0) {
		take_text(next, &options->note);
	} else if (strcmp(option, "--artifact-fd") == 0) {
		take_number(next, &options->artifact_fd);
	} else if (strcmp(option, "--status-fd") == 0) {
		take_number(next, &options->status_fd);
	} else if (strcmp(option, "--status-file") == 0) {
		take_text(next, &options->status_file);
	} else if (strcmp(option, "--cwd") == 0) {
		take_text(next, &options->folder);
	} else {
		die("unknown option `%s`; see --help", option);
	}
}

/* Options up to `--`, the artifact, or the first argument that is none. */
static char **parse_options(char **next, struct stk_options *options)
{
	char **kept = options->protect;

	for (; *next && strncmp(*next, "--", 2) == 0 && (*next)[2]; next++)
		take_option(&next, options, &kept);
	options->protect = kept;
	return next;
}

static void judge(const struct stk_options *options)
{
	const char *const program = *options->program;

	if (!program && !options->check)
		die("no program is named; see --help");
	if (program && *program != '/')
		die("the program's path `%s` is not absolute", program);
	if (!options->check && (options->json || options->warnings_count > 0))
		die("`--json` and `--warning` are for `--check`");
	if (options->note && (!options->check || options->json))
		die("`--note` is for `--check` without `--json`");
	if (options->check && (options->status_file || options->status_fd >= 0))
		die("`--status-fd` and `--status-file` are not for `--check`");
	if (options->status_file && options->status_fd >= 0)
		die("both `--status-fd` and `--status-file` are given");
	if (options->status_file && *options->status_file != '/')
		die("the status file's path `%s` is not absolute",
		    options->status_file);
	if (options->status_fd >= 0 &&
	    options->status_fd == options->artifact_fd)
		die("`--status-fd` and `--artifact-fd` name one descriptor");
}

void options_parse(char **argv, struct stk_options *ret_options)
{
	struct stk_options options = {.artifact_fd = -1, .status_fd = -1};
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
	judge(&options);
	/* At least the program's own name or the artifact lies before `next`.
	 */
	*options.protect = NULL;
	options.protect = argv;
	*ret_options = options;
}
