/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Write what words point to: paths, addresses, structures; see memory.h. */
#include "memory.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

static void *room(struct stream *stream, size_t bytes)
{
	char *start = stream->scratch + stream->used;

	stream->used = (stream->used + (unsigned)bytes + 63) / 64 * 64;
	return start;
}

/* Some bytes, random or small numbers, as a structure might hold. */
long make_buffer(struct stream *stream)
{
	uint64_t *words = room(stream, 512);
	unsigned kind = below(stream, 3);

	for (unsigned i = 0; i < 64; i++)
		words[i] = kind == 0   ? 0
			   : kind == 1 ? draw(stream) % 9
				       : draw(stream);
	return (long)words;
}

long make_path(struct stream *stream, bool program)
{
	char *text = room(stream, FACT_BYTES + 16);
	const char *known = facts.paths[below(stream, facts.path_count)];

	if (program && facts.program_count > 0)
		known = facts.programs[below(stream, facts.program_count)];
	switch (below(stream, 12)) {
	case 4:
		snprintf(text, FACT_BYTES, "new-%u", below(stream, 4));
		break;
	case 0:
		snprintf(text, FACT_BYTES, "/proc/self/fd/%u",
			 below(stream, MOST_DESCRIPTORS));
		break;
	case 1:
		snprintf(text, FACT_BYTES + 16, "%s/new-%u", known,
			 below(stream, 4));
		break;
	case 2:
		snprintf(text, FACT_BYTES, "/proc/%ld/%s",
			 facts.pids[below(stream, facts.pid_count)],
			 below(stream, 2) ? "mem" : "oom_score_adj");
		break;
	case 3:
		text[0] = '\0';
		break;
	default:
		snprintf(text, FACT_BYTES, "%s", known);
	}
	return (long)text;
}

long make_address(struct stream *stream)
{
	struct sockaddr_storage *any = room(stream, sizeof *any);
	struct sockaddr_un *local = (void *)any;
	struct sockaddr_in *four = (void *)any;
	struct sockaddr_in6 *six = (void *)any;
	in_port_t port = 0;

	memset(any, 0, sizeof *any);
	if (facts.port_count > 0)
		port = htons(
			(uint16_t)facts.ports[below(stream, facts.port_count)]);
	switch (below(stream, 6)) {
	case 0:
	case 1:
		four->sin_family = AF_INET;
		four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		four->sin_port = port;
		break;
	case 2:
		six->sin6_family = AF_INET6;
		six->sin6_addr = (struct in6_addr)IN6ADDR_LOOPBACK_INIT;
		six->sin6_port = port;
		break;
	case 3:
		local->sun_family = AF_UNIX;
		/* The watcher names its sockets first. */
		snprintf(
			local->sun_path, sizeof local->sun_path, "%s",
			facts.paths[below(stream, facts.path_count < FIRST_PATHS
							  ? facts.path_count
							  : FIRST_PATHS)]);
		break;
	case 4:
		local->sun_family = AF_UNIX;
		if (facts.abstract_count > 0)
			snprintf(local->sun_path + 1,
				 sizeof local->sun_path - 1, "%s",
				 facts.abstract[below(stream,
						      facts.abstract_count)]);
		break;
	default:
		any->ss_family = (sa_family_t)below(stream, 46);
	}
	return (long)any;
}

/* The length of the address that was made last. */
long address_length(const struct stream *stream)
{
	const struct sockaddr_un *local =
		(const void *)(stream->scratch + stream->used -
			       (sizeof(struct sockaddr_storage) + 63) / 64 *
				       64);
	if (local->sun_family == AF_INET)
		return sizeof(struct sockaddr_in);
	if (local->sun_family != AF_UNIX)
		return sizeof(struct sockaddr_in6);
	if (local->sun_path[0] != '\0')
		return sizeof *local;
	return (long)(offsetof(struct sockaddr_un, sun_path) + 1 +
		      strlen(local->sun_path + 1));
}

long make_vector(struct stream *stream, char letter)
{
	char **words = room(stream, 4 * sizeof *words);
	struct iovec *part = (void *)words;

	memset(words, 0, 4 * sizeof *words);
	if (letter == 'A') {
		words[0] = room(stream, 8);
		strcpy(words[0], "reached");
	} else {
		/* The watcher puts the same memory at one place in all its
		 * victims, and names it first. */
		part->iov_base = below(stream, 2) ? (void *)make_buffer(stream)
						  : (void *)facts.objects[0];
		part->iov_len = 8;
	}
	return (long)words;
}

/* Structures that only count with something sensible in them. */
long make_structure(struct stream *stream, char letter)
{
	long *words = room(stream, 256);
	struct sembuf *step = (void *)words;

	memset(words, 0, 256);
	switch (letter) {
	case 'S': /* siginfo: si_code SI_QUEUE */
		((int *)words)[2] = -1;
		break;
	case 'L': /* limits, lower than any */
		words[0] = words[1] = (long)below(stream, 64);
		break;
	case 'C': /* one processor */
		words[0] = 1L << below(stream, 2);
		break;
	case 'M': /* type and text of a message */
		words[0] = 1;
		break;
	case 'Y':
		step->sem_op = 1;
		break;
	default:
		break;
	}
	return (long)words;
}

long make_text(struct stream *stream, char letter)
{
	static const char *const names[] = {"user.stockade", "stockade"};
	char *chosen = room(stream, FACT_BYTES);

	if (letter == 'K')
		strcpy(chosen, below(stream, 4) ? "user" : "keyring");
	else if (letter == 'q')
		snprintf(chosen, FACT_BYTES, QUEUE "%s",
			 below(stream, 3) ? "" : "-new");
	else
		strcpy(chosen, names[below(stream, 2)]);
	return (long)chosen;
}
