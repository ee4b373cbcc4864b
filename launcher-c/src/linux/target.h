/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the need for a process outside the sandbox into one to signal. */
#ifndef STOCKADE_TARGET_H
#define STOCKADE_TARGET_H

#include <sys/types.h>

/*
 * The parent where it may be signalled; else a stand-in that ends at exec and
 * is no child of ours.  0 where neither can be had.
 */
pid_t target_find(void);

#endif
