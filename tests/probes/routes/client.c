/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes of a network client: what it must not do with the sockets it may make,
 * and what it is there for. */
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "route.h"

enum {
	PROTOCOL_MPTCP = 262,
	/* Ports to try, some of which others may have. */
	PORT_FIRST = 21000,
	PORT_STEP = 997,
	PORT_TRIES = 9,
};

/* Bind to a port of its own choice, on every address of the family. */
static int bind_chosen(long family, long type, long protocol)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	long socket, done = -EADDRINUSE;

	ATTEMPT(socket, "socket", call(SYS_socket, family, type, protocol));
	for (int i = 0; i < PORT_TRIES && done == -EADDRINUSE; i++) {
		v4.sin_port = htons((in_port_t)(PORT_FIRST + PORT_STEP * i));
		v6.sin6_port = v4.sin_port;
		done = family == AF_INET6
			       ? call(SYS_bind, socket, &v6, sizeof v6)
			       : call(SYS_bind, socket, &v4, sizeof v4);
	}
	ATTEMPT(done, "bind", done);
	return 0;
}

static int client_bind(const struct arena *arena)
{
	(void)arena;
	return bind_chosen(AF_INET, SOCK_STREAM, 0);
}

static int client_bind_six(const struct arena *arena)
{
	(void)arena;
	return bind_chosen(AF_INET6, SOCK_STREAM, 0);
}

static int client_bind_mptcp(const struct arena *arena)
{
	(void)arena;
	return bind_chosen(AF_INET, SOCK_STREAM, PROTOCOL_MPTCP);
}

static int client_bind_udp(const struct arena *arena)
{
	(void)arena;
	return bind_chosen(AF_INET, SOCK_DGRAM, 0);
}

static int client_bind_udp_six(const struct arena *arena)
{
	(void)arena;
	return bind_chosen(AF_INET6, SOCK_DGRAM, 0);
}

/* Without an address of its own a socket that listens gets one nobody judged.
 */
static int listen_unbound(long family)
{
	long socket, done;

	ATTEMPT(socket, "socket", call(SYS_socket, family, SOCK_STREAM, 0));
	ATTEMPT(done, "listen", call(SYS_listen, socket, 1));
	return 0;
}

static int client_listen_unbound(const struct arena *arena)
{
	(void)arena;
	return listen_unbound(AF_INET);
}

static int client_listen_unbound_six(const struct arena *arena)
{
	(void)arena;
	return listen_unbound(AF_INET6);
}

static int listen_local(const struct arena *arena, long type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *name = own_name(arena, "@listen-");
	const long length =
		(long)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	long socket, done;

	memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
	ATTEMPT(socket, "socket", call(SYS_socket, AF_UNIX, type, 0));
	ATTEMPT(done, "bind", call(SYS_bind, socket, &address, length));
	ATTEMPT(done, "listen", call(SYS_listen, socket, 1));
	return 0;
}

static int client_listen_local(const struct arena *arena)
{
	return listen_local(arena, SOCK_STREAM);
}

static int client_listen_local_packets(const struct arena *arena)
{
	return listen_local(arena, SOCK_SEQPACKET);
}

/* A port that the kernel chooses is any client's. */
static int works_client_bind(const struct arena *arena)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	long socket, done;

	(void)arena;
	ATTEMPT(socket, "socket", call(SYS_socket, AF_INET, SOCK_STREAM, 0));
	ATTEMPT(done, "bind", call(SYS_bind, socket, &any, sizeof any));
	ATTEMPT(socket, "socket", call(SYS_socket, AF_INET, SOCK_DGRAM, 0));
	ATTEMPT(done, "bind", call(SYS_bind, socket, &any, sizeof any));
	return 0;
}

/* A fresh socket gets its port by sending, and an answer at that port. */
static int works_client_exchange(const struct arena *arena)
{
	struct sockaddr_in peer = {.sin_family = AF_INET,
				   .sin_port = htons((in_port_t)arena->udp)};
	struct sockaddr_in own;
	socklen_t length = sizeof own;
	char byte;
	long socket, done;

	peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ATTEMPT(socket, "socket", call(SYS_socket, AF_INET, SOCK_DGRAM, 0));
	ATTEMPT(done, "sendto",
		call(SYS_sendto, socket, "x", 1, 0, &peer, sizeof peer));
	ATTEMPT(done, "getsockname",
		call(SYS_getsockname, socket, &own, &length));
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* The answer comes from a sender that the socket never wrote to. */
	ATTEMPT(done, "sendto",
		call(SYS_sendto, socket, "y", 1, 0, &own, sizeof own));
	ATTEMPT(done, "recvfrom",
		call(SYS_recvfrom, socket, &byte, 1, MSG_DONTWAIT, 0, 0));
	return byte == 'y' ? 0 : route_break("compare", EBADMSG);
}

static const struct route table[] = {
	{"client-bind", client_bind, 0},
	{"client-bind-six", client_bind_six, 0},
	{"client-bind-mptcp", client_bind_mptcp, 0},
	{"client-bind-udp", client_bind_udp, 0},
	{"client-bind-udp-six", client_bind_udp_six, 0},
	{"client-listen-unbound", client_listen_unbound, 0},
	{"client-listen-unbound-six", client_listen_unbound_six, 0},
	{"client-listen-local", client_listen_local, 0},
	{"client-listen-local-packets", client_listen_local_packets, 0},
	{"works-client-bind", works_client_bind, 0},
	{"works-client-exchange", works_client_exchange, 0},
};
ROUTE_GROUP(client_routes, table);
