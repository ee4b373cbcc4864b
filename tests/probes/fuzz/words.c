/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Choose the words of a call: of the kind it wants, or of any; see fuzz.h. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>

#include "../call.h"
#include "fuzz.h"
#include "memory.h"

#define PICK(stream, array)                                                    \
	(array)[below((stream), sizeof(array) / sizeof((array)[0]))]

uint64_t draw(struct stream *stream)
{
	/* splitmix64 */
	uint64_t word = stream->state += 0x9e3779b97f4a7c15U;

	word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
	word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
	return word ^ (word >> 31);
}

unsigned below(struct stream *stream, unsigned limit)
{
	return (unsigned)(draw(stream) % limit);
}

static long request(struct stream *stream)
{
	static const long known[] = {
		0x5401,     0x5402,     0x5403,     0x5406,     0x5408,
		0x540b,     0x540c,     0x540e,     0x5410,     0x5412,
		0x5413,     0x5414,     0x541b,     0x541c,     0x5421,
		0x5423,     0x5437,     0x5450,     0x5451,     0x5452,
		0x8901,     0x8902,     0x8905,     0x8912,     0x8914,
		0x8927,     0x40086602, 0x80086601, 0x401c5820, 0x40049409,
		0x4020940d, 0x40045431, 0x80045430, 0x40045436, 0xb701,
		0xb70b,     0xc0045877, 0xaa3f,     0xc008aa3f, 0x5000940e,
		0x40082404,
	};
	return below(stream, 5) == 0 ? (long)(draw(stream) & 0xffffffff)
				     : PICK(stream, known);
}

/* Requests that change a terminal. */
static long terminal_request(struct stream *stream)
{
	static const long known[] = {0x5402, 0x5403, 0x5404, 0x5406, 0x540c,
				     0x5412, 0x5414, 0x5414, 0x5423};

	return PICK(stream, known);
}

static long process(struct stream *stream)
{
	long victim = facts.pids[below(stream, facts.pid_count)];

	switch (below(stream, 24)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return -1;
	case 3:
		return 1;
	case 4:
		return call(SYS_getppid, 0);
	case 5: /* a signal to itself mostly ends the run */
		return call(SYS_getpid, 0);
	case 6:
	case 7:
		return -victim;
	default:
		return victim;
	}
}

static long number_of(struct stream *stream, char letter)
{
	static const long flags[] = {0,
				     O_RDONLY,
				     O_WRONLY,
				     O_RDWR,
				     3,
				     O_TRUNC,
				     O_CREAT | O_RDWR,
				     O_PATH,
				     O_TMPFILE | 2,
				     O_DIRECTORY,
				     O_APPEND | O_WRONLY};
	static const long modes[] = {0,       0600,    0755,    04755,
				     02755,   0100644, 0010644, 0120777,
				     0020666, 0140777};
	static const long at_flags[] = {0, 0, 0x100, 0x200, 0x1000, 0x400};
	static const long ptrace_requests[] = {
		0,  1,  2,  3,  4,  5,      6,      7,      8,      12,    16,
		17, 24, 31, 16, 16, 0x4206, 0x4206, 0x4206, 0x4207, 0x4200};
	static const long settings[] = {4, 8, 10, 15, 1024, 1025, 1026, 1033};
	static const long clones[] = {17,         0x100,      0x8000,
				      0x10000,    0x20000,    0x10000000,
				      0x20000000, 0x40000000, 0x80};
	static const long special[] = {-1, -2, -3, -4, -5, 0};

	switch (letter) {
	case 'O':
		return PICK(stream, flags) |
		       (below(stream, 2) ? O_NONBLOCK : 0);
	case 'm':
		return PICK(stream, modes);
	case 'u':
		return PICK(stream, at_flags);
	case 'Q':
		return PICK(stream, ptrace_requests);
	case 'N':
		return PICK(stream, settings);
	case 'c':
		return PICK(stream, clones) | PICK(stream, clones);
	case 'k':
		return facts.object_count > 1 && below(stream, 4)
			       ? facts.objects[1 +
					       below(stream,
						     facts.object_count - 1)]
			       : PICK(stream, special);
	case 'U':
		return below(stream, 3) ? (long)call(SYS_getuid, 0)
					: (long)below(stream, 3) - 1;
	default: /* F: some bits */
		return (long)(1UL << below(stream, 33) |
			      1UL << below(stream, 33)) *
		       (long)below(stream, 2);
	}
}

long word_of(struct stream *stream, char letter)
{
	switch (letter) {
	case 'f':
		return 2 + below(stream, below(stream, 2) ? MOST_DESCRIPTORS
							  : SERVICES);
	case 'h': /* those that are sockets, where sockets can be had */
		return below(stream, 4) ? 3 + below(stream, SOCKETS)
					: word_of(stream, 'f');
	case 'D':
		return below(stream, 3) ? AT_FDCWD : word_of(stream, 'f');
	case 'p':
	case 'e':
		return make_path(stream, letter == 'e');
	case 'b':
		return make_buffer(stream);
	case 'n':
		return (long)below(stream, 256);
	case 's':
		return below(stream, 4) ? (long)below(stream, 65) : SIGUSR1;
	case 'P':
		return process(stream);
	case 'a':
		return make_address(stream);
	case 'l':
		return address_length(stream);
	case 'i':
		return request(stream);
	case 'j':
		return terminal_request(stream);
	case 'd':
		return (long)below(stream, 20);
	case 't':
		return (long)below(stream, 6) |
		       (below(stream, 2) ? SOCK_NONBLOCK : 0);
	case 'r':
		return any_word(stream);
	case 'A':
	case 'V':
		return make_vector(stream, letter);
	case 'S':
	case 'L':
	case 'C':
	case 'M':
	case 'Y':
	case 'B':
		return make_structure(stream, letter);
	case 'x':
	case 'K':
	case 'q':
		return make_text(stream, letter);
	case 'W':
		return (long)below(stream, 4);
	case 'G': /* best effort or idle class */
		return 2L << 13 | (long)below(stream, 8);
	case 'E':
		return below(stream, 2) ? SCHED_BATCH : SCHED_IDLE;
	case 'z':
		return 0;
	case '1':
		return 1;
	case '2':
		return 04000; /* IPC_NOWAIT */
	case '8':
		return 8;
	default:
		return number_of(stream, letter);
	}
}

long any_word(struct stream *stream)
{
	static const char letters[] = "fDpbnPaidFkrz";

	switch (below(stream, 4)) {
	case 0:
		return (long)draw(stream) >> below(stream, 64);
	case 1:
		return (long)(1UL << 32) | (long)below(stream, 64);
	default:
		return word_of(stream,
			       letters[below(stream, sizeof letters - 1)]);
	}
}
