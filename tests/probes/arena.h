/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Describe the place that routes act on: granted folders, a folder outside, a
 * victim.
 *
 *   ROOT/read     granted for reading: `data`, `context`, `program`, `link-out`
 *   ROOT/exec     granted for reading and executing: `program`, `script`
 *   ROOT/write    granted for writing: `data`, `host-link`, `host-fifo`
 *   ROOT/write2   granted for writing as well
 *   ROOT/outside  granted to nobody: `secret`, `program`, `folder`, `stream`,
 * ...
 *
 * Everything belongs to the user that runs the routes, so that nothing but the
 * confinement can be what refuses.
 */
#ifndef STOCKADE_PROBES_ARENA_H
#define STOCKADE_PROBES_ARENA_H

enum {
	ARENA_ROOT_BYTES = 192,
	ARENA_PATH_BYTES = 320,
	/* Descriptors that the caller leaves open, far above those of a start.
	 */
	INHERITED_READ = 20,
	INHERITED_WRITE = 21,
	INHERITED_FOLDER = 22,
	ARENA_KEY = 0x53746b64,
};

/* What a route needs to know; written by the arranging side into read/context.
 */
struct arena {
	char root[ARENA_ROOT_BYTES];
	long victim;          /* process ID of a process of the same user */
	long group;           /* its process group, which the caller shares */
	unsigned long word;   /* address of VICTIM_WORD in it */
	long victim_fd;       /* its descriptor of outside/secret */
	long tcp4, tcp6, udp; /* ports on loopback, -1 where there is none */
	long memory, queue,
		semaphore; /* System V IDs of the caller, -1 where none */
	long key; /* serial number of a key of the user, -1 where none */
};

#define SECRET_TEXT        "secret of the arena\n"
#define DATA_TEXT          "data of the arena\n"
#define VICTIM_WORD        0x76696374696d21UL
#define ENVIRONMENT_SECRET "STOCKADE_ESCAPE_SECRET"

/* Join the root and a path below it, in one of a few buffers that take turns.
 */
const char *at(const struct arena *arena, const char *path);

/* Make a name that only this arena has, after a prefix. */
const char *own_name(const struct arena *arena, const char *prefix);

/* Read or write ROOT/read/context; 0, or an errno. */
int arena_load(struct arena *arena, const char *root);
int arena_save(const struct arena *arena);

#endif
