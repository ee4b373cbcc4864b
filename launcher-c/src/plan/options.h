/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the arguments into options and refuses any that is not understood. */
#ifndef STOCKADE_OPTIONS_H
#define STOCKADE_OPTIONS_H

#include <stdbool.h>

struct stk_options {
	bool check, json;
	const char *artifact;
	/* NULL only in a check. */
	const char *program;
};

/* Answers --help and --version itself. */
void options_parse(char **argv, struct stk_options *ret_options);

#endif
