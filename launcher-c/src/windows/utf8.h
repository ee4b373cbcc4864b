/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the wide texts of Windows into UTF-8 and back, without a heap. */
#ifndef STOCKADE_UTF8_H
#define STOCKADE_UTF8_H

#include <stddef.h>
#include <wchar.h>

/*
 * The arguments as UTF-8, ended by a null pointer: they stay valid.  Refuses
 * what is no UTF-16, as half of a surrogate pair.
 */
char **utf8_arguments(int count, wchar_t **wide);

/* @text in @ret_wide, ended; false when it does not fit or is no UTF-8. */
_Bool utf8_widen(const char *text, wchar_t *ret_wide, size_t room);

#endif
