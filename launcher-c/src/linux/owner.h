/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the owner that stat(2) shows into whether it names one user at all.  In
 * a user namespace everybody without a number there is shown as one and the
 * same overflow number, user_namespaces(7), a caller without one included.
 */
#ifndef STOCKADE_OWNER_H
#define STOCKADE_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * False for a number that may stand for strangers.  Reads /proc at the first
 * question: ask only where a number would be accepted otherwise.
 */
bool owner_is_known(uint32_t user);
bool owner_is_known_group(uint32_t group);

#endif
