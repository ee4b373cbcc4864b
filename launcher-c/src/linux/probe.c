/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs the enforcement check; see probe.h. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attempt.h"
#include "call.h"
#include "core/error_name.h"
#include "kernel.h"
#include "message.h"
#include "target.h"

enum {
	MOST_RUNS = STK_MAX_PROBES_PER_VARIANT + 1,
	/* Errnos that no kernel gives: above its own, below the 4095 it passes.
	 */
	WITNESS_FIRST = 1000,
	WITNESS_LAST = 4094,
};

struct run {
	const char *name;
	const struct stk_call *call, *setup;
	/* Which probe of the variant; MESSAGE_ALL for the witness. */
	int number;
	int control, expected;
	/* Otherwise the control says nothing. */
	bool tried;
};

/* The witness is the first. */
static struct run runs[MOST_RUNS];
static uint32_t count;
static struct attempt_scene scene;
unsigned char probe_states[STK_MAX_PROBES_PER_VARIANT];

static bool uses(const struct stk_call *call, unsigned kind)
{
	for (unsigned i = 0; call && i < 6; i++)
		if (call->operands[i] == kind)
			return true;
	return false;
}

static bool uses_canary(const struct run *run)
{
	return uses(run->call, STK_OPERAND_CANARY_PATH) ||
	       uses(run->call, STK_OPERAND_CANARY_FD) ||
	       uses(run->call, STK_OPERAND_FOLDER_FD) ||
	       uses(run->setup, STK_OPERAND_CANARY_PATH) ||
	       uses(run->setup, STK_OPERAND_FOLDER_FD);
}

/* Landlock rights that a call on the canary asks for; 0 for other calls. */
static uint64_t rights_asked(const struct stk_call *call)
{
	uint64_t flags, rights = 0;

	if (call->kind != STK_CALL_NATIVE)
		return 0;
	switch (call->nr) {
	case SYS_execve:
		return STK_FS_EXECUTE | STK_FS_READ_FILE;
	case SYS_truncate:
		return STK_FS_TRUNCATE;
#ifdef SYS_open
	case SYS_open:
		flags = call->values[1];
		break;
#endif
	case SYS_openat:
		flags = call->values[2];
		break;
	default:
		return 0;
	}
	if ((flags & O_ACCMODE) != O_WRONLY)
		rights |= STK_FS_READ_FILE;
	if ((flags & O_ACCMODE) != O_RDONLY)
		rights |= STK_FS_WRITE_FILE;
	if (flags & O_TRUNC)
		rights |= STK_FS_TRUNCATE;
	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE)
		rights |= STK_FS_MAKE_REG;
	return rights;
}

/* Whether there is what the probe needs, and nothing grants what it tries. */
static bool is_usable(const struct run *run, uint64_t handled)
{
	uint64_t rights = rights_asked(run->call) & handled;

	if (uses(run->call, STK_OPERAND_TARGET_PID)) {
		if (scene.target == 0)
			scene.target = target_find();
		if (scene.target == 0)
			return false;
	}
	if (!uses_canary(run))
		return true;
	if (scene.canary.fd < 0)
		return false;
	return run->expected != EACCES || rights == 0 ||
	       (rights & ~scene.canary.covered) != 0;
}

static const struct stk_call *call_of(uint32_t index)
{
	if (index >= scene.bundle->calls_count)
		die("a probe of the artifact has no call");
	return &scene.bundle->calls[index];
}

static void choose_runs(const struct stk_variant *variant, uint64_t handled)
{
	const struct stk_bundle *bundle = scene.bundle;
	static struct stk_call witness;

	witness.nr = bundle->settings->witness_nr;
	runs[count++] = (struct run){
		.name = "witness", .call = &witness, .number = MESSAGE_ALL};
	for (uint32_t i = 0; i < variant->probe_ref_count; i++) {
		uint32_t index = variant->first_probe_ref + i;

		if (count >= MOST_RUNS || index >= bundle->probe_refs_count ||
		    bundle->probe_refs[index].probe >= bundle->probes_count)
			die("probe %u lies outside the artifact", i);
		const struct stk_probe *probe =
			&bundle->probes[bundle->probe_refs[index].probe];

		runs[count] = (struct run){
			.name = stk_string(bundle, probe->name),
			.number = (int)i,
			.call = call_of(probe->call),
			.setup = probe->setup == STK_NONE
					 ? NULL
					 : call_of(probe->setup),
			.expected = probe->expected_errno,
		};
		if (is_usable(&runs[count], handled))
			count++;
	}
}

