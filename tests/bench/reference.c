/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Confine and start a program with nothing checked: the cost no launcher can
 * beat.
 *
 *     reference PROGRAM KIND:PATH...      KIND: one of `rights()`
 *
 * no_new_privs, one Landlock ruleset with a rule a path, close-on-exec for
 * every further descriptor, one balanced seccomp filter, exec. It stays the
 * same from release to release, so that ratios to it can be compared.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

/* `reference_filter[]`, rendered from reference_filter.py. */
#include "reference_filter.h"

/* musl has no <linux/landlock.h>. */
struct ruleset {
	uint64_t fs, net, scope;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	RULE_PATH = 1,
	QUERY_VERSION = 1,
	SET_MODE_FILTER = 1,
	SCOPE_ABI = 6,
	FS_RIGHTS = 0xffff,
	READ_FILE = 0x4,
	READ_FOLDER = 0xc,
	EXECUTE_FILE = 0x5,
	EXECUTE_FOLDER = 0xd,
	WRITE_FOLDER = 0x7fbe,
};

static uint64_t rights(char kind)
{
	switch (kind) {
	case 'x':
		return EXECUTE_FOLDER;
	case 'r':
		return READ_FOLDER;
	case 'f':
		return READ_FILE;
	case 'p':
		return EXECUTE_FILE;
	default:
		return WRITE_FOLDER;
	}
}

int main(int count, char **arguments)
{
	struct {
		unsigned short length;
		const struct insn *instructions;
	} program = {sizeof reference_filter / sizeof reference_filter[0],
		     reference_filter};
	struct ruleset handled = {FS_RIGHTS, 3, 3};
	long ruleset;

	if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 125;
	if (syscall(CREATE_RULESET, NULL, 0, QUERY_VERSION) < SCOPE_ABI)
		return 125;
	ruleset = syscall(CREATE_RULESET, &handled, sizeof handled, 0);
	for (int i = 2; i < count; i++) {
		struct path_rule rule = {
			rights(arguments[i][0]),
			open(arguments[i] + 2, O_PATH | O_CLOEXEC)};
		if (syscall(ADD_RULE, ruleset, RULE_PATH, &rule, 0) != 0)
			return 125;
		close(rule.parent);
	}
	if (syscall(SYS_close_range, 3U, ~0U, 4U) != 0 ||
	    syscall(RESTRICT_SELF, ruleset, 0) != 0 ||
	    syscall(SYS_seccomp, SET_MODE_FILTER, 0, &program) != 0)
		return 125;
	execv(arguments[1], (char *[]){arguments[1], NULL});
	return 125;
}
