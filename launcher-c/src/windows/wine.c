/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Looks for what only Wine has; see wine.h. */
#include "wine.h"

#include <windows.h>

bool wine_is_here(void)
{
	HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

	/* Wine answers with success where access lists and mitigations are
	 * dropped, so its presence is asked for, never what it can do. */
	return ntdll && GetProcAddress(ntdll, "wine_get_version");
}