static int try(const struct run *run, bool control)
{
	return attempt_make(&scene, run->call, run->setup, control);
}

/*
 * Controls from @first on in a child, since a filter of an outer sandbox may
 * end the process that makes them.  Returns the first that got no answer.
 */
static uint32_t run_in_child(uint32_t first)
{
	const struct rlimit no_core = {0, 0};
	int ends[2], reply = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		die_errno("cannot make a pipe");
	long child = call_clone();
	if (child == 0) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		for (; first < count; first++) {
			reply = try(&runs[first], true);
			if (write(ends[1], &reply, sizeof(reply)) < 0)
				break;
		}
		_exit(0);
	}
	(void)close(ends[1]);
	/* An outer sandbox that denies new processes: ours end no caller. */
	for (; child < 0 && first < count; first++)
		runs[first].control = try(&runs[first], true);
	call_wait(child);
	while (first < count &&
	       read(ends[0], &reply, sizeof(reply)) == sizeof(reply))
		runs[first++].control = reply;
	(void)close(ends[0]);
	return first;
}

/*
 * Whether what a probe's call gives unconfined can change how the start ends.
 * Without an outer filter a native call gets an answer, and a start depends on
 * the later one alone: such controls cost time and tell nothing.  The witness
 * must differ from its control, int 0x80 and a setup may get no answer, and the
 * target must be what the probe takes it for.  That the canary can be read,
 * written and cut short is known from where it was made.
 */
static bool needs_control(const struct run *run)
{
	return run == runs || run->setup ||
	       run->call->kind == STK_CALL_COMPAT ||
	       uses(run->call, STK_OPERAND_TARGET_PID);
}

void probe_controls(const struct stk_grants *grants,
		    const struct stk_variant *variant,
		    const struct stk_host *host, uint64_t handled, bool every)
{
	scene.bundle = grants->bundle;
	scene.self = getpid();
	canary_make(grants, &scene.canary);
	choose_runs(variant, handled);
	attempt_find_spare(&scene);
	const bool outer = host->features & STK_FEATURE_OUTER_FILTER;
	for (uint32_t i = 0; i < count; i++) {
		runs[i].tried = outer || every || needs_control(&runs[i]);
		if (outer)
			runs[i].control = ATTEMPT_NO_ANSWER;
		else if (runs[i].tried)
			runs[i].control = try(&runs[i], true);
	}
	for (uint32_t i = 0; outer && i < count; i++)
		i = run_in_child(i);
}

uint32_t probe_draw_witness(void)
{
	const uint32_t width = WITNESS_LAST - WITNESS_FIRST + 1;
	uint32_t drawn = 0;
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&drawn, random, sizeof(drawn));
	drawn %= width;
	if ((int)(WITNESS_FIRST + drawn) == runs[0].control)
		drawn = (drawn + 1) % width;
	runs[0].expected = (int)(WITNESS_FIRST + drawn);
	return WITNESS_FIRST + drawn;
}

/*
 * A denial that was there before says nothing of Landlock's rules.  What our
 * filter answers is another matter: outer sandboxes of ours deny it as well.
 */
static void require_proof(const struct run *run)
{
	if (!uses_canary(run) || run->expected != EACCES ||
	    (rights_asked(run->call) & STK_FS_EXECUTE))
		return;
	die_unavailable(run->number,
			"refused: enforcement check: %s: %s outside already, "
			"so nothing proves the rule; an outer sandbox covers "
			"or imitates it",
			run->name,
			run->control == ATTEMPT_NO_ANSWER
				? "no answer"
				: error_name(run->control));
}

void probe_verify(void)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct run *run = &runs[i];
		unsigned char state = PROBE_OUTSIDE;

		/* The witness counts, even if its control ended a child. */
		if (i == 0 || run->control != ATTEMPT_NO_ANSWER) {
			int got = try(run, false);

			if (got != run->expected)
				die_unavailable(run->number,
						"refused: enforcement check: "
						"%s: expected %s, got %s",
						run->name,
						error_name(run->expected),
						got == ATTEMPT_NO_ANSWER
							? "no answer"
							: error_name(got));
			if (!run->tried || run->control != run->expected)
				state = PROBE_PROVED;
		}
		if (state == PROBE_OUTSIDE)
			require_proof(run);
		if (i > 0)
			probe_states[run->number] = state;
	}
}
