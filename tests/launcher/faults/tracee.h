/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One stopped task of a traced command: its calls read and changed. */
#ifndef TRACEE_H
#define TRACEE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum stop { STOP_CALL, STOP_EXEC, STOP_SIGNAL, STOP_OTHER };

struct tracee_call {
	unsigned long nr, args[6];
};

_Noreturn void give_up(const char *what);

/* In the child, before its exec; then in the tracer. */
void tracee_begin(void);
void tracee_take(pid_t number);

enum stop tracee_stop(int status);

/* Whether it stands before a call, which is then @ret_call. */
bool tracee_read(pid_t number, struct tracee_call *ret_call);

/* Before a call: it is not made.  After it: what it answers. */
void tracee_skip(pid_t number);
void tracee_answer(pid_t number, long value);

/* The third argument, which is how many bytes a call reads or writes. */
void tracee_set_count(pid_t number, long count);

void tracee_go_on(pid_t number, bool to_next_call, int signal);
void tracee_release(pid_t number);

/* One line: task, count, number, arguments, and what they point to. */
void tracee_print(FILE *file, pid_t number, int task, long nth,
		  const struct tracee_call *call);

#endif
