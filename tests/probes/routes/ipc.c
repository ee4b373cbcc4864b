/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes by what all processes of a user share without a path: System V
 * objects, POSIX queues, keys; and by what a start hands down.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "route.h"

enum {
	KEY_UNLINK = 9,
	KEY_READ = 11,
	SESSION_KEYRING = -3,
};

static int read_segment(long segment)
{
	long address;

	ATTEMPT(address, "shmat", call(SYS_shmat, segment, 0, SHM_RDONLY));
	if (strcmp((const char *)address, SECRET_TEXT) != 0)
		return route_break("compare", EBADMSG);
	return 0;
}

static int ipc_memory(const struct arena *arena)
{
	return read_segment(arena->memory);
}

static int ipc_memory_by_key(const struct arena *arena)
{
	long segment;

	ATTEMPT(segment, "shmget",
		call(SYS_shmget, ARENA_KEY + arena->victim, 0, 0));
	return read_segment(segment);
}

static int ipc_queue(const struct arena *arena)
{
	struct {
		long type;
		char text[4];
	} message = {1, "x"};
	long done;

	ATTEMPT(done, "msgsnd",
		call(SYS_msgsnd, arena->queue, &message, 2, IPC_NOWAIT));
	return 0;
}

static int ipc_semaphore(const struct arena *arena)
{
	struct sembuf raise = {0, 1, IPC_NOWAIT};
	long done;

	ATTEMPT(done, "semop", call(SYS_semop, arena->semaphore, &raise, 1));
	return 0;
}

static int ipc_posix_queue(const struct arena *arena)
{
	long queue, done;

	/* The call itself takes the name without the library's leading slash.
	 */
	ATTEMPT(queue, "mq_open",
		call(SYS_mq_open, own_name(arena, ""), O_WRONLY, 0, 0));
	ATTEMPT(done, "mq_timedsend",
		call(SYS_mq_timedsend, queue, "x", 1, 0, 0));
	return 0;
}

/* A name that others then lack. */
static int ipc_posix_queue_make(const struct arena *arena)
{
	const char *name = own_name(arena, "new-");
	long queue, done;

	ATTEMPT(queue, "mq_open",
		call(SYS_mq_open, name, O_RDWR | O_CREAT | O_EXCL, 0600, 0));
	PREPARE(done, "mq_unlink", call(SYS_mq_unlink, name));
	return 0;
}

static int ipc_posix_queue_remove(const struct arena *arena)
{
	long done;

	ATTEMPT(done, "mq_unlink", call(SYS_mq_unlink, own_name(arena, "")));
	return 0;
}

static int ipc_key_read(const struct arena *arena)
{
	char text[64] = "";
	long count;

	ATTEMPT(count, "keyctl(KEYCTL_READ)",
		call(SYS_keyctl, KEY_READ, arena->key, text, sizeof text - 1));
	return strcmp(text, SECRET_TEXT) == 0 ? 0
					      : route_break("compare", EBADMSG);
}

static int ipc_key_request(const struct arena *arena)
{
	long key;

	ATTEMPT(key, "request_key",
		call(SYS_request_key, "user", own_name(arena, ""), 0, 0));
	return 0;
}

static int ipc_key_add(const struct arena *arena)
{
	long key, done;

	ATTEMPT(key, "add_key",
		call(SYS_add_key, "user", own_name(arena, "new-"), "x", 1,
		     SESSION_KEYRING));
	PREPARE(done, "keyctl(KEYCTL_UNLINK)",
		call(SYS_keyctl, KEY_UNLINK, key, SESSION_KEYRING));
	return 0;
}

/* A variable that the caller has and no policy passes. */
static int ipc_environment(const struct arena *arena)
{
	long found;

	(void)arena;
	ATTEMPT(found, "environment",
		getenv(ENVIRONMENT_SECRET) != NULL ? 1 : -ENOENT);
	return 0;
}

static const struct route table[] = {
	{"ipc-memory", ipc_memory, 0},
	{"ipc-memory-by-key", ipc_memory_by_key, 0},
	{"ipc-queue", ipc_queue, 0},
	{"ipc-semaphore", ipc_semaphore, 0},
	{"ipc-posix-queue", ipc_posix_queue, 0},
	{"ipc-posix-queue-make", ipc_posix_queue_make, 0},
	{"ipc-posix-queue-remove", ipc_posix_queue_remove, 0},
	{"ipc-key-read", ipc_key_read, 0},
	{"ipc-key-request", ipc_key_request, 0},
	{"ipc-key-add", ipc_key_add, 0},
	{"ipc-environment", ipc_environment, 0},
};
ROUTE_GROUP(ipc_routes, table);
