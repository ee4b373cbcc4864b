/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Says in words why a bundle is refused.  Texts are constants, so that the
 * caller can print them without memory of its own.
 */
#include "bundle.h"

#define TEXT(name, text) [STK_BUNDLE_##name] = text,

static const char *const texts[] = {"nothing is wrong",
				    STK_BUNDLE_ERRORS(TEXT)};

const char *stk_bundle_error_text(int error)
{
	if (error < 0 || (size_t)error >= sizeof(texts) / sizeof(texts[0]))
		return "unknown error";
	return texts[error];
}
