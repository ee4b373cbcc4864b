/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes to the content of a file and to the names in a folder that no rule
 * grants. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "route.h"

static int read_openat(const struct arena *arena)
{
	return open_secret(at(arena, "outside/secret"));
}

#ifdef SYS_open
static int read_open(const struct arena *arena)
{
	long descriptor;

	ATTEMPT(descriptor, "open",
		call(SYS_open, at(arena, "outside/secret"), O_RDONLY));
	return read_secret(descriptor);
}
#endif

static int read_dotdot(const struct arena *arena)
{
	return open_secret(at(arena, "read/../write/../outside/secret"));
}

/* The link lies in a granted folder and leads out. */
static int read_link(const struct arena *arena)
{
	return open_secret(at(arena, "read/link-out"));
}

static int read_own_root(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];

	snprintf(path, sizeof path, "/proc/self/root%s",
		 at(arena, "outside/secret"));
	return open_secret(path);
}

static int read_relative(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "chdir", call(SYS_chdir, at(arena, "outside")));
	return open_secret("secret");
}

static int read_folder_descriptor(const struct arena *arena)
{
	long folder, descriptor;

	ATTEMPT(folder, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside"),
		     O_PATH | O_DIRECTORY));
	ATTEMPT(descriptor, "openat",
		call(SYS_openat, folder, "secret", O_RDONLY));
	return read_secret(descriptor);
}

/* A path descriptor may always be had; opening it again must be judged. */
static int read_reopen(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor;

	ATTEMPT(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     O_PATH));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	return open_secret(path);
}

static int read_openat2(const struct arena *arena)
{
	unsigned long how[3] = {O_RDONLY, 0, 0};
	long descriptor;

	ATTEMPT(descriptor, "openat2",
		call(NR_OPENAT2, AT_FDCWD, at(arena, "outside/secret"), how,
		     sizeof how));
	return read_secret(descriptor);
}

static int read_list(const struct arena *arena)
{
	char names[512];
	long folder, count;

	ATTEMPT(folder, "openat(O_DIRECTORY)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside"),
		     O_RDONLY | O_DIRECTORY));
	ATTEMPT(count, "getdents64",
		call(SYS_getdents64, folder, names, sizeof names));
	return 0;
}

static int read_handle(const struct arena *arena)
{
	struct {
		unsigned bytes;
		int type;
		unsigned char handle[128];
	} handle = {.bytes = sizeof handle.handle};
	int mount;
	long done;

	ATTEMPT(done, "name_to_handle_at",
		call(SYS_name_to_handle_at, AT_FDCWD,
		     at(arena, "outside/secret"), &handle, &mount, 0));
	return 0;
}

/* The magic links of another process lead into its world without a walk. */
static int read_victim_link(const struct arena *arena, const char *link,
			    const char *rest)
{
	char path[ARENA_PATH_BYTES];

	snprintf(path, sizeof path, "/proc/%ld/%s%s", arena->victim, link,
		 rest);
	return open_secret(path);
}

static int read_victim_root(const struct arena *arena)
{
	return read_victim_link(arena, "root", at(arena, "outside/secret"));
}

static int read_victim_folder(const struct arena *arena)
{
	return read_victim_link(arena, "cwd", "/secret");
}

static int read_victim_descriptor(const struct arena *arena)
{
	char link[32];

	snprintf(link, sizeof link, "fd/%ld", arena->victim_fd);
	return read_victim_link(arena, link, "");
}

static int read_inherited(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "lseek", call(SYS_lseek, INHERITED_READ, 0, SEEK_SET));
	return read_secret(INHERITED_READ);
}

static int read_inherited_folder(const struct arena *arena)
{
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "openat",
		call(SYS_openat, INHERITED_FOLDER, "secret", O_RDONLY));
	return read_secret(descriptor);
}

/* A name of one's own for a file that only its old name kept closed. */
static int read_by_new_link(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, at(arena, "outside/secret"),
		     AT_FDCWD, at(arena, "write/linked"), 0));
	return open_secret(at(arena, "write/linked"));
}

static int read_by_descriptor_link(const struct arena *arena)
{
	char path[ARENA_PATH_BYTES];
	long descriptor, done;

	ATTEMPT(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     O_PATH));
	snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
	ATTEMPT(done, "linkat",
		call(SYS_linkat, AT_FDCWD, path, AT_FDCWD,
		     at(arena, "write/linked"), AT_SYMLINK_FOLLOW));
	return open_secret(at(arena, "write/linked"));
}

static int read_by_rename(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "outside/secret"),
		     AT_FDCWD, at(arena, "write/taken"), 0));
	return open_secret(at(arena, "write/taken"));
}

static int read_by_exchange(const struct arena *arena)
{
	enum { EXCHANGE = 2 };
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "outside/secret"),
		     AT_FDCWD, at(arena, "write/data"), EXCHANGE));
	return open_secret(at(arena, "write/data"));
}

static int read_by_folder_rename(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "renameat2",
		call(SYS_renameat2, AT_FDCWD, at(arena, "outside/folder"),
		     AT_FDCWD, at(arena, "write/folder"), 0));
	return open_secret(at(arena, "write/folder/secret"));
}

static int read_shared_memory_file(const struct arena *arena)
{
	return open_secret(own_name(arena, "/dev/shm/"));
}

/* Since 6.10 whoever opened a file may name it by its descriptor alone. */
static int read_by_empty_link(const struct arena *arena)
{
	long descriptor, done;

	ATTEMPT(descriptor, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"),
		     O_PATH));
	ATTEMPT(done, "linkat(AT_EMPTY_PATH)",
		call(SYS_linkat, descriptor, "", AT_FDCWD,
		     at(arena, "write/linked"), AT_EMPTY_PATH));
	return open_secret(at(arena, "write/linked"));
}

static const struct route table[] = {
	{"read-openat", read_openat, 0},
#ifdef SYS_open
	{"read-open", read_open, 0},
#endif
	{"read-dotdot", read_dotdot, 0},
	{"read-link", read_link, 0},
	{"read-own-root", read_own_root, 0},
	{"read-relative", read_relative, 0},
	{"read-folder-descriptor", read_folder_descriptor, 0},
	{"read-reopen", read_reopen, 0},
	{"read-openat2", read_openat2, 0},
	{"read-list", read_list, 0},
	{"read-handle", read_handle, 0},
	{"read-victim-root", read_victim_root, 0},
	{"read-victim-folder", read_victim_folder, 0},
	{"read-victim-descriptor", read_victim_descriptor, 0},
	{"read-inherited", read_inherited, 0},
	{"read-inherited-folder", read_inherited_folder, 0},
	{"read-by-new-link", read_by_new_link, 0},
	{"read-by-descriptor-link", read_by_descriptor_link, 0},
	{"read-by-empty-link", read_by_empty_link, 0},
	{"read-by-rename", read_by_rename, 0},
	{"read-by-exchange", read_by_exchange, 0},
	{"read-by-folder-rename", read_by_folder_rename, 0},
	{"read-shared-memory-file", read_shared_memory_file, 0},
};
ROUTE_GROUP(read_routes, table);
