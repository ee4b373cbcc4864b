/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Asks who we are and what the kernel can do; see host.h. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "kernel.h"
#include "message.h"

enum { NEWEST_ABI = 11 };

/* By Landlock ABI, landlock(7): rights of files, of ports, and scopes. */
static const struct stk_rights supported[NEWEST_ABI + 1] = {
	{0, 0, 0},      {0x1fff, 0, 0},  {0x3fff, 0, 0},    {0x7fff, 0, 0},
	{0x7fff, 3, 0}, {0xffff, 3, 0},  {0xffff, 3, 3},    {0xffff, 3, 3},
	{0xffff, 3, 3}, {0x1ffff, 3, 3}, {0x1ffff, 0xf, 3}, {0x1ffff, 0xf, 3},
};

void host_refuse_privileges(void)
{
	/* What is refused, where a call answers and writes nothing. */
	uid_t real = 0, effective = 0, saved = 0;
	struct stk_capability_header header = {STK_CAPABILITY_VERSION, 0};
	struct stk_capability_data data[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};

	if (getresuid(&real, &effective, &saved) != 0)
		die_errno("cannot read the user");
	if (real == 0 || effective == 0 || saved == 0)
		die("started as root: what root owns stays open to it, so "
		    "start "
		    "as an ordinary user");
	if (syscall(SYS_capget, &header, data) != 0)
		die_errno("cannot read the capabilities");
	for (int i = 0; i < 2; i++)
		if (data[i].effective | data[i].permitted | data[i].inheritable)
			die("started with capabilities: start as an ordinary "
			    "user without any");
}

/* The answer of the kernel, a negated error number when it is below 0. */
static int landlock_answer(uint32_t question)
{
	long answer = syscall(SYS_landlock_create_ruleset, NULL, 0, question);

	return answer < 0 ? -errno : (int)answer;
}

/* Whether a filter was in force before ours. */
static bool outer_filter;

void host_notice_filter(void)
{
	/* A filter that hides even this is one as well. */
	outer_filter = prctl(PR_GET_SECCOMP) != 0;
	if (outer_filter)
		message_notice_filter();
}

static int landlock_abi(void)
{
	int abi = landlock_answer(STK_LANDLOCK_VERSION);

#ifdef STOCKADE_FAKE_ABI
	if (STOCKADE_FAKE_ABI < abi)
		abi = STOCKADE_FAKE_ABI;
#endif
	return abi > NEWEST_ABI ? NEWEST_ABI : abi;
}

/* What the kernel says; a call that gets no answer says nothing. */
struct answers {
	int abi, errata, filters;
};

static void ask_landlock(struct answers *answers)
{
	answers->abi = landlock_abi();
	if (answers->abi > 0)
		answers->errata = landlock_answer(STK_LANDLOCK_ERRATA);
}

static void ask_seccomp(struct answers *answers)
{
	uint32_t action = STK_SECCOMP_RET_ERRNO;

	answers->filters = syscall(SYS_seccomp, STK_SECCOMP_GET_ACTION_AVAIL, 0,
				   &action) == 0;
}

/* Whether the kernel itself answers, which finds each argument bad. */
static bool are_whole(void)
{
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_landlock_add_rule, -1,
		       STK_LANDLOCK_RULE_PATH_BENEATH, NULL, 0) != 0 &&
	       errno == EBADF &&
	       syscall(SYS_landlock_restrict_self, -1, 0) != 0 &&
	       errno == EBADF;
}

/*
 * An outer filter may end whoever makes a call, and may let one call of
 * Landlock through and refuse the others: a child goes first, tells what it
 * hears, and what it does not live to tell counts as hidden.
 */
static _Noreturn void ask_as_child(int report)
{
	const struct rlimit no_core = {0, 0};
	struct answers answers = {0};

	(void)setrlimit(RLIMIT_CORE, &no_core);
	ask_seccomp(&answers);
	(void)!write(report, &answers, sizeof(answers));
	ask_landlock(&answers);
	if (answers.abi <= 0 || are_whole())
		(void)!write(report, &answers, sizeof(answers));
	_exit(0);
}

static void ask_by_child(struct answers *answers)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		die_errno("cannot make a pipe");
	long child = call_clone();
	if (child == 0)
		ask_as_child(ends[1]);
	(void)close(ends[1]);
	/* Where the filter denies new processes there is nobody to send. */
	if (child < 0) {
		ask_seccomp(answers);
		ask_landlock(answers);
	}
	call_wait(child);
	while (read(ends[0], answers, sizeof(*answers)) == sizeof(*answers))
		;
	(void)close(ends[0]);
}

struct stk_host host_probe(void)
{
	struct stk_host host = {0};
	struct answers answers = {0};

	if (outer_filter) {
		host.features |= STK_FEATURE_OUTER_FILTER;
		ask_by_child(&answers);
	} else {
		ask_landlock(&answers);
		ask_seccomp(&answers);
	}
	if (answers.abi > 0 || answers.abi == -EOPNOTSUPP)
		host.features |= STK_FEATURE_LANDLOCK_BUILT;
	if (answers.abi > 0) {
		host.features |= (UINT64_C(1) << answers.abi) - 1;
		if (answers.errata > 0)
			host.features |= ((uint64_t)answers.errata & 0xff) *
					 STK_FEATURE_LANDLOCK_ERRATUM_1;
		host.supported = supported[answers.abi];
	}
	if (answers.abi >= 7)
		host.restrict_flags = STK_LANDLOCK_LOG_SAME_EXEC_OFF;
	if (answers.filters)
		host.features |= STK_FEATURE_SECCOMP_FILTER;
	return host;
}

static uint64_t handled(uint64_t required, uint64_t optional, uint64_t known,
			const char *kind)
{
	if (required & ~known)
		die_unavailable(
			MESSAGE_ALL,
			"this kernel lacks Landlock %s 0x%llx of the artifact",
			kind, (unsigned long long)(required & ~known));
	return required | (optional & known);
}

struct stk_rights host_handled(const struct stk_host *host,
			       const struct stk_variant *variant)
{
	/* The compiler makes none: a sandbox that holds no file is none. */
	if (variant->fs_required == 0)
		die("the artifact's variant requires no file right");
	return (struct stk_rights){
		.fs = handled(variant->fs_required, variant->fs_optional,
			      host->supported.fs, "file rights"),
		.net = handled(variant->net_required, variant->net_optional,
			       host->supported.net, "port rights"),
		.scope = handled(variant->scope_required,
				 variant->scope_optional, host->supported.scope,
				 "scopes"),
	};
}
