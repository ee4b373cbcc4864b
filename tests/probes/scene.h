/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Describe the outside of a run: what is put up before a command, and what of
 * it the command changed. A refusal counts only when nothing outside changed as
 * well.
 */
#ifndef STOCKADE_PROBES_SCENE_H
#define STOCKADE_PROBES_SCENE_H

#include <stdbool.h>
#include <sys/types.h>

#include "arena.h"

/* Shared with the victim, whose signal handlers write here. */
struct witness {
	volatile unsigned long word;
	volatile unsigned long signals;
	volatile int flushed;
};

struct scene {
	struct arena arena;
	struct witness *witness;
	pid_t victim;
	int stream, datagram, abstract, abstract_datagram, tcp4, tcp6, udp,
		queue;
	/* digests of the trees before a run */
	unsigned long outside, granted, written;
	unsigned long priorities, limits;
	bool terminal; /* standard input is one, for commands to inherit */
};

typedef void effect_sink(const char *name);

/* The folders and files; errors end the process, as nothing could be judged. */
void tree_make(const char *root);
void tree_remove(const char *root);
unsigned long tree_digest(const struct arena *arena, const char *folder);
void tree_effects(const struct scene *scene, effect_sink *sink);

/* A process of the same user that waits, in the caller's process group. */
void victim_start(struct scene *scene);
void victim_effects(struct scene *scene, effect_sink *sink);
void victim_end(struct scene *scene);

/* Sockets, queues, segments and keys that a command could reach. */
void services_open(struct scene *scene);
void services_effects(struct scene *scene, effect_sink *sink);
void services_close(struct scene *scene);

/* Put all this up below `root`. */
void scene_open(struct scene *scene, const char *root, bool terminal);

/* Run a command, its output going to a descriptor, and name what it changed;
 * returns its exit status. A scene in which something changed must be closed;
 * `scene_is_fresh` tells whether the writable folders are as they were. */
int scene_run(struct scene *scene, char *const command[], int output,
	      effect_sink *sink);
bool scene_is_fresh(const struct scene *scene);
void scene_close(struct scene *scene);

/* Do all of this once, in a process group of one's own, and print `status N`
 * and one line `effect NAME` for each change; returns the command's exit
 * status. With `terminal`, the command's standard input is a terminal of its
 * own session. */
int arrange(const char *root, bool terminal, char *const command[]);

/* Run a file of expectations, each route outside first and then through the
 * launcher; prints a line each and a verdict. Returns the exit status. */
int suite(const char *path);

/* End a process that shares its open files with its parent. */
_Noreturn void leave(int status);

/* Print a reason and end with status 3: the surroundings failed, no route did.
 */
_Noreturn void give_up(const char *what);

#endif
