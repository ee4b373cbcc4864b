/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * What paths in a bundle look like: absolute or relative as their place asks,
 * and normalised, so that equal places are equal bytes.
 */
#include <stdbool.h>
#include <string.h>

#include "bundle_check.h"

static bool is_dots(const char *component, size_t length)
{
	return (length == 1 && component[0] == '.') ||
	       (length == 2 && component[0] == '.' && component[1] == '.');
}

/*
 * Components that are neither empty, `.` nor `..`; at most @limit bytes.  With
 * @open the last one is left to be filled in, so it must be empty.
 */
static int check_components(const char *path, size_t limit, bool open)
{
	const char *component = path;

	for (const char *at = path;; at++) {
		size_t length = (size_t)(at - component);

		if (*at != '\0' && *at != '/') {
			if (stk_is_control(*at) || (size_t)(at - path) >= limit)
				return STK_BUNDLE_PATH;
			continue;
		}
		if (*at == '\0' && open)
			return length == 0 ? STK_BUNDLE_OK : STK_BUNDLE_PATH;
		if (length == 0 || is_dots(component, length))
			return STK_BUNDLE_PATH;
		if (*at == '\0')
			return STK_BUNDLE_OK;
		component = at + 1;
	}
}

int stk_check_relative(const char *path)
{
	return check_components(path, STK_MAX_PATH_BYTES, false);
}

int stk_check_absolute(const char *path)
{
	if (path[0] != '/')
		return STK_BUNDLE_PATH;
	if (path[1] == '\0')
		return STK_BUNDLE_OK;
	return check_components(path + 1, STK_MAX_PATH_BYTES - 1, false);
}

int stk_check_prefix(const char *path)
{
	if (path[0] != '/')
		return STK_BUNDLE_PATH;
	return check_components(path + 1, STK_MAX_PATH_BYTES - 1, true);
}

/*
 * Windows takes a dot or a space from the end of a name, so that two texts
 * would be one file; `.` and `..` end in a dot.
 */
static bool is_windows_name(const char *name, size_t length)
{
	return length != 0 && name[length - 1] != '.' &&
	       name[length - 1] != ' ';
}

/* Names below a drive or a folder; `:` would name a stream of the file. */
static int check_windows_names(const char *path, size_t limit)
{
	const char *name = path;

	for (const char *at = path;; at++) {
		if (*at != '\0' && *at != '\\') {
			if (stk_is_control(*at) || strchr("/:*?\"<>|", *at) ||
			    (size_t)(at - path) >= limit)
				return STK_BUNDLE_PATH;
			continue;
		}
		if (!is_windows_name(name, (size_t)(at - name)))
			return STK_BUNDLE_PATH;
		if (*at == '\0')
			return STK_BUNDLE_OK;
		name = at + 1;
	}
}

int stk_check_windows_relative(const char *path)
{
	return check_windows_names(path, STK_MAX_PATH_BYTES);
}

int stk_check_windows(const char *path)
{
	if (path[0] < 'A' || path[0] > 'Z' || path[1] != ':' || path[2] != '\\')
		return STK_BUNDLE_PATH;
	if (path[3] == '\0')
		return STK_BUNDLE_OK;
	return check_windows_names(path + 3, STK_MAX_PATH_BYTES - 3);
}
