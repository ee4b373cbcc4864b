/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the numbers of <errno.h> into their symbols, which no locale changes.
 */
#ifndef STOCKADE_ERROR_NAME_H
#define STOCKADE_ERROR_NAME_H

/* The symbol of an error number, or `errno N`; two answers stay valid. */
const char *error_name(int error);

#endif
