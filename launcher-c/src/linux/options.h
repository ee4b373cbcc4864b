/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the arguments into options and refuses any that is not understood. */
#ifndef STOCKADE_OPTIONS_H
#define STOCKADE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPTIONS_MOST_WARNINGS = 32 };

struct stk_options {
	bool check, json;
	/* One of the two: a path, or a descriptor above 2. */
	const char *artifact;
	int artifact_fd;
	/* The status record: one of the two, or neither. */
	const char *status_file;
	int status_fd;
	/* The program's working folder, or NULL for ours. */
	const char *folder;
	/* Ended by a null pointer each; the program may be missing in a check.
	 */
	char **protect;
	char **program;
	/* A line to print after what is enforced, or NULL. */
	const char *note;
	/* Of who compiled the artifact, beside those in it. */
	struct stk_own_warning {
		const char *id, *text;
	} warnings[OPTIONS_MOST_WARNINGS];
	uint32_t warnings_count;
};

/* Rearranges @argv; answers --help and --version itself. */
void options_parse(char **argv, struct stk_options *ret_options);

#endif
