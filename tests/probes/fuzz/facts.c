/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Read what the watcher wrote down, and open it beforehand; see fuzz.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../call.h"
#include "fuzz.h"

struct facts facts;

static void take(const char *kind, const char *value)
{
	if (strcmp(kind, "path") == 0 && facts.path_count < MOST_FACTS)
		snprintf(facts.paths[facts.path_count++], FACT_BYTES, "%s",
			 value);
	else if (strcmp(kind, "abstract") == 0 && facts.abstract_count < 8)
		snprintf(facts.abstract[facts.abstract_count++], FACT_BYTES,
			 "%s", value);
	else if (strcmp(kind, "program") == 0 && facts.program_count < 8)
		snprintf(facts.programs[facts.program_count++], FACT_BYTES,
			 "%s", value);
	else if (strcmp(kind, "pid") == 0 && facts.pid_count < 16)
		facts.pids[facts.pid_count++] = atol(value);
	else if (strcmp(kind, "port") == 0 && facts.port_count < 8)
		facts.ports[facts.port_count++] = atol(value);
	else if (strcmp(kind, "object") == 0 && facts.object_count < 16)
		facts.objects[facts.object_count++] = atol(value);
}

int facts_load(const char *path)
{
	FILE *file = fopen(path, "re");
	char kind[16], value[FACT_BYTES];

	if (file == NULL)
		return errno;
	while (fscanf(file, "%15s %127s", kind, value) == 2)
		take(kind, value);
	fclose(file);
	return facts.path_count == 0 || facts.pid_count == 0 ? EINVAL : 0;
}

static void open_sockets(void)
{
	static const int families[] = {AF_UNIX, AF_INET, AF_INET6};
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM};
	int pair[2];

	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		for (size_t j = 0; j < sizeof types / sizeof types[0]; j++)
			for (int times = 0; times < 2; times++)
				call(SYS_socket, families[i],
				     types[j] | SOCK_NONBLOCK, 0);
	call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
	call(SYS_socket, AF_NETLINK, SOCK_RAW, 0);
}

void open_all(struct stream *stream)
{
	static const char name[] = "fuzz";
	int pair[2];

	open_sockets();
	call(SYS_pipe2, pair, O_NONBLOCK);
	call(SYS_memfd_create, name, 8 /* MFD_NOEXEC_SEAL */);
	call(SYS_memfd_create, name, 0);
	call(SYS_eventfd2, 0, O_NONBLOCK);
	call(SYS_epoll_create1, 0);
	call(SYS_timerfd_create, 1, O_NONBLOCK);
	call(SYS_inotify_init1, O_NONBLOCK);
	call(NR_IO_URING_SETUP, 4, word_of(stream, 'b'));
	call(SYS_mq_open, QUEUE, O_RDWR | O_NONBLOCK, 0600, 0);
	for (unsigned i = 0; i < facts.pid_count; i++)
		call(NR_PIDFD_OPEN, facts.pids[i], 0);
	for (unsigned i = 0; i < facts.path_count; i++) {
		const char *path = facts.paths[i];
		if (call(SYS_openat, AT_FDCWD, path,
			 O_RDWR | O_NONBLOCK | O_NOCTTY) < 0)
			call(SYS_openat, AT_FDCWD, path,
			     O_RDONLY | O_NONBLOCK | O_NOCTTY);
	}
}
