/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns whatever descriptors the caller left into 0, 1, 2 and those the
 * launcher opens, all of which end at exec.
 */
#ifndef STOCKADE_DESCRIPTORS_H
#define STOCKADE_DESCRIPTORS_H

#include <stdint.h>

/* Opens /dev/null as 0, 1 and 2 where they are closed. */
void descriptors_fill_standard(void);

/*
 * Closes all above 2 but @one and @other (-1: none), which differ, and looks
 * whether that is so.
 */
void descriptors_close_others(int one, int other);

/* Lets the launcher hold one descriptor for each of @grants. */
void descriptors_raise_limit(uint32_t grants);

/* Gives the program the limit that the caller set; returns it. */
uint64_t descriptors_restore_limit(void);

/* Makes sure that 0, 1 and 2 outlive exec and every other descriptor ends. */
void descriptors_end_at_exec(void);

#endif
