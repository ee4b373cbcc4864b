/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Open what local programs offer each other, and tell what came in; see
 * scene.h. What a kernel lacks is left out: the route that wants it then says
 * so.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "scene.h"

enum {
	JOIN_SESSION_KEYRING = 1,
	SESSION_KEYRING = -3,
};

static int local(const char *path, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int descriptor =
		socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	if (bind(descriptor, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			     strlen(path))) != 0 ||
	    (type == SOCK_STREAM && listen(descriptor, 4) != 0))
		give_up(path);
	return descriptor;
}

/* Open a port on loopback; -1 where the host has none. */
static int loopback(int family, int type, long *port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address = {.any = {0}};
	socklen_t length =
		family == AF_INET ? sizeof address.v4 : sizeof address.v6;
	int descriptor = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*port = -1;
	address.any.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		address.v6.sin6_addr = (struct in6_addr)IN6ADDR_LOOPBACK_INIT;
	if (bind(descriptor, &address.any, length) != 0 ||
	    (type == SOCK_STREAM && listen(descriptor, 4) != 0) ||
	    getsockname(descriptor, &address.any, &length) != 0)
		return descriptor;
	*port = ntohs(family == AF_INET ? address.v4.sin_port
					: address.v6.sin6_port);
	return descriptor;
}

static void open_segment(struct scene *scene)
{
	key_t key = (key_t)(ARENA_KEY + scene->victim);
	int segment = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	void *address = segment < 0 ? NULL : shmat(segment, NULL, 0);

	scene->arena.memory = segment;
	if (address != NULL && address != (void *)-1) {
		memcpy(address, SECRET_TEXT, sizeof SECRET_TEXT);
		shmdt(address);
	}
	scene->arena.queue = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
	scene->arena.semaphore = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
}

/* A keyring of the session is shared by everything that the caller starts. */
static void open_key(struct scene *scene)
{
	scene->arena.key = -1;
	if (syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL) >= 0)
		scene->arena.key = syscall(
			SYS_add_key, "user", own_name(&scene->arena, ""),
			SECRET_TEXT, sizeof SECRET_TEXT - 1, SESSION_KEYRING);
}

static void open_shared_file(const struct scene *scene)
{
	const char *path = own_name(&scene->arena, "/dev/shm/");

	/* A killed run leaves its file, and process numbers come again. */
	(void)unlink(path);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (file < 0 || write(file, SECRET_TEXT, sizeof SECRET_TEXT - 1) < 0)
		give_up(path);
	close(file);
}

void services_open(struct scene *scene)
{
	struct mq_attr shape = {.mq_maxmsg = 2, .mq_msgsize = 8};
	const struct arena *arena = &scene->arena;

	scene->stream = local(at(arena, "outside/stream"), SOCK_STREAM);
	scene->datagram = local(at(arena, "outside/datagram"), SOCK_DGRAM);
	scene->abstract = local(own_name(arena, "@"), SOCK_STREAM);
	scene->abstract_datagram =
		local(own_name(arena, "@datagram-"), SOCK_DGRAM);
	scene->tcp4 = loopback(AF_INET, SOCK_STREAM, &scene->arena.tcp4);
	scene->tcp6 = loopback(AF_INET6, SOCK_STREAM, &scene->arena.tcp6);
	scene->udp = loopback(AF_INET, SOCK_DGRAM, &scene->arena.udp);
	scene->queue = mq_open(own_name(arena, "/"),
			       O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600,
			       &shape);
	open_segment(scene);
	open_key(scene);
	open_shared_file(scene);
}

static bool connected(int listener)
{
	int connection = listener < 0 ? -1 : accept(listener, NULL, NULL);

	if (connection >= 0)
		close(connection);
	return connection >= 0;
}

static bool received(int descriptor)
{
	char byte;

	return descriptor >= 0 && recv(descriptor, &byte, 1, MSG_DONTWAIT) >= 0;
}

void services_effects(struct scene *scene, effect_sink *sink)
{
	struct mq_attr shape = {.mq_curmsgs = 0};
	struct msqid_ds queue = {.msg_qnum = 0};

	if (connected(scene->stream) || connected(scene->abstract) ||
	    connected(scene->tcp4) || connected(scene->tcp6))
		sink("connection");
	if (received(scene->datagram) || received(scene->abstract_datagram) ||
	    received(scene->udp))
		sink("datagram");
	if (scene->queue >= 0) {
		int named = mq_open(own_name(&scene->arena, "/"),
				    O_RDONLY | O_CLOEXEC);
		if (named < 0)
			sink("message");
		else
			close(named);
		mq_getattr(scene->queue, &shape);
	}
	msgctl((int)scene->arena.queue, IPC_STAT, &queue);
	if (shape.mq_curmsgs > 0 || queue.msg_qnum > 0 ||
	    semctl((int)scene->arena.semaphore, 0, GETVAL) > 0)
		sink("message");
}

void services_close(struct scene *scene)
{
	const int open[] = {scene->stream,   scene->datagram,
			    scene->abstract, scene->abstract_datagram,
			    scene->tcp4,     scene->tcp6,
			    scene->udp,      scene->queue};

	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
		close(open[i]);
	mq_unlink(own_name(&scene->arena, "/"));
	shmctl((int)scene->arena.memory, IPC_RMID, NULL);
	msgctl((int)scene->arena.queue, IPC_RMID, NULL);
	semctl((int)scene->arena.semaphore, 0, IPC_RMID);
	unlink(own_name(&scene->arena, "/dev/shm/"));
}
