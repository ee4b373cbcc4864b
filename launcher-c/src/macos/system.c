/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the shared part needs of macOS; see plan/system.h. */
#include "plan/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bundle.h"
#include "core/error_name.h"
#include "plan/message.h"

const char system_name[] = "macos";
const uint32_t system_target = STK_TARGET_MACOS;

bool system_write(enum system_stream stream, const char *bytes, size_t length)
{
	const int fd = stream == SYSTEM_OUTPUT ? STDOUT_FILENO : STDERR_FILENO;

	/* A reader that went away must not turn 125 into a signal. */
	(void)signal(SIGPIPE, SIG_IGN);
	while (length > 0) {
		const ssize_t part = write(fd, bytes, length);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return false;
		bytes += part;
		length -= (size_t)part;
	}
	return true;
}

void system_end(int status)
{
	_exit(status);
}

/* Never waits, as for the other end of a FIFO, and follows no last link. */
static int open_file(const char *path, size_t room)
{
	struct stat found;
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP)
		die("the artifact `%s` is a link; name the file itself", path);
	if (fd < 0 || fstat(fd, &found) != 0)
		die("cannot open the artifact `%s`: %s", path,
		    error_name(errno));
	if (!S_ISREG(found.st_mode))
		die("the artifact `%s` is not a plain file", path);
	if (found.st_size <= 0 || (uintmax_t)found.st_size > room)
		die("the artifact `%s` has %lld bytes; it must have 1 to %zu",
		    path, (long long)found.st_size, room);
	return fd;
}

size_t system_read(const char *path, unsigned char *bytes, size_t room)
{
	const int fd = open_file(path, room);
	size_t done = 0;

	for (;;) {
		const ssize_t part = read(fd, bytes + done, room - done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			die("cannot read the artifact `%s`: %s", path,
			    error_name(errno));
		if (part == 0)
			break;
		done += (size_t)part;
	}
	(void)close(fd);
	return done;
}
