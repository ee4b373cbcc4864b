/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Opens and enters the working folder; see folder.h. */
#include "folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "overlap.h"

int folder_open(const char *path)
{
	static char absolute[PATH_BYTES];
	struct path_object object;

	if (*path == '\0')
		die("`--cwd` needs a folder, not an empty path");
	int fd = path_open(path_absolute(path, absolute), overlap_visit,
			   &object);
	if (fd < 0)
		die_errno("cannot open the working folder `%s`", path);
	if (!S_ISDIR(object.mode))
		die("the working folder `%s` is no folder", path);
	return fd;
}

void folder_enter(int fd, const char *path)
{
	if (fchdir(fd) != 0)
		die_errno("cannot enter the working folder `%s`", path);
	(void)close(fd);
}
