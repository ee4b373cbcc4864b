/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Names errors; see error_name.h. */
#include "error_name.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

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
	NAME(ELOOP), NAME(EPROTO), NAME(EOVERFLOW), NAME(EUSERS),
	NAME(ENOTSOCK), NAME(EDESTADDRREQ), NAME(EMSGSIZE), NAME(EPROTOTYPE),
	NAME(ENOPROTOOPT), NAME(EOPNOTSUPP), NAME(EPFNOSUPPORT),
	NAME(EAFNOSUPPORT), NAME(EADDRINUSE), NAME(ENETDOWN), NAME(ENETUNREACH),
	NAME(ECONNRESET), NAME(ENOBUFS), NAME(EISCONN), NAME(ENOTCONN),
	NAME(ETIMEDOUT), NAME(EALREADY), NAME(EINPROGRESS), NAME(ESTALE),
	NAME(EDQUOT), NAME(ECANCELED), NAME(EHOSTUNREACH), NAME(ECONNREFUSED),
	NAME(EADDRNOTAVAIL), NAME(EPROTONOSUPPORT), NAME(ESOCKTNOSUPPORT),
#ifdef __linux__
	NAME(ELIBACC), NAME(EBADFD), NAME(ENOKEY), NAME(EKEYREJECTED),
#endif
};
/* clang-format on */

const char *error_name(int error)
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
