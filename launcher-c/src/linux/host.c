/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Asks who we are and what the kernel can do; see host.h. */
#include "host.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/message.h"
#include "kernel.h"

enum { NEWEST_ABI = 11 };

/* By Landlock ABI, landlock(7): rights of files, of ports, and scopes. */
static const struct stk_rights supported[NEWEST_ABI + 1] = {
	{0, 0, 0},      {0x1fff, 0, 0},  {0x3fff, 0, 0},    {0x7fff, 0, 0},
	{0x7fff, 3, 0}, {0xffff, 3, 0},  {0xffff, 3, 3},    {0xffff, 3, 3},
	{0xffff, 3, 3}, {0x1ffff, 3, 3}, {0x1ffff, 0xf, 3}, {0x1ffff, 0xf, 3},
};

void host_refuse_privileges(void)
{
	uid_t real, effective, saved;
	struct stk_capability_header header = {STK_CAPABILITY_VERSION, 0};
	struct stk_capability_data data[2];

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

static int landlock_abi(void)
{
	int abi = landlock_answer(STK_LANDLOCK_VERSION);

#ifdef STOCKADE_FAKE_ABI
	if (STOCKADE_FAKE_ABI < abi)
		abi = STOCKADE_FAKE_ABI;
#endif
	return abi > NEWEST_ABI ? NEWEST_ABI : abi;
}

struct stk_host host_probe(void)
{
	struct stk_host host = {0};
	int abi = landlock_abi();
	uint32_t action = STK_SECCOMP_RET_ERRNO;

	if (abi > 0 || abi == -EOPNOTSUPP)
		host.features |= STK_FEATURE_LANDLOCK_BUILT;
	if (abi > 0) {
		int errata = landlock_answer(STK_LANDLOCK_ERRATA);

		host.features |= (UINT64_C(1) << abi) - 1;
		if (errata > 0)
			host.features |= ((uint64_t)errata & 0xff) *
					 STK_FEATURE_LANDLOCK_ERRATUM_1;
		host.supported = supported[abi];
	}
	if (abi >= 7)
		host.restrict_flags = STK_LANDLOCK_LOG_SAME_EXEC_OFF;
	if (syscall(SYS_seccomp, STK_SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		host.features |= STK_FEATURE_SECCOMP_FILTER;
	/* A filter that hides even this is one as well. */
	if (prctl(PR_GET_SECCOMP) != 0)
		host.features |= STK_FEATURE_OUTER_FILTER;
	return host;
}

static uint64_t handled(uint64_t required, uint64_t optional, uint64_t known,
			const char *kind)
{
	if (required & ~known)
		die("this kernel lacks Landlock %s 0x%llx of the artifact",
		    kind, (unsigned long long)(required & ~known));
	return required | (optional & known);
}

struct stk_rights host_handled(const struct stk_host *host,
			       const struct stk_variant *variant)
{
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
