/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Routes by parts of the kernel that act for a process without passing a
 * filter, or that were never meant for confined programs; and tries to undo the
 * confinement.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "route.h"

/* Offsets into the rings, from linux/io_uring.h. */
struct ring_parameters {
	unsigned entries, answers, flags, cpu, idle, features, workers,
		reserved[3];
	unsigned submit_head, submit_tail, submit_mask, submit_entries,
		submit_flags;
	unsigned dropped, submit_array, reserved1;
	unsigned long submit_address;
	unsigned answer_head, answer_tail, answer_mask, answer_entries,
		overflow;
	unsigned answer_records, answer_flags, reserved2;
	unsigned long answer_address;
};

struct ring_entry {
	unsigned char operation, flags;
	unsigned short priority;
	int descriptor;
	unsigned long offset, address;
	unsigned length, open_flags;
	unsigned long data, rest[3];
};

struct ring_answer {
	unsigned long data;
	int result;
	unsigned flags;
};

enum {
	RING_OPENAT = 18,
	RING_GET_EVENTS = 1,
	RING_BYTES = 4096,
	RING_ANSWERS_AT = 0x8000000,
	RING_ENTRIES_AT = 0x10000000,
};

static unsigned char *map_ring(long ring, long where)
{
	return mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    (int)ring, where);
}

/* Let the kernel open the file: the operation passes no filter. */
static int kernel_ring(const struct arena *arena)
{
	struct ring_parameters shape = {0};
	struct ring_answer answer;
	long ring, count;

	ATTEMPT(ring, "io_uring_setup", call(NR_IO_URING_SETUP, 1, &shape));
	unsigned char *submit = map_ring(ring, 0);
	unsigned char *answers = map_ring(ring, RING_ANSWERS_AT);
	struct ring_entry *entry = (void *)map_ring(ring, RING_ENTRIES_AT);
	if (submit == MAP_FAILED || answers == MAP_FAILED ||
	    (void *)entry == MAP_FAILED)
		return route_break("mmap", errno);

	memset(entry, 0, sizeof *entry);
	entry->operation = RING_OPENAT;
	entry->descriptor = AT_FDCWD;
	entry->address = (unsigned long)at(arena, "outside/secret");
	entry->open_flags = O_RDONLY;
	*(unsigned *)(void *)(submit + shape.submit_array) = 0;
	__atomic_store_n((unsigned *)(void *)(submit + shape.submit_tail), 1,
			 __ATOMIC_RELEASE);
	ATTEMPT(count, "io_uring_enter",
		call(NR_IO_URING_ENTER, ring, 1, 1, RING_GET_EVENTS, 0, 0));
	memcpy(&answer, answers + shape.answer_records, sizeof answer);
	ATTEMPT(count, "ring open", answer.result);
	return read_secret(answer.result);
}

/* Without privilege a listener still learns the names in a folder it cannot
 * list. */
static int kernel_watch(const struct arena *arena)
{
	enum { REPORT_FILE_ID = 0x200, MARK_ADD = 1, ON_OPEN = 0x20 };
	long listener, done;

	ATTEMPT(listener, "fanotify_init",
		call(SYS_fanotify_init, REPORT_FILE_ID, O_RDONLY));
	ATTEMPT(done, "fanotify_mark",
		call(SYS_fanotify_mark, listener, MARK_ADD, ON_OPEN, AT_FDCWD,
		     at(arena, "outside")));
	return 0;
}

static int kernel_user_faults(const struct arena *arena)
{
	enum { USER_MODE_ONLY = 1 };
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "userfaultfd",
		call(SYS_userfaultfd, USER_MODE_ONLY));
	return 0;
}

static int kernel_performance(const struct arena *arena)
{
	struct {
		unsigned type, size;
		unsigned long config, period, sample, read;
		unsigned long flags, rest[8];
	} event = {.type = 1 /* software */,
		   .size = 64,
		   .flags = 1 | 1 << 5 | 1 << 6};
	long descriptor;

	(void)arena;
	ATTEMPT(descriptor, "perf_event_open",
		call(SYS_perf_event_open, &event, 0, -1, -1, 0));
	return 0;
}

static int kernel_log(const struct arena *arena)
{
	enum { LOG_BYTES = 10 };
	long count;

	(void)arena;
	ATTEMPT(count, "syslog", call(SYS_syslog, LOG_BYTES, 0, 0));
	return 0;
}

static int kernel_quota(const struct arena *arena)
{
	long done;

	(void)arena;
	ATTEMPT(done, "quotactl(Q_SYNC)",
		call(SYS_quotactl, 0x80000100, 0, 0, 0));
	return 0;
}

