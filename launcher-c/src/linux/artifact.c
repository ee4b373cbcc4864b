/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Opens, judges and reads the artifact; see artifact.h. */
#include "artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "owner.h"
#include "path.h"

#if defined(__x86_64__)
enum { TARGET = STK_TARGET_LINUX_X86_64 };
#else
enum { TARGET = STK_TARGET_LINUX_AARCH64 };
#endif

/* A mapping costs more than the rest of reading what most artifacts have. */
enum { ROOM_BYTES = 64 * 1024 };

/* A path_visit. */
static void judge_owner(const char *path, const char *part, int folder,
			const struct path_object *object)
{
	const uid_t user = geteuid();

	(void)folder;
	if (object->owner != 0 && !owner_is_known(object->owner))
		die("`%s` in the path of the artifact `%s` may belong to "
		    "anybody: user %u stands for all that this user namespace "
		    "does not map, or `/proc/self/uid_map` cannot be read; "
		    "pass it as a sealed memfd (`--artifact-fd`)",
		    part, path, object->owner);
	if (object->owner != 0 && object->owner != user)
		die("`%s` in the path of the artifact `%s` belongs to user %u; "
		    "it must belong to root or to the caller",
		    part, path, object->owner);
	if (S_ISLNK(object->mode) || !(object->mode & (S_IWGRP | S_IWOTH)))
		return;
	/* In a sticky folder nobody else can replace what is ours or root's. */
	if (S_ISDIR(object->mode) && object->owner == 0 &&
	    (object->mode & S_ISVTX))
		return;
	if (!(object->mode & S_IWOTH) && object->owner == user &&
	    object->group == getegid() && owner_is_known_group(object->group))
		return;
	die("`%s` in the path of the artifact `%s` can be written by others; "
	    "take that right away (`chmod go-w`)",
	    part, path);
}

/*
 * Judges every name from the root folder on by a call each, and opens none.
 * What is judged is that nobody else can rename or replace what lies there, so
 * the names hold while they are asked for one after the other.  False where
 * there is a link, or what may not answer.
 */
static bool judge_names(const char *path, struct path_object *ret_object)
{
	static char text[PATH_BYTES];
	const size_t length = strlen(path);

	if (length >= sizeof(text))
		return false;
	memcpy(text, path, length + 1);
	*ret_object = path_inspect_at(AT_FDCWD, "/", "/");
	judge_owner(path, "/", -1, ret_object);
	for (char *at = text; *(at += strspn(at, "/"));) {
		char *end = at + strcspn(at, "/");
		const char after = *end;

		*end = '\0';
		/* Only a local disk is sure to answer. */
		if (ret_object->device >> 32 == 0 ||
		    !path_try_inspect(AT_FDCWD, text, AT_SYMLINK_NOFOLLOW,
				      ret_object) ||
		    S_ISLNK(ret_object->mode))
			return false;
		judge_owner(path, at, -1, ret_object);
		*end = after;
		at = end;
	}
	return true;
}

static int open_file(const char *path, struct path_object *ret_judged)
{
	int place = -1;

	if (!judge_names(path, ret_judged)) {
		place = path_open_judged(path, judge_owner, ret_judged);
		if (place < 0)
			die_errno("cannot find the artifact `%s`", path);
	}
	int fd = path_read(path, ret_judged);
	if (place >= 0)
		(void)close(place);
	return fd;
}

static int take_memfd(int fd, struct path_object *ret_object)
{
	const int needed =
		F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0)
		die_errno("descriptor %d is not a memfd", fd);
	if ((seals & needed) != needed)
		die("the memfd %d is not sealed against writing, growing, "
		    "shrinking and further seals",
		    fd);
	*ret_object = path_inspect(fd, "memfd");
	return fd;
}

/* Reads @size bytes into memory of our own: what is checked stays as it is. */
static void *read_all(int fd, size_t size, const char *name)
{
	static _Alignas(4096) unsigned char room[ROOM_BYTES];
	size_t done = 0;
	char more;
	unsigned char *bytes = room;

	if (size > sizeof(room))
		bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (bytes == MAP_FAILED)
		die_errno("no memory for the artifact `%s`", name);
	while (done < size) {
		ssize_t part =
			pread(fd, bytes + done, size - done, (off_t)done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			die_errno("cannot read the artifact `%s`", name);
		if (part == 0)
			die("the artifact `%s` shrank while it was read", name);
		done += (size_t)part;
	}
	if (pread(fd, &more, 1, (off_t)size) != 0)
		die("the artifact `%s` grew while it was read", name);
	return bytes;
}

void artifact_load(struct stk_options *options, struct stk_bundle *ret_bundle)
{
	static char path[PATH_BYTES];
	const char *name = "memfd";
	struct path_object object;
	size_t offset = 0;

	if (options->artifact)
		name = options->artifact =
			path_absolute(options->artifact, path);
	int fd = options->artifact ? open_file(name, &object)
				   : take_memfd(options->artifact_fd, &object);
	if (object.size == 0 || object.size > STK_MAX_BUNDLE_BYTES)
		die("the artifact `%s` has %llu bytes; it must have 1 to %u",
		    name, (unsigned long long)object.size,
		    STK_MAX_BUNDLE_BYTES);
	size_t size = (size_t)object.size;
	const void *bytes = read_all(fd, size, name);
	if (close(fd) != 0)
		die_errno("cannot close the artifact `%s`", name);
	int error = stk_bundle_parse(bytes, size, TARGET, ret_bundle, &offset);
	if (error != 0)
		die("the artifact `%s` is refused: %s (at byte %zu); compile "
		    "it "
		    "again",
		    name, stk_bundle_error_text(error), offset);
	if (ret_bundle->levels_count == 0 || ret_bundle->settings_count != 1)
		die("the artifact `%s` has no level", name);
}
