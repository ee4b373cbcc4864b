/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Derives SIDs as compiler/stockade/abi/sid.py does; see sid.h. */
#include "sid.h"

#include <windows.h>

#include <bcrypt.h>
#include <stdio.h>
#include <string.h>

#include "plan/message.h"

enum {
	/* SHA-256 as words, and how many of them name a container. */
	HASH_WORDS = 8,
	CONTAINER_WORDS = 7,
	MOST_NAME_BYTES = 256,
	/* A prefix and eight numbers of ten digits. */
	SID_BYTES = 128,
};

/* Capabilities for the network keep the numbers they had before hashes. */
static const char *const network_names[] = {
	"internetClient",
	"internetClientServer",
	"privateNetworkClientServer",
};

static char in_case(char letter, bool upper)
{
	if (upper && letter >= 'a' && letter <= 'z')
		return (char)(letter - 'a' + 'A');
	if (!upper && letter >= 'A' && letter <= 'Z')
		return (char)(letter - 'A' + 'a');
	return letter;
}

/* The hash of @name in one case, as UTF-16LE without an end. */
static void hash_name(const char *name, bool upper, ULONG ret_words[HASH_WORDS])
{
	static UCHAR wide[2 * MOST_NAME_BYTES];
	const size_t length = strlen(name);

	if (length > MOST_NAME_BYTES)
		die("the name `%s` is longer than %d bytes", name,
		    MOST_NAME_BYTES);
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)name[i] > 0x7f)
			die("the name `%s` is not ASCII", name);
		wide[2 * i] = (UCHAR)in_case(name[i], upper);
		wide[2 * i + 1] = 0;
	}
	if (BCryptHash(BCRYPT_SHA256_ALG_HANDLE, NULL, 0, wide,
		       (ULONG)(2 * length), (PUCHAR)ret_words,
		       HASH_WORDS * sizeof(ULONG)) != 0)
		die("Windows cannot hash the name `%s`", name);
}

static void judge_hashed(const char *name, const char *prefix, bool upper,
			 int count, const char *sid)
{
	ULONG words[HASH_WORDS];
	char derived[SID_BYTES];
	int used = snprintf(derived, sizeof(derived), "%s", prefix);

	hash_name(name, upper, words);
	for (int i = 0; i < count; i++)
		used += snprintf(derived + used, sizeof(derived) - (size_t)used,
				 "-%lu", words[i]);
	if (strcmp(derived, sid) != 0)
		die("the SID `%s` is not that of `%s`, which is `%s`; compile "
		    "the artifact again",
		    sid, name, derived);
}

static void judge_network(const char *name, const char *sid)
{
	char derived[SID_BYTES];

	for (size_t i = 0; i < sizeof(network_names) / sizeof(char *); i++) {
		(void)snprintf(derived, sizeof(derived), "S-1-15-3-%zu", i + 1);
		if (strcmp(name, network_names[i]) == 0 &&
		    strcmp(sid, derived) == 0)
			return;
	}
	die("`%s` with the SID `%s` is no capability for the network; compile "
	    "the artifact again",
	    name, sid);
}

void sid_judge(const struct stk_bundle *bundle)
{
	const struct stk_windows_settings *settings = bundle->windows_settings;

	judge_hashed(stk_string(bundle, settings->container_name), "S-1-15-2",
		     false, CONTAINER_WORDS,
		     stk_string(bundle, settings->container_sid));
	for (uint32_t i = 0; i < bundle->capabilities_count; i++) {
		const struct stk_capability *row = &bundle->capabilities[i];
		const char *name = stk_string(bundle, row->name);
		const char *sid = stk_string(bundle, row->sid);

		if (row->kind == STK_CAPABILITY_NETWORK)
			judge_network(name, sid);
		else
			judge_hashed(name, "S-1-15-3-1024", true, HASH_WORDS,
				     sid);
	}
}