struct instruction {
	unsigned short code;
	unsigned char jt, jf;
	unsigned k;
};

struct program {
	unsigned short length;
	struct instruction *instructions;
};

/* A second filter that allows everything must change nothing. */
static int kernel_loosen_filter(const struct arena *arena)
{
	struct instruction allow = {0x06, 0, 0, 0x7fff0000};
	struct program program = {1, &allow};
	long done, descriptor;

	PREPARE(done, "prctl",
		call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	PREPARE(done, "seccomp", call(SYS_seccomp, 1, 0, &program));
	ATTEMPT(descriptor, "openat(3)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"), 3));
	return 0;
}

/* Nor may a second domain that grants everything. */
static int kernel_loosen_domain(const struct arena *arena)
{
	enum { READ_FILE = 4, PATH_BENEATH = 1 };
	struct {
		unsigned long files;
	} handled = {READ_FILE};
	struct {
		unsigned long rights;
		int parent;
	} __attribute__((packed)) rule = {READ_FILE, -1};
	long rules, root, done;

	PREPARE(done, "prctl",
		call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	PREPARE(rules, "landlock_create_ruleset",
		call(NR_LANDLOCK_CREATE_RULESET, &handled, sizeof handled, 0));
	PREPARE(root, "openat(O_PATH)",
		call(SYS_openat, AT_FDCWD, "/", O_PATH));
	rule.parent = (int)root;
	PREPARE(done, "landlock_add_rule",
		call(NR_LANDLOCK_ADD_RULE, rules, PATH_BENEATH, &rule, 0));
	PREPARE(done, "landlock_restrict_self",
		call(NR_LANDLOCK_RESTRICT_SELF, rules, 0));
	return open_secret(at(arena, "outside/secret"));
}

/* Another program in the same process: the confinement outlives execve. */
static int kernel_exec_again(const struct arena *arena)
{
	char *arguments[] = {"escape",
			     "try",
			     "read-openat",
			     (char *)arena->root,
			     "kernel-exec-again",
			     NULL};
	char *environment[] = {NULL};
	long done;

	PREPARE(done, "execve",
		call(SYS_execve, at(arena, "exec/program"), arguments,
		     environment));
	return 0;
}

struct notice {
	unsigned long id;
	unsigned process, flags;
	unsigned char call_data[64];
};

struct reply {
	unsigned long id;
	long value;
	int error;
	unsigned flags;
};

enum {
	REPLY_CONTINUE = 1,
	FILTER_LISTENER = 8,
};
static const long notice_receive = 0xc0502100, notice_send = 0xc0182101;

static void *let_pass(void *listener)
{
	struct notice notice = {0};
	struct reply reply = {.flags = REPLY_CONTINUE};

	if (call(SYS_ioctl, *(long *)listener, notice_receive, &notice) == 0) {
		reply.id = notice.id;
		call(SYS_ioctl, *(long *)listener, notice_send, &reply);
	}
	return NULL;
}

/* A later filter that asks a listener of the program's own, which lets every
 * call pass: an earlier refusal has to win. */
static int kernel_loosen_listener(const struct arena *arena)
{
	struct instruction ask[] = {
		{0x20, 0, 0, 0}, /* load the number */
		{0x15, 0, 1, SYS_openat},
		{0x06, 0, 0, 0x7fc00000}, /* ask */
		{0x06, 0, 0, 0x7fff0000}, /* allow */
	};
	struct program program = {4, ask};
	pthread_t thread;
	long done, listener, descriptor;

	PREPARE(done, "prctl",
		call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	PREPARE(listener, "seccomp",
		call(SYS_seccomp, 1, FILTER_LISTENER, &program));
	/* The thread is under the filter as well but opens nothing. */
	if (pthread_create(&thread, NULL, let_pass, &listener) != 0)
		return route_break("pthread_create", EAGAIN);
	ATTEMPT(descriptor, "openat(3)",
		call(SYS_openat, AT_FDCWD, at(arena, "outside/secret"), 3));
	return 0;
}

static const struct route table[] = {
	{"kernel-ring", kernel_ring, 0},
	{"kernel-watch", kernel_watch, 0},
	{"kernel-user-faults", kernel_user_faults, 0},
	{"kernel-performance", kernel_performance, 0},
	{"kernel-log", kernel_log, 0},
	{"kernel-quota", kernel_quota, 0},
	{"kernel-loosen-filter", kernel_loosen_filter, 0},
	{"kernel-loosen-listener", kernel_loosen_listener, 0},
	{"kernel-loosen-domain", kernel_loosen_domain, 0},
	{"kernel-exec-again", kernel_exec_again, 0},
};
ROUTE_GROUP(kernel_routes, table);
