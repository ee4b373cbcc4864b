/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Name the errors that routes and hosts answer with; see errnos.h. */
#include "errnos.h"

#include <errno.h>
#include <stdio.h>

#define NAMED(error) {error, #error}

static const struct {
	int number;
	const char *name;
} errors[] = {
	{0, "ok"},           NAMED(EPERM),           NAMED(ENOENT),
	NAMED(ESRCH),        NAMED(EINTR),           NAMED(EIO),
	NAMED(ENXIO),        NAMED(E2BIG),           NAMED(ENOEXEC),
	NAMED(EBADF),        NAMED(ECHILD),          NAMED(EAGAIN),
	NAMED(ENOMEM),       NAMED(EACCES),          NAMED(EFAULT),
	NAMED(EBUSY),        NAMED(EEXIST),          NAMED(EXDEV),
	NAMED(ENODEV),       NAMED(ENOTDIR),         NAMED(EISDIR),
	NAMED(EINVAL),       NAMED(EMFILE),          NAMED(ENOTTY),
	NAMED(ETXTBSY),      NAMED(ENOSPC),          NAMED(EROFS),
	NAMED(EMLINK),       NAMED(EPIPE),           NAMED(ELOOP),
	NAMED(ENOSYS),       NAMED(ENOTEMPTY),       NAMED(ENODATA),
	NAMED(EBADMSG),      NAMED(EBADFD),          NAMED(EOPNOTSUPP),
	NAMED(ENOTSOCK),     NAMED(EPROTONOSUPPORT), NAMED(ESOCKTNOSUPPORT),
	NAMED(EAFNOSUPPORT), NAMED(EADDRNOTAVAIL),   NAMED(ENETUNREACH),
	NAMED(ECONNREFUSED), NAMED(ETIMEDOUT),       NAMED(ENOKEY),
	NAMED(EKEYREJECTED), NAMED(EDQUOT),          NAMED(EPROTOTYPE),
	NAMED(EISCONN),      NAMED(ENOTCONN),        NAMED(EADDRINUSE),
};

const char *errno_name(int error, char buffer[ERRNO_NAME_BYTES])
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].number == error)
			return errors[i].name;
	snprintf(buffer, ERRNO_NAME_BYTES, "errno-%d", error);
	return buffer;
}
