/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a call number and six words into the kernel's own answer, without libc
 * in between: results from -4095 to -1 are negated error numbers.
 */
#ifndef STOCKADE_CALL_H
#define STOCKADE_CALL_H

#include <stdbool.h>

long call_native(long number, const long words[6]);

/*
 * A call that returns twice, as fork does.  The second return ends at once, in
 * the next instructions: after vfork it may touch no memory of the first.
 * Where that is no other process than @self, the caller, an outer filter gave
 * the answer: then 0.
 */
long call_fork(long number, const long words[6], long self);

/*
 * A new process that shares nothing, as fork(2) makes it, and without a signal
 * at its end: the caller's SIGCHLD, handled or blocked, sees nothing.
 */
long call_clone(void);

/* Waits for what it started, and refuses as well where that has refused. */
void call_wait(long child);

/* Refuses: an outer filter says 0 to clone, which this process then believes.
 */
_Noreturn void call_refuse_false_clone(void);

/*
 * Through `int 0x80`; x86_64 only.  Returns whether the kernel answered: it
 * ends the process by SIGSEGV where it lacks that entry, unless @guarded.
 */
bool call_compat(long number, const long words[6], bool guarded,
		 long *ret_result);

#endif
