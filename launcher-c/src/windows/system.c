/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the shared part needs of Windows; see plan/system.h. */
#include "plan/system.h"

#include <windows.h>

#include "core/bundle.h"
#include "plan/message.h"
#include "utf8.h"

/* The longest path that Windows takes, with the zero at its end. */
enum { PATH_UNITS = 32768 };

const char system_name[] = "windows";
const uint32_t system_target = STK_TARGET_WINDOWS;

/* The bytes as they are: UTF-8, and lines end as on every other system. */
bool system_write(enum system_stream stream, const char *bytes, size_t length)
{
	HANDLE handle = GetStdHandle(
		stream == SYSTEM_OUTPUT ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);

	while (length > 0) {
		DWORD part = 0;

		if (!WriteFile(handle, bytes, (DWORD)length, &part, NULL) ||
		    part == 0)
			return false;
		bytes += part;
		length -= part;
	}
	return true;
}

void system_end(int status)
{
	ExitProcess((UINT)status);
}

/*
 * Nobody can write, rename or remove the file while it is open.  A link is
 * opened itself, and then refused; a pipe's server could not act as us.
 */
static HANDLE open_file(const char *path)
{
	static wchar_t wide[PATH_UNITS];
	BY_HANDLE_FILE_INFORMATION found;

	if (!utf8_widen(path, wide, PATH_UNITS))
		die("the path of the artifact is too long");
	HANDLE file = CreateFileW(
		wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
		FILE_FLAG_OPEN_REPARSE_POINT | SECURITY_SQOS_PRESENT |
			SECURITY_ANONYMOUS,
		NULL);
	if (file == INVALID_HANDLE_VALUE)
		die("cannot open the artifact `%s`: Windows error %lu", path,
		    GetLastError());
	if (GetFileType(file) != FILE_TYPE_DISK ||
	    !GetFileInformationByHandle(file, &found) ||
	    (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
		die("the artifact `%s` is not a plain file", path);
	if ((found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
		die("the artifact `%s` is a link; name the file itself", path);
	return file;
}

size_t system_read(const char *path, unsigned char *bytes, size_t room)
{
	HANDLE file = open_file(path);
	LARGE_INTEGER size;
	size_t done = 0;

	if (!GetFileSizeEx(file, &size))
		die("cannot read the artifact `%s`: Windows error %lu", path,
		    GetLastError());
	if (size.QuadPart <= 0 || (uint64_t)size.QuadPart > room)
		die("the artifact `%s` has %lld bytes; it must have 1 to %zu",
		    path, (long long)size.QuadPart, room);
	for (;;) {
		DWORD part = 0;

		if (!ReadFile(file, bytes + done, (DWORD)(room - done), &part,
			      NULL))
			die("cannot read the artifact `%s`: Windows error %lu",
			    path, GetLastError());
		if (part == 0)
			break;
		done += part;
	}
	(void)CloseHandle(file);
	return done;
}
