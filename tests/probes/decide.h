/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ask the kernel about many paths in one start. */
#ifndef STOCKADE_PROBES_DECIDE_H
#define STOCKADE_PROBES_DECIDE_H

/* Read `ACTION PATH` lines from standard input, do each, print what the kernel
 * says: `ok` or an error's name, a line each. Returns 2 for a line that is
 * none. */
int decide(void);

#endif
