/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Make the arena's folders and tell afterwards what changed in them; see
 * arena.h. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "scene.h"

enum { OPEN_FOLDERS = 16 };

/* Not exit(): it would move the place in files that a parent still reads. */
void leave(int status)
{
	fflush(stdout);
	_exit(status);
}

void give_up(const char *what)
{
	fprintf(stderr, "escape: %s: %s\n", what, strerror(errno));
	leave(3);
}

static const char *below(const char *root, const char *path)
{
	static char buffers[2][ARENA_PATH_BYTES];
	static unsigned turn;
	char *buffer = buffers[turn++ % 2];

	snprintf(buffer, ARENA_PATH_BYTES, "%s/%s", root, path);
	return buffer;
}

static void put(const char *root, const char *name, const char *text,
		mode_t mode)
{
	const char *path = below(root, name);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (file < 0 ||
	    write(file, text, strlen(text)) != (ssize_t)strlen(text))
		give_up(path);
	close(file);
}

static void put_program(const char *root, const char *name)
{
	const char *path = below(root, name);
	int source = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char block[65536];
	ssize_t count;

	if (source < 0 || target < 0)
		give_up(path);
	while ((count = read(source, block, sizeof block)) > 0)
		if (write(target, block, (size_t)count) != count)
			give_up(path);
	close(source);
	close(target);
}

static void put_link(const char *root, const char *name, const char *target)
{
	if (symlink(target, below(root, name)) != 0)
		give_up(name);
}

void tree_make(const char *root)
{
	static const char *const folders[] = {
		"read",   "exec",    "write",          "write/host-folder",
		"write2", "outside", "outside/folder", "outside/empty",
	};
	char text[ARENA_PATH_BYTES];

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (mkdir(below(root, folders[i]), 0755) != 0)
			give_up(folders[i]);
	put(root, "read/data", DATA_TEXT, 0600);
	put(root, "write/data", DATA_TEXT, 0600);
	put(root, "outside/secret", SECRET_TEXT, 0600);
	put(root, "outside/folder/secret", SECRET_TEXT, 0600);
	put(root, "outside/linked", SECRET_TEXT, 0600);
	put_program(root, "read/program");
	put_program(root, "exec/program");
	put_program(root, "outside/program");
	snprintf(text, sizeof text, "#!%s reached\n",
		 below(root, "outside/program"));
	put(root, "exec/script", text, 0755);
	put_link(root, "read/link-out", "../outside/secret");
	put_link(root, "outside/link", "secret");
	put_link(root, "write/host-link", "data");
	put_link(root, "write/host-folder/link", "../data");
	if (mkfifo(below(root, "write/host-fifo"), 0600) != 0)
		give_up("host-fifo");
	if (link(below(root, "outside/linked"),
		 below(root, "write/host-hard-link")) != 0)
		give_up("host-hard-link");
	/* Not every file system keeps attributes; the routes that need one
	 * tell. */
	setxattr(below(root, "outside/secret"), "user.stockade", "old", 3, 0);
	setxattr(below(root, "read/data"), "user.stockade", "old", 3, 0);
}

static const char *kept;

static int remove_entry(const char *path, const struct stat *status, int kind,
			struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	if (strcmp(path, kept) != 0 && remove(path) != 0)
		give_up(path);
	return 0;
}

void tree_remove(const char *root)
{
	kept = root;
	if (nftw(root, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0)
		give_up(root);
}

static unsigned long digest;

static void mix(const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	/* FNV-1a */
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ byte[i]) * 0x100000001b3UL;
}

static int mix_entry(const char *path, const struct stat *status, int kind,
		     struct FTW *place)
{
	long facts[8] = {
		(long)status->st_mode, (long)status->st_uid,
		(long)status->st_gid,  (long)status->st_nlink,
		(long)status->st_size, (long)status->st_mtim.tv_sec,
		(long)status->st_ino,  (long)status->st_mtim.tv_nsec,
	};
	char text[256];

	(void)kind, (void)place;
	mix(path, strlen(path));
	mix(facts, sizeof facts);
	/* Every change of a file or of what is written about it moves this
	 * time. */
	mix(&status->st_ctim, sizeof status->st_ctim);
	if (S_ISREG(status->st_mode)) {
		int file = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t count = read(file, text, sizeof text);
		if (count > 0)
			mix(text, (size_t)count);
		close(file);
	}
	return 0;
}

unsigned long tree_digest(const struct arena *arena, const char *folder)
{
	digest = 0xcbf29ce484222325UL;
	if (nftw(at(arena, folder), mix_entry, OPEN_FOLDERS, FTW_PHYS) != 0)
		give_up(folder);
	return digest;
}

static bool saw_special, saw_setid;

static int judge_entry(const char *path, const struct stat *status, int kind,
		       struct FTW *place)
{
	static const char *const expected[] = {
		"/write/host-link",
		"/write/host-fifo",
		"/write/host-folder/link",
	};
	bool known = S_ISREG(status->st_mode) || S_ISDIR(status->st_mode);

	(void)kind, (void)place;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		size_t length = strlen(path), tail = strlen(expected[i]);
		known |=
			length >= tail &&
			strcmp(path + length - tail, expected[i]) == 0 &&
			(S_ISLNK(status->st_mode) || S_ISFIFO(status->st_mode));
	}
	saw_special |= !known;
	saw_setid |= (status->st_mode & (S_ISUID | S_ISGID)) != 0;
	return 0;
}

void tree_effects(const struct scene *scene, effect_sink *sink)
{
	const struct arena *arena = &scene->arena;

	saw_special = saw_setid = false;
	if (tree_digest(arena, "outside") != scene->outside)
		sink("outside-changed");
	if ((tree_digest(arena, "read") ^ tree_digest(arena, "exec")) !=
	    scene->granted)
		sink("granted-changed");
	if (nftw(at(arena, "write"), judge_entry, OPEN_FOLDERS, FTW_PHYS) !=
		    0 ||
	    nftw(at(arena, "write2"), judge_entry, OPEN_FOLDERS, FTW_PHYS) != 0)
		give_up("write");
	if (saw_special)
		sink("special-file");
	if (saw_setid)
		sink("setid-file");
}
