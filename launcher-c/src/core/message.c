/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Composes lines without a heap; see message.h. */
#include "message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME(symbol) [symbol] = #symbol

/* clang-format off */
static const char *const names[] = {
	NAME(EPERM), NAME(ENOENT), NAME(ESRCH), NAME(EINTR), NAME(EIO),
	NAME(ENXIO), NAME(E2BIG), NAME(ENOEXEC), NAME(EBADF), NAME(ECHILD),
	NAME(EAGAIN), NAME(ENOMEM), NAME(EACCES), NAME(EFAULT), NAME(ENOTBLK),
	NAME(EBUSY), NAME(EEXIST), NAME(EXDEV), NAME(ENODEV), NAME(ENOTDIR),
	NAME(EISDIR), NAME(EINVAL), NAME(ENFILE), NAME(EMFILE), NAME(ENOTTY),
	NAME(ETXTBSY), NAME(EFBIG), NAME(ENOSPC), NAME(ESPIPE), NAME(EROFS),
	NAME(EMLINK), NAME(EPIPE), NAME(EDOM), NAME(ERANGE), NAME(EDEADLK),
	NAME(ENAMETOOLONG), NAME(ENOLCK), NAME(ENOSYS), NAME(ENOTEMPTY),
	NAME(ELOOP), NAME(EPROTO), NAME(EOVERFLOW), NAME(ELIBACC), NAME(EBADFD),
	NAME(EUSERS), NAME(ENOTSOCK), NAME(EDESTADDRREQ), NAME(EMSGSIZE),
	NAME(EPROTOTYPE), NAME(ENOPROTOOPT), NAME(EOPNOTSUPP),
	NAME(EPFNOSUPPORT), NAME(EAFNOSUPPORT), NAME(EADDRINUSE),
	NAME(ENETDOWN), NAME(ENETUNREACH), NAME(ECONNRESET), NAME(ENOBUFS),
	NAME(EISCONN), NAME(ENOTCONN), NAME(ETIMEDOUT), NAME(EALREADY),
	NAME(EINPROGRESS), NAME(ESTALE), NAME(EDQUOT), NAME(ECANCELED),
	NAME(ENOKEY), NAME(EHOSTUNREACH), NAME(ECONNREFUSED),
	NAME(EADDRNOTAVAIL), NAME(EPROTONOSUPPORT), NAME(ESOCKTNOSUPPORT),
	NAME(EKEYREJECTED),
};
/* clang-format on */

/* Room for two of the longest paths and words around them. */
static char line[MESSAGE_BYTES];
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

const char *message_errno(int error)
{
	static char numbers[2][24];
	static unsigned turn;

	if (error == 0)
		return "success";
	if (error > 0 && (size_t)error < sizeof(names) / sizeof(names[0]) &&
	    names[error])
		return names[error];
	turn ^= 1;
	(void)snprintf(numbers[turn], sizeof(numbers[turn]), "errno %d", error);
	return numbers[turn];
}

/* Makes one line out of the parts; returns its length. */
static size_t compose(const char *before, const char *format, va_list values,
		      int error)
{
	size_t room = sizeof(line) - 1;
	size_t used = strlen(before);

	memcpy(line, before, used);
	(void)vsnprintf(line + used, room - used, format, values);
	used += strlen(line + used);
	if (error != 0) {
		(void)snprintf(line + used, room - used, ": %s%s",
			       message_errno(error), remedy(error));
		used += strlen(line + used);
	}
	for (size_t i = 0; i < used; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	line[used++] = '\n';
	return used;
}

static _Noreturn void refuse(enum message_kind kind, int probe,
			     const char *format, va_list values, int error)
{
	const bool reporting = report >= 0;
	size_t used =
		compose(reporting ? "??" : "stockade: ", format, values, error);

	if (reporting) {
		line[0] = (char)kind;
		line[1] = (char)(probe + 1);
	}
	/* A reader that went away must not turn 125 into a signal. */
	if (!confined)
		(void)signal(SIGPIPE, SIG_IGN);
	if (record >= 0 && (confined || getpid() == recorder))
		(void)!write(record, "failed\n", 7);
	(void)!write(reporting ? report : STDERR_FILENO, line, used);
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
	size_t used = compose("", format, values, 0);
	va_end(values);
	if (write(fd, line, used) != (ssize_t)used)
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
