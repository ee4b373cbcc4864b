/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turn a number and six words into a system call, and hand back what the kernel
 * says.
 *
 * Routes never go through a C library's wrapper: a library hides errors, cuts
 * arguments to their declared width and falls back to other calls by itself.
 */
#ifndef STOCKADE_PROBES_CALL_H
#define STOCKADE_PROBES_CALL_H

#include <sys/syscall.h>

/* Return the kernel's own answer: a result, or an errno below zero. */
long call_words(long number, const long words[6]);

/* The same through `int 0x80`: i386 numbers, 32-bit words. x86_64 only; -ENOSYS
 * elsewhere. */
long call_compat(long number, long first, long second, long third);

/* The same for a call that starts a process, which ends at once. */
long call_compat_spawn(long number, long first, long second, long third);

/* Make a call that starts a process; the new one ends at once in the next
 * instruction, so it may share this one's memory and stack. */
long call_spawn(long number, long first, long second, long third, long fourth,
		long fifth);

#define call(number, ...)                                                      \
	call_words((number), (const long[6]){CALL_WORDS(__VA_ARGS__)})
#define CALL_WORDS(...)                                                        \
	CALL_PICK(__VA_ARGS__, CALL_SIX, CALL_FIVE, CALL_FOUR, CALL_THREE,     \
		  CALL_TWO, CALL_ONE)                                          \
	(__VA_ARGS__)
#define CALL_PICK(a, b, c, d, e, f, name, ...) name
#define CALL_ONE(a)                            (long)(a)
#define CALL_TWO(a, b)                         CALL_ONE(a), (long)(b)
#define CALL_THREE(a, b, c)                    CALL_TWO(a, b), (long)(c)
#define CALL_FOUR(a, b, c, d)                  CALL_THREE(a, b, c), (long)(d)
#define CALL_FIVE(a, b, c, d, e)               CALL_FOUR(a, b, c, d), (long)(e)
#define CALL_SIX(a, b, c, d, e, f) CALL_FIVE(a, b, c, d, e), (long)(f)

/* Numbers that the C library's headers may lack; from 424 on they are the same
 * on every architecture. */
enum {
	NR_PIDFD_SEND_SIGNAL = 424,
	NR_IO_URING_SETUP = 425,
	NR_IO_URING_ENTER = 426,
	NR_OPEN_TREE = 428,
	NR_PIDFD_OPEN = 434,
	NR_CLONE3 = 435,
	NR_OPENAT2 = 437,
	NR_PIDFD_GETFD = 438,
	NR_LANDLOCK_CREATE_RULESET = 444,
	NR_LANDLOCK_ADD_RULE = 445,
	NR_LANDLOCK_RESTRICT_SELF = 446,
	NR_FCHMODAT2 = 452,
	NR_SETXATTRAT = 463,
	NR_REMOVEXATTRAT = 466,
	NR_FILE_SETATTR = 469,
};

#endif
