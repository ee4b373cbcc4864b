/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns what lies on 0, 1 and 2 into acceptance or a refusal.  A descriptor
 * keeps the rights it was made with, so only kinds that are known to give the
 * program nothing beyond its policy are accepted.
 */
#ifndef STOCKADE_STREAMS_H
#define STOCKADE_STREAMS_H

#include <stdint.h>

/* @kinds: bits of STK_STREAM_… that the policy adds. */
void streams_judge(uint32_t kinds);

#endif
