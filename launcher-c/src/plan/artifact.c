/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads and parses the artifact; see artifact.h. */
#include "artifact.h"

#include "message.h"

void artifact_load(const char *path, struct stk_bundle *ret_bundle)
{
	static _Alignas(8) unsigned char room[STK_MAX_BUNDLE_BYTES];
	size_t offset = 0;
	const size_t length = system_read(path, room, sizeof(room));
	const int error = stk_bundle_parse(room, length, system_target,
					   ret_bundle, &offset);

	if (error != STK_BUNDLE_OK)
		die("the artifact `%s` is refused: %s (at byte %zu); compile "
		    "it again",
		    path, stk_bundle_error_text(error), offset);
}
