/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Find routes by name, over every group; see route.h. */
#ifndef STOCKADE_PROBES_TABLE_H
#define STOCKADE_PROBES_TABLE_H

#include <stdbool.h>

/* Flags of a route, 0 for a name that is none. */
unsigned route_flags(const char *name);

/* Try a route, or a bare `call:NUMBER:WORD...`, in an arena that stands; prints
 * `answer NAME ANSWER STEP`. Returns the exit status. */
int try_route(const char *name, const char *root, const char *alias);

/* Try one route after the other, in this very process or `apart`, each in a
 * child of its own; ends with the line `tried all`. */
int try_all(const char *root, bool apart, char *const names[]);

/* Print every name with its flags. */
void list_routes(void);

#endif
