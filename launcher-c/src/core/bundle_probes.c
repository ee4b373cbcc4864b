/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Checks that every probe's calls can be made as they stand: operands that fit
 * their kinds, results that exist, answers that prove something.  Runs after
 * bundle_fields.c, so every index is inside its section.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

#define OPERANDS 6

/* An item of `data` starts here; its length stands in the 8 bytes before. */
static bool is_item(const struct stk_bundle *bundle, uint64_t offset)
{
	uint32_t length;

	if (offset % 8 != 0 || offset < 8 || offset >= bundle->data_count)
		return false;
	memcpy(&length, bundle->data + offset - 8, sizeof(length));
	return length != 0 && length <= bundle->data_count - offset;
}

static bool operand_fits(const struct stk_bundle *bundle,
			 const struct stk_call *call, int n)
{
	if (call->kind == STK_CALL_FORK &&
	    call->operands[n] != STK_OPERAND_NONE)
		return false;
	if (call->operands[n] == STK_OPERAND_IMMEDIATE)
		return true;
	if (call->operands[n] == STK_OPERAND_DATA)
		return is_item(bundle, call->values[n]);
	return call->values[n] == 0;
}

int stk_check_calls(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->calls_count; i++) {
		const struct stk_call *call = &bundle->calls[i];

		if (call->kind == STK_CALL_COMPAT &&
		    bundle->header->target != STK_TARGET_LINUX_X86_64)
			return stk_refuse(check, STK_BUNDLE_CALL, &call->kind);
		for (int n = 0; n < OPERANDS; n++)
			if (!operand_fits(bundle, call, n))
				return stk_refuse(check, STK_BUNDLE_OPERAND,
						  &call->values[n]);
	}
	return STK_BUNDLE_OK;
}

static bool uses_setup(const struct stk_call *call)
{
	return memchr(call->operands, STK_OPERAND_SETUP_RESULT, OPERANDS) !=
	       NULL;
}

/*
 * A call may use a result only when a setup makes one, and equal answers
 * before and after would prove nothing.
 */
int stk_check_probes(struct stk_check *check)
{
	const struct stk_bundle *bundle = &check->bundle;

	for (uint32_t i = 0; i < bundle->probes_count; i++) {
		const struct stk_probe *probe = &bundle->probes[i];
		bool has_setup = probe->setup != STK_NONE;

		if (!has_setup && uses_setup(&bundle->calls[probe->call]))
			return stk_refuse(check, STK_BUNDLE_CALL, &probe->call);
		if (has_setup && uses_setup(&bundle->calls[probe->setup]))
			return stk_refuse(check, STK_BUNDLE_CALL,
					  &probe->setup);
		if (probe->control_errno == probe->expected_errno)
			return stk_refuse(check, STK_BUNDLE_CONTRADICTION,
					  &probe->expected_errno);
	}
	return STK_BUNDLE_OK;
}
