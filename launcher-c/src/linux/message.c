/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Composes lines without a heap; see message.h. */
#include "message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/error_name.h"

static struct line line;
static int report = -1, record = -1;
/* Whose refusals are recorded: children make controls and end by themselves. */
static pid_t recorder;
static bool confined;
static bool filtered;

/* What an error that says nothing by itself most likely comes from. */
static const char *remedy(int error)
{
	switch (error) {
	case EMFILE:
		return "; raise the limit of descriptors (`ulimit -n`)";
	case EPERM:
	case ENOSYS:
		return filtered ? "; an outer seccomp filter is in force here "
				  "and may refuse the call: let the enclosing "
				  "container or service allow it"
				: "";
	default:
		return "";
	}
}

/* Makes one line out of the parts. */
static STK_PRINTF(2, 0) void compose(const char *before, const char *format,
				     va_list values, int error)
{
	line.used = 0;
	line_add(&line, "%s", before);
	line_add_values(&line, format, values);
	if (error != 0)
		line_add(&line, ": %s%s", error_name(error), remedy(error));
	line_end(&line);
}

static STK_PRINTF(3, 0) _Noreturn void refuse(enum message_kind kind, int probe,
					      const char *format,
					      va_list values, int error)
{
	const bool reporting = report >= 0;

	compose(reporting ? "??" : "stockade: ", format, values, error);
	if (reporting) {
		line.text[0] = (char)kind;
		line.text[1] = (char)(probe + 1);
	}
	/* A reader that went away must not turn 125 into a signal. */
	if (!confined)
		(void)signal(SIGPIPE, SIG_IGN);
	if (record >= 0 && (confined || getpid() == recorder))
		(void)!write(record, "failed\n", 7);
	(void)!write(reporting ? report : STDERR_FILENO, line.text, line.used);
	_exit(STK_STATUS_REFUSED);
}

void die(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	refuse(MESSAGE_REFUSED, MESSAGE_ALL, format, values, 0);
}

void die_errno(const char *format, ...)
{
	int error = errno;
	va_list values;

	va_start(values, format);
	refuse(MESSAGE_REFUSED, MESSAGE_ALL, format, values, error);
}

void die_conflict(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	refuse(MESSAGE_CONFLICT, MESSAGE_ALL, format, values, 0);
}

void die_undecided(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	refuse(MESSAGE_UNDECIDED, MESSAGE_ALL, format, values, 0);
}

void die_unavailable(int probe, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	refuse(MESSAGE_UNAVAILABLE, probe, format, values, 0);
}

static bool can_pass(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE ||
	       error == ENFILE || error == ENOBUFS;
}

void die_unavailable_errno(const char *format, ...)
{
	int error = errno;
	va_list values;

	va_start(values, format);
	refuse(can_pass(error) ? MESSAGE_UNDECIDED : MESSAGE_UNAVAILABLE,
	       MESSAGE_ALL, format, values, error);
}

void message_print(int fd, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	compose("", format, values, 0);
	va_end(values);
	if (write(fd, line.text, line.used) != (ssize_t)line.used)
		die("cannot write to descriptor %d", fd);
}

void message_report_to(int fd)
{
	report = fd;
}

void message_notice_filter(void)
{
	filtered = true;
}

void message_record_to(int fd)
{
	record = fd;
	recorder = getpid();
}

void message_begin_confined(void)
{
	confined = true;
}
