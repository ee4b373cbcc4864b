/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Do to paths what a list says; see decide.h.
 *
 * Whoever writes the list prepares the paths, so that nothing but a sandbox can
 * deny an action. A program is asked for by executing a file that holds none:
 * the kernel looks at rights first, and ENOEXEC says that they were there.
 */
#include "decide.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "call.h"
#include "errnos.h"

static long opened(const char *path, int flags, int mode)
{
	return call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static long executed(const char *path)
{
	const char *const none[] = {NULL};
	long answer = call(SYS_execve, path, none, none);

	return answer == -ENOEXEC ? 0 : answer;
}

static long made(const char *path, mode_t kind)
{
	return call(SYS_mknodat, AT_FDCWD, path, kind | 0600, 0);
}

static long done(const char *action, const char *path)
{
	if (strcmp(action, "read") == 0)
		return opened(path, O_RDONLY, 0);
	if (strcmp(action, "list") == 0)
		return opened(path, O_RDONLY | O_DIRECTORY, 0);
	if (strcmp(action, "write") == 0)
		return opened(path, O_WRONLY, 0);
	if (strcmp(action, "truncate") == 0)
		return call(SYS_truncate, path, 0);
	if (strcmp(action, "exec") == 0)
		return executed(path);
	if (strcmp(action, "create-file") == 0)
		return made(path, S_IFREG);
	if (strcmp(action, "create-fifo") == 0)
		return made(path, S_IFIFO);
	if (strcmp(action, "create-socket") == 0)
		return made(path, S_IFSOCK);
	if (strcmp(action, "create-folder") == 0)
		return call(SYS_mkdirat, AT_FDCWD, path, 0700);
	if (strcmp(action, "create-link") == 0)
		return call(SYS_symlinkat, "/", AT_FDCWD, path);
	if (strcmp(action, "remove-file") == 0)
		return call(SYS_unlinkat, AT_FDCWD, path, 0);
	if (strcmp(action, "remove-folder") == 0)
		return call(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	return -EDOM;
}

int decide(void)
{
	char line[4400], name[ERRNO_NAME_BYTES];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *path = strchr(line, ' ');
		char *end = strchr(line, '\n');

		if (path == NULL || end == NULL)
			return 2;
		*path++ = '\0';
		*end = '\0';
		long answer = done(line, path);

		if (answer == -EDOM)
			return 2;
		puts(errno_name(answer < 0 ? (int)-answer : 0, name));
	}
	return 0;
}
