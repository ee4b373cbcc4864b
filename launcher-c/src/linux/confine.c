/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* landlock(7) and seccomp(2), in this order; see confine.h. */
#include "confine.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"
#include "message.h"

/* A right that the kernel does not handle denies nothing and takes no rule. */
static void grant_ports(int ruleset, const struct stk_bundle *bundle,
			uint64_t handled)
{
	for (uint32_t i = 0; i < bundle->ports_count; i++) {
		const struct stk_port *port = &bundle->ports[i];
		struct stk_landlock_port rule = {
			.rights = port->rights & handled,
			.port = port->port,
		};

		if (rule.rights != 0 &&
		    syscall(SYS_landlock_add_rule, ruleset,
			    STK_LANDLOCK_RULE_NET_PORT, &rule, 0) != 0)
			die_errno("cannot grant port %u", port->port);
	}
}

int confine_make_ruleset(struct stk_grants *grants,
			 const struct stk_rights *handled)
{
	struct stk_landlock_ruleset attributes = {handled->fs, handled->net,
						  handled->scope};
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes,
				   sizeof(attributes), 0);

	if (ruleset < 0)
		die_unavailable_errno("cannot make the Landlock ruleset");
	for (uint32_t i = 0; i < grants->count; i++) {
		struct stk_pin *pin = &grants->pins[i];
		struct stk_landlock_path rule = {
			.rights = pin->class->rights & handled->fs,
			.fd = pin->fd,
		};

		if (!S_ISDIR(pin->object.mode))
			rule.rights &= STK_FS_OF_FILES;
		if (rule.rights != 0 &&
		    syscall(SYS_landlock_add_rule, ruleset,
			    STK_LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
			die_unavailable_errno("cannot grant `%s` (%s)",
					      pin->path, pin->role);
		if (close(pin->fd) != 0)
			die_errno("cannot close `%s`", pin->path);
		pin->fd = -1;
	}
	grant_ports(ruleset, grants->bundle, handled->net);
	return ruleset;
}

void confine_restrict(int ruleset, uint32_t flags)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		die_unavailable_errno("cannot give up new privileges");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		die_unavailable(MESSAGE_ALL,
				"new privileges were not given up");
	if (syscall(SYS_landlock_restrict_self, ruleset, flags) == 0)
		return;
	if (errno == E2BIG)
		die_unavailable(MESSAGE_ALL, "already inside 16 sandboxes, as "
					     "many as the kernel nests");
	die_unavailable_errno("cannot restrict this process by Landlock");
}

/* The filter's instructions, counted once more. */
static const struct stk_insn *program(const struct stk_bundle *bundle,
				      const struct stk_variant *variant,
				      const struct stk_filter **ret_filter)
{
	const struct stk_filter *filter;

	if (variant->filter >= bundle->filters_count)
		die("the variant has no filter");
	filter = &bundle->filters[variant->filter];
	if (filter->insn_count == 0 ||
	    filter->insn_count > STK_MAX_INSTRUCTIONS ||
	    filter->first_insn > bundle->insns_count ||
	    filter->insn_count > bundle->insns_count - filter->first_insn ||
	    filter->first_relocation > bundle->relocations_count ||
	    filter->relocation_count >
		    bundle->relocations_count - filter->first_relocation)
		die("the filter lies outside the artifact");
	*ret_filter = filter;
	return &bundle->insns[filter->first_insn];
}

void confine_relocate(const struct stk_bundle *bundle,
		      const struct stk_variant *variant, uint32_t witness_errno)
{
	const struct stk_filter *filter;
	/* SAFETY: the bundle is our own memory; only tables are read-only. */
	struct stk_insn *insns =
		(struct stk_insn *)(uintptr_t)program(bundle, variant, &filter);

	for (uint32_t i = 0; i < filter->relocation_count; i++) {
		const struct stk_relocation *relocation =
			&bundle->relocations[filter->first_relocation + i];
		struct stk_insn *insn = &insns[relocation->insn];

		if (relocation->insn >= filter->insn_count)
			die("relocation %u lies outside the filter", i);
		switch (relocation->kind) {
		case STK_RELOCATION_OWN_PID:
			if (insn->code != STK_PLACEHOLDER_OWN_PID_CODE ||
			    insn->k != STK_PLACEHOLDER_OWN_PID_K)
				die("relocation %u is not of a process ID", i);
			insn->k = (uint32_t)getpid();
			break;
		case STK_RELOCATION_WITNESS:
			if (insn->code != STK_PLACEHOLDER_WITNESS_CODE ||
			    insn->k != STK_PLACEHOLDER_WITNESS_K)
				die("relocation %u is not of the witness", i);
			insn->k = STK_SECCOMP_RET_ERRNO | witness_errno;
			break;
		default:
			die("relocation %u is of an unknown kind", i);
		}
	}
}

void confine_attach(const struct stk_bundle *bundle,
		    const struct stk_variant *variant)
{
	const struct stk_filter *filter;
	const struct stk_insn *insns = program(bundle, variant, &filter);
	const struct stk_sock_fprog attached = {
		.length = (uint16_t)filter->insn_count,
		.instructions = insns,
	};

	if (syscall(SYS_seccomp, STK_SECCOMP_SET_MODE_FILTER, 0, &attached) ==
	    0)
		return;
	if (errno == ENOMEM)
		die_unavailable(MESSAGE_ALL,
				"cannot attach the filter: those of outer "
				"sandboxes leave no room");
	die_unavailable_errno("cannot attach the filter");
}
