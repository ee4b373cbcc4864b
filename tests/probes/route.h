/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Describe a route: one way out of a sandbox, tried with raw system calls.
 *
 * A route returns 0 when it got through and the errno of the call that refused
 * it otherwise. Steps that a sandbox must not refuse are told apart from the
 * try itself: when one fails, the route is *broken* and proves nothing.
 */
#ifndef STOCKADE_PROBES_ROUTE_H
#define STOCKADE_PROBES_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "call.h"

enum {
	ROUTE_TERMINAL =
		1, /* standard input is a terminal in whose session it runs */
};

struct route {
	const char *name;
	int (*run)(const struct arena *arena);
	unsigned flags;
};

/* What the running route did last, for its answer; set by the macros below. */
extern const char *route_step;
extern bool route_broken;
extern const char *route_name;

/* Try a call that a sandbox may refuse; its errno becomes the route's answer.
 */
#define ATTEMPT(result, step, expression)                                      \
	do {                                                                   \
		route_step = (step);                                           \
		(result) = (expression);                                       \
		if ((result) < 0)                                              \
			return (int)-(result);                                 \
	} while (0)

/* Make a call that must work wherever the route is tried. */
#define PREPARE(result, step, expression)                                      \
	do {                                                                   \
		route_step = (step);                                           \
		(result) = (expression);                                       \
		if ((result) < 0) {                                            \
			route_broken = true;                                   \
			return (int)-(result);                                 \
		}                                                              \
	} while (0)

/* End a route that got through but did not find what was there to be found. */
int route_break(const char *step, int error);

/* Read outside/secret from a descriptor; 0 when it is the secret itself. */
int read_secret(long descriptor);

/* Open a path and read the secret from it. */
int open_secret(const char *path);

/* Become a program that reports that this route got through. */
int run_program(const char *path);

/* Copy this program's file into an open descriptor; 0, or an errno below zero.
 */
long copy_program(const struct arena *arena, long target);

struct route_group {
	const struct route *routes;
	size_t count;
};

extern const struct route_group read_routes, write_routes, name_routes,
	setid_routes, metadata_routes, exec_routes, namespace_routes,
	victim_routes, victim_limit_routes, signal_routes, signal_end_routes,
	child_routes, socket_routes, kernel_routes, ipc_routes, terminal_routes,
	client_routes, foreign_routes, works_routes, works_process_routes,
	works_debugger_routes, limit_routes;

#define ROUTE_GROUP(group, table)                                              \
	const struct route_group group = {table,                               \
					  sizeof(table) / sizeof((table)[0])}

#endif
