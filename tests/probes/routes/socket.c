/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Routes to the network and to local services: every family, and the ways
 * round. */
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "route.h"

enum {
	PROTOCOL_UDP_LITE = 136,
	PROTOCOL_MPTCP = 262,
	NETLINK_ROUTE_PROTOCOL = 0,
	NETLINK_SOCKETS_PROTOCOL = 4,
	NETLINK_EVENTS_PROTOCOL = 15,
	FAMILY_NETLINK = 16,
	FAMILY_VSOCK = 40,
	REQUEST_INTERFACES = 0x8912, /* SIOCGIFCONF */
};

static int connect_loopback(long family, long type, long protocol, long port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_port = htons((in_port_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons((in_port_t)port),
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	long socket, done;

	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ATTEMPT(socket, "socket", call(SYS_socket, family, type, protocol));
	if ((int)family == AF_INET6)
		ATTEMPT(done, "connect",
			call(SYS_connect, socket, &v6, sizeof v6));
	else
		ATTEMPT(done, "connect",
			call(SYS_connect, socket, &v4, sizeof v4));
	if ((type & 15) == SOCK_DGRAM)
		ATTEMPT(done, "write", call(SYS_write, socket, "x", 1));
	return 0;
}

static int socket_tcp(const struct arena *arena)
{
	return connect_loopback(AF_INET, SOCK_STREAM, 0, arena->tcp4);
}

static int socket_tcp6(const struct arena *arena)
{
	return connect_loopback(AF_INET6, SOCK_STREAM, 0, arena->tcp6);
}

static int socket_udp(const struct arena *arena)
{
	return connect_loopback(AF_INET, SOCK_DGRAM, 0, arena->udp);
}

static int socket_mptcp(const struct arena *arena)
{
	return connect_loopback(AF_INET, SOCK_STREAM, PROTOCOL_MPTCP,
				arena->tcp4);
}

/* Family, type and protocol are `int`: the kernel drops the high words. */
static int socket_high(const struct arena *arena)
{
	return connect_loopback(1L << 32 | AF_INET, 1L << 33 | SOCK_STREAM,
				1L << 34, arena->tcp4);
}

static int make_socket(long family, long type, long protocol)
{
	long socket;

	ATTEMPT(socket, "socket", call(SYS_socket, family, type, protocol));
	return 0;
}

static int socket_ping(const struct arena *arena)
{
	(void)arena;
	return make_socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
}

static int socket_udp_lite(const struct arena *arena)
{
	(void)arena;
	return make_socket(AF_INET, SOCK_DGRAM, PROTOCOL_UDP_LITE);
}

static int socket_route(const struct arena *arena)
{
	(void)arena;
	return make_socket(FAMILY_NETLINK, SOCK_RAW, NETLINK_ROUTE_PROTOCOL);
}

static int socket_diagnosis(const struct arena *arena)
{
	(void)arena;
	return make_socket(FAMILY_NETLINK, SOCK_RAW, NETLINK_SOCKETS_PROTOCOL);
}

static int socket_events(const struct arena *arena)
{
	(void)arena;
	return make_socket(FAMILY_NETLINK, SOCK_DGRAM, NETLINK_EVENTS_PROTOCOL);
}

static int socket_vsock(const struct arena *arena)
{
	(void)arena;
	return make_socket(FAMILY_VSOCK, SOCK_STREAM, 0);
}

/* Any socket answers for the machine's interfaces, a local pair too. */
static int socket_interfaces(const struct arena *arena)
{
	struct {
		int length;
		void *buffer;
	} request = {0, NULL};
	int ends[2];
	long done;

	(void)arena;
	PREPARE(done, "socketpair",
		call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends));
	ATTEMPT(done, "ioctl(SIOCGIFCONF)",
		call(SYS_ioctl, ends[0], REQUEST_INTERFACES, &request));
	return 0;
}

/* Fill in the address of a path, or of an abstract name when `path` is a `@`
 * and a name; return its length. */
static long local_address(struct sockaddr_un *address, const char *path)
{
	memset(address, 0, sizeof *address);
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
	if (path[0] == '@')
		address->sun_path[0] = '\0';
	return (long)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

static int connect_local(const char *path, long type)
{
	struct sockaddr_un address;
	long length = local_address(&address, path);
	long socket, done;

	ATTEMPT(socket, "socket", call(SYS_socket, AF_UNIX, type, 0));
	ATTEMPT(done, "connect", call(SYS_connect, socket, &address, length));
	if (type == SOCK_DGRAM)
		ATTEMPT(done, "write", call(SYS_write, socket, "x", 1));
	return 0;
}

static int socket_path(const struct arena *arena)
{
	return connect_local(at(arena, "outside/stream"), SOCK_STREAM);
}

static int socket_path_datagram(const struct arena *arena)
{
	return connect_local(at(arena, "outside/datagram"), SOCK_DGRAM);
}

static int socket_abstract(const struct arena *arena)
{
	return connect_local(own_name(arena, "@"), SOCK_STREAM);
}

/* A pair is made connected, but a datagram may name another receiver. */
static int send_by_pair(long type, const char *path)
{
	struct sockaddr_un address;
	long length = local_address(&address, path);
	int ends[2];
	long done;

	ATTEMPT(done, "socketpair",
		call(SYS_socketpair, AF_UNIX, type, 0, ends));
	ATTEMPT(done, "sendto",
		call(SYS_sendto, ends[0], "x", 1, 0, &address, length));
	return 0;
}

static int socket_pair_datagram(const struct arena *arena)
{
	return send_by_pair(SOCK_DGRAM, at(arena, "outside/datagram"));
}

/* The kernel turns a raw local socket into a datagram one. */
static int socket_pair_raw(const struct arena *arena)
{
	return send_by_pair(SOCK_RAW, at(arena, "outside/datagram"));
}

static int socket_pair_abstract(const struct arena *arena)
{
	return send_by_pair(SOCK_DGRAM, own_name(arena, "@datagram-"));
}

static int socket_bind(const struct arena *arena)
{
	struct sockaddr_un address;
	long length = local_address(&address, at(arena, "write/new"));
	long socket, done;

	ATTEMPT(socket, "socket", call(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	ATTEMPT(done, "bind", call(SYS_bind, socket, &address, length));
	ATTEMPT(done, "listen", call(SYS_listen, socket, 1));
	return 0;
}

static int socket_listen(const struct arena *arena)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	long socket, done;

	(void)arena;
	ATTEMPT(socket, "socket", call(SYS_socket, AF_INET, SOCK_STREAM, 0));
	ATTEMPT(done, "bind", call(SYS_bind, socket, &address, sizeof address));
	ATTEMPT(done, "listen", call(SYS_listen, socket, 1));
	return 0;
}

/* One end of a pair takes a name that every process on the machine sees, and
 * that keeps the name from whoever it belongs to. */
static int socket_pair_bind(const struct arena *arena)
{
	struct sockaddr_un address;
	long length = local_address(&address, own_name(arena, "@taken-"));
	int ends[2];
	long done;

	PREPARE(done, "socketpair",
		call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends));
	ATTEMPT(done, "bind", call(SYS_bind, ends[0], &address, length));
	return 0;
}

static const struct route table[] = {
	{"socket-tcp", socket_tcp, 0},
	{"socket-tcp6", socket_tcp6, 0},
	{"socket-udp", socket_udp, 0},
	{"socket-mptcp", socket_mptcp, 0},
	{"socket-high", socket_high, 0},
	{"socket-listen", socket_listen, 0},
	{"socket-ping", socket_ping, 0},
	{"socket-udp-lite", socket_udp_lite, 0},
	{"socket-route", socket_route, 0},
	{"socket-diagnosis", socket_diagnosis, 0},
	{"socket-events", socket_events, 0},
	{"socket-vsock", socket_vsock, 0},
	{"socket-interfaces", socket_interfaces, 0},
	{"socket-path", socket_path, 0},
	{"socket-path-datagram", socket_path_datagram, 0},
	{"socket-abstract", socket_abstract, 0},
	{"socket-pair-datagram", socket_pair_datagram, 0},
	{"socket-pair-raw", socket_pair_raw, 0},
	{"socket-pair-abstract", socket_pair_abstract, 0},
	{"socket-pair-bind", socket_pair_bind, 0},
	{"socket-bind", socket_bind, 0},
};
ROUTE_GROUP(socket_routes, table);
