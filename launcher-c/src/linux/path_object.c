/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Looks at open files; see path_object.h. */
#include "path_object.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"
#include "message.h"

bool path_try_inspect(int folder, const char *name, int flags,
		      struct path_object *ret_object)
{
	/* Zero, so that a call that only claims to look finds no mount. */
	struct stk_statx status = {0};

	status.mask = 0;
	if (syscall(SYS_statx, folder, name,
		    AT_EMPTY_PATH | STK_AT_STATX_DONT_SYNC | flags,
		    STK_STATX_BASIC | STK_STATX_MNT_ID, &status) != 0)
		return false;
	if (!(status.mask & STK_STATX_MNT_ID))
		die("cannot tell the mount of `%s`", name);
	*ret_object = (struct path_object){
		.device = (uint64_t)status.dev_major << 32 | status.dev_minor,
		.inode = status.ino,
		.mount = status.mnt_id,
		.size = status.size,
		.owner = status.uid,
		.group = status.gid,
		.links = status.nlink,
		.mode = status.mode,
	};
	return true;
}

struct path_object path_inspect_at(int folder, const char *name,
				   const char *path)
{
	struct path_object object;

	if (!path_try_inspect(folder, name, 0, &object))
		die_errno("cannot inspect `%s`", path);
	return object;
}

struct path_object path_inspect(int fd, const char *path)
{
	return path_inspect_at(fd, "", path);
}

bool path_same(const struct path_object *one, const struct path_object *other)
{
	return one->device == other->device && one->inode == other->inode;
}

int path_read(const char *path, struct path_object *object)
{
	if (!S_ISREG(object->mode))
		die("`%s` is not a regular file", path);
	int fd = openat(AT_FDCWD, path,
			O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		die_errno("`%s` cannot be read", path);
	struct path_object opened = path_inspect(fd, path);
	if (!path_same(&opened, object))
		die("`%s` was replaced while it was opened", path);
	object->size = opened.size;
	return fd;
}

const char *path_absolute(const char *path, char ret_text[PATH_BYTES])
{
	if (*path == '/')
		return path;
	char *folder = getcwd(ret_text, PATH_BYTES);
	if (!folder || *folder != '/')
		die_errno("cannot tell the working folder");
	size_t used = strlen(folder), length = strlen(path);
	if (used + length + 2 > PATH_BYTES)
		die("the path `%.64s...` is too long", path);
	folder[used] = '/';
	memcpy(folder + used + 1, path, length + 1);
	return folder;
}

char *path_put_number(char ret_text[PATH_NUMBER_BYTES], uint32_t number)
{
	char *end = ret_text + 1;

	for (uint32_t rest = number; rest >= 10; rest /= 10)
		end++;
	*end = '\0';
	for (char *digit = end; digit-- > ret_text; number /= 10)
		*digit = (char)('0' + number % 10);
	return end;
}

void path_put_fd(char ret_text[PATH_OF_FD_BYTES], int fd)
{
	(void)path_put_number(stpcpy(ret_text, "/proc/self/fd/"), (uint32_t)fd);
}
