/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the paths of the artifact and the program into held descriptors, so
 * that what is judged is what Landlock is given, whatever a name means later.
 */
#ifndef STOCKADE_GRANTS_H
#define STOCKADE_GRANTS_H

#include "core/bundle.h"
#include "path.h"

enum {
	/* Loaders that programs of one machine name. */
	LOADERS_MOST = 8,
	/* The program, its `#!` interpreter and loaders beside the grants. */
	GRANTS_MOST = STK_MAX_GRANTS + 2 + LOADERS_MOST,
};

struct stk_pin {
	struct path_object object;
	const struct stk_class *class;
	const char *path;
	/* For messages: the name of the class, or `program`, `loader`, ... */
	const char *role;
	/* bits of STK_GRANT_… */
	uint32_t flags;
	int fd;
	/* How opening it went before confinement, an errno; known if @opened.
	 */
	int control;
	bool opened;
};

struct stk_grants {
	const struct stk_bundle *bundle;
	uint32_t count;
	struct stk_pin pins[GRANTS_MOST];
};

/* Pins every grant that exists; refuses one of the policy that does not. */
void grants_pin(struct stk_grants *grants, const struct stk_bundle *bundle);

/* Pins one more file with the class of the program; returns it. */
const struct stk_pin *grants_add_program(struct stk_grants *grants,
					 const char *path, const char *role);

/* The rights that Landlock gives what lies in the open folder @fd. */
uint64_t grants_covering(const struct stk_grants *grants, int fd,
			 const struct path_object *object);

#endif
