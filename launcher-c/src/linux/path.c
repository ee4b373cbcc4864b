/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Follows paths; see path.h. */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guard.h"
#include "kernel.h"
#include "message.h"
#include "owner.h"

/* As many as the kernel follows. */
enum { MOST_LINKS = 40 };

struct walk {
	const char *path;
	path_visit *visit;
	/* Visit every component, not only links. */
	bool every;
	int folder, links;
	/* What is left of the path, links already replaced by their targets. */
	char text[2 * PATH_BYTES];
};

/* One at a time: a path is finished before the next begins. */
static struct walk walk;

static void close_quietly(int fd)
{
	int error = errno;

	(void)close(fd);
	errno = error;
}

/* From the kernel's cache where that holds the answer: it cannot block then. */
static int open_guarded(int folder, const char *part, uint64_t flags,
			uint64_t resolve, const char *path)
{
	struct stk_open_how how = {
		.flags = flags | O_PATH | O_CLOEXEC,
		.resolve = resolve | STK_RESOLVE_CACHED,
	};
	int fd = (int)syscall(SYS_openat2, folder, part, &how, sizeof(how));

	if (fd >= 0 || errno != EAGAIN)
		return fd;
	guard_begin(path);
	how.resolve = resolve;
	return (int)syscall(SYS_openat2, folder, part, &how, sizeof(how));
}

enum path_plainness path_is_plain(int folder, const char *path)
{
	int fd = open_guarded(folder, path, 0,
			      STK_RESOLVE_NO_SYMLINKS | STK_RESOLVE_NO_XDEV,
			      path);

	if (fd >= 0)
		(void)close(fd);
	else
		/* What cannot be entered is judged like what is not there. */
		return errno == ENOENT || errno == EACCES ? PATH_MISSING
							  : PATH_CROOKED;
	return PATH_PLAIN;
}

static int open_root(void)
{
	int fd = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		die_errno("cannot open `/`");
	return fd;
}

/*
 * fs.protected_symlinks, which the kernel asks only when it follows by itself:
 * in a sticky folder that all may write, a link of a stranger is not followed.
 */
static bool is_planted(int folder, const struct path_object *link)
{
	const mode_t shared = S_ISVTX | S_IWOTH;

	if (link->owner == 0 ||
	    (link->owner == geteuid() && owner_is_known(link->owner)))
		return false;
	struct path_object object = path_inspect(folder, "folder of a link");
	return (object.mode & shared) == shared &&
	       (link->owner != object.owner || !owner_is_known(link->owner));
}

/* Puts the target of the link @fd before what is left at @next. */
static char *put_target(char *next, int fd)
{
	char target[PATH_BYTES];
	size_t rest = strlen(next) + 1;
	ssize_t length = readlinkat(fd, "", target, sizeof(target));

	if (length < 0)
		return NULL;
	if (length == 0 || (size_t)length >= sizeof(target) ||
	    (size_t)length + 1 + rest > sizeof(walk.text)) {
		errno = length == 0 ? ENOENT : ENAMETOOLONG;
		return NULL;
	}
	memmove(walk.text + length + 1, next, rest);
	memcpy(walk.text, target, (size_t)length);
	walk.text[length] = '/';
	return walk.text;
}

static char *follow(char *next, int fd, const struct path_object *link)
{
	if (++walk.links > MOST_LINKS || is_planted(walk.folder, link)) {
		errno = walk.links > MOST_LINKS ? ELOOP : EACCES;
		return NULL;
	}
	/* Only a local disk is sure to answer. */
	if (link->device >> 32 == 0)
		guard_begin(walk.path);
	next = put_target(next, fd);
	if (next && *next == '/') {
		(void)close(walk.folder);
		walk.folder = open_root();
	}
	return next;
}

/* Steps to the component at @name; returns what is left, or NULL with errno. */
static char *step(char *name)
{
	char part[NAME_MAX + 1], *next = name + strcspn(name, "/");
	size_t length = (size_t)(next - name);

	if (length >= sizeof(part)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	memcpy(part, name, length);
	part[length] = '\0';
	int fd = open_guarded(walk.folder, part, O_NOFOLLOW, 0, walk.path);
	/* An outer filter may hide openat2. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
		guard_begin(walk.path);
		fd = openat(walk.folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return NULL;
	struct path_object object = path_inspect(fd, walk.path);
	if (walk.visit && (walk.every || S_ISLNK(object.mode)))
		walk.visit(walk.path, part, walk.folder, &object);
	if (!S_ISLNK(object.mode)) {
		(void)close(walk.folder);
		walk.folder = fd;
		return next;
	}
	next = follow(next, fd, &object);
	close_quietly(fd);
	return next;
}

/* Where no link is left, one call does the rest; returns whether it did. */
static bool finish(const char *rest)
{
	int fd = open_guarded(walk.folder, rest, 0, STK_RESOLVE_NO_SYMLINKS,
			      walk.path);

	if (fd < 0)
		return false;
	(void)close(walk.folder);
	walk.folder = fd;
	return true;
}

/* Leaves in walk.folder how far it came, and returns what is left then. */
static const char *run(const char *path, path_visit *visit, bool every)
{
	size_t length = strlen(path);
	int finished = 0;

	if (length >= PATH_BYTES)
		die("the path `%.64s...` of %zu bytes is too long", path,
		    length);
	memcpy(walk.text, path, length + 1);
	walk.path = path;
	walk.visit = visit;
	walk.every = every;
	walk.links = 0;
	walk.folder = open_root();
	if (every) {
		struct path_object root = path_inspect(walk.folder, "/");
		visit(path, "/", -1, &root);
	}
	for (char *name = walk.text; *(name += strspn(name, "/"));) {
		/* Anew after each link. */
		if (!every && finished != walk.links && finish(name))
			return "";
		finished = walk.links;
		char *next = step(name);
		if (!next)
			return name;
		name = next;
	}
	return "";
}

/* In one call, for a path without links; -1 with errno, EACCES and ENOENT
 * final. */
static int open_plain(const char *path, struct path_object *ret_object)
{
	int fd = open_guarded(AT_FDCWD, path, 0, STK_RESOLVE_NO_SYMLINKS, path);

	if (fd >= 0) {
		*ret_object = path_inspect(fd, path);
		ret_object->plain = true;
	}
	return fd;
}

int path_open_folder(const char *path, struct path_object *ret_object)
{
	struct stk_open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
		.resolve = STK_RESOLVE_NO_SYMLINKS | STK_RESOLVE_CACHED,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd >= 0) {
		*ret_object = path_inspect(fd, path);
		ret_object->plain = true;
	}
	return fd;
}

int path_open_deepest(const char *path, path_visit *visit,
		      const char **ret_rest, struct path_object *ret_object)
{
	int fd = open_plain(path, ret_object);

	*ret_rest = "";
	if (fd >= 0)
		return fd;
	*ret_rest = run(path, visit, false);
	*ret_object = path_inspect(walk.folder, path);
	return walk.folder;
}

static int whole(const char *rest, struct path_object *ret_object)
{
	if (*rest == '\0') {
		*ret_object = path_inspect(walk.folder, walk.path);
		return walk.folder;
	}
	close_quietly(walk.folder);
	return -1;
}

int path_open(const char *path, path_visit *visit,
	      struct path_object *ret_object)
{
	int fd = open_plain(path, ret_object);

	if (fd >= 0 || errno == ENOENT || errno == EACCES)
		return fd;
	return whole(run(path, visit, false), ret_object);
}

int path_open_judged(const char *path, path_visit *visit,
		     struct path_object *ret_object)
{
	return whole(run(path, visit, true), ret_object);
}
