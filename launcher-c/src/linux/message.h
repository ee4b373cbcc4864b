/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a refusal into one line and the exit status 125, without a heap: the
 * text is made in a static buffer and leaves in one write(2).  INVARIANT: no
 * text from outside adds a line, since control bytes become `?`.
 */
#ifndef STOCKADE_MESSAGE_H
#define STOCKADE_MESSAGE_H

#include "core/line.h"

/* Status of every refusal, as documented in the README. */
enum { STK_STATUS_REFUSED = 125 };

/* `stockade: TEXT` on standard error; die_errno() adds the name of errno. */
_Noreturn void die(const char *format, ...) STK_PRINTF(1, 2);
_Noreturn void die_errno(const char *format, ...) STK_PRINTF(1, 2);

/* The policy contradicts this host, or the host cannot answer now. */
_Noreturn void die_conflict(const char *format, ...) STK_PRINTF(1, 2);
_Noreturn void die_undecided(const char *format, ...) STK_PRINTF(1, 2);

/*
 * This host lacks or falsifies what a requirement rests on: that of probe
 * @probe of the variant, or MESSAGE_ALL of those that rest on the kernel.  An
 * errno that can pass, as for lack of memory, makes it undecided.
 */
enum { MESSAGE_ALL = -1 };
_Noreturn void die_unavailable(int probe, const char *format, ...)
	STK_PRINTF(2, 3);
_Noreturn void die_unavailable_errno(const char *format, ...) STK_PRINTF(1, 2);

/* One line on @fd; a line that cannot be written refuses. */
void message_print(int fd, const char *format, ...) STK_PRINTF(2, 3);

/* First byte of a refusal that goes to whoever waits for a trial's end. */
enum message_kind {
	MESSAGE_REFUSED = 'r',
	MESSAGE_CONFLICT = 'c',
	MESSAGE_UNDECIDED = 'u',
	MESSAGE_UNAVAILABLE = 'x',
};

/* Room for any line. */
enum { MESSAGE_BYTES = LINE_ROOM };

/*
 * From now on a refusal goes to @fd, not to standard error: its kind, a byte
 * that is the probe's number and one, and the text.
 */
void message_report_to(int fd);

/* Errors may come from another sandbox's filter: what die_errno() says names
 * it. */
void message_notice_filter(void);

/* From now on a refusal writes `failed` to @fd first; -1 ends that. */
void message_record_to(int fd);

/* From now on a refusal makes no call but write(2) and _exit(2). */
void message_begin_confined(void);

#endif
