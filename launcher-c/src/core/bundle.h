/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns the bytes of a bundle into tables that can be used without further
 * checks.  Nothing here allocates, prints, ends the process or keeps state.
 *
 * INVARIANT: after stk_bundle_parse() returned 0, every offset, count, index
 * and number in the records is one that docs/bundle-format.md allows.
 */
#ifndef STOCKADE_BUNDLE_H
#define STOCKADE_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "stk_bundle_format.h"

/* Why a bundle is refused; the numbers may change with the version. */
#define STK_BUNDLE_ERRORS(X)                                                   \
	X(UNALIGNED, "the bytes do not lie at a multiple of 8")                \
	X(TOO_SHORT, "shorter than a header")                                  \
	X(TOO_LONG, "longer than 4 MiB")                                       \
	X(NOT_A_BUNDLE, "not a stockade artifact")                             \
	X(OTHER_VERSION, "made for another version of stockade")               \
	X(OTHER_LENGTH, "cut off or extended")                                 \
	X(DAMAGED, "damaged: the checksum does not match")                     \
	X(UNKNOWN_TARGET, "unknown target")                                    \
	X(FOREIGN_TARGET, "compiled for another system")                       \
	X(RESERVED, "reserved bytes are not zero")                             \
	X(SECTION_ORDER, "sections are out of order")                          \
	X(SECTION_MISSING, "a section is missing")                             \
	X(SECTION_FOREIGN, "a section of another system")                      \
	X(SECTION_UNKNOWN, "unknown section that must be understood")          \
	X(SECTION_FLAGS, "unknown flags of a section")                         \
	X(SECTION_PLACE, "a section is not where it must be")                  \
	X(SECTION_COUNT, "too many or too few records")                        \
	X(TRAILING_BYTES, "bytes after the last section")                      \
	X(STRINGS, "strings do not begin and end with zero")                   \
	X(DATA, "operand data is malformed")                                   \
	X(NUMBER, "number out of range")                                       \
	X(BITS, "unknown bits")                                                \
	X(INDEX, "index out of range")                                         \
	X(SLICE, "records are not cut into whole pieces")                      \
	X(TEXT, "malformed text")                                              \
	X(PATH, "path is not absolute and normalised")                         \
	X(VARIABLE, "malformed name of an environment variable")               \
	X(PROFILE, "profile is not lines of printable ASCII")                  \
	X(IDENTIFIER, "malformed name of a parameter")                         \
	X(WORD, "malformed word")                                              \
	X(SID, "malformed security identifier")                                \
	X(ACCESS, "access entry does not allow the one that it must")          \
	X(ENTRY, "environment entry does not fit its name")                    \
	X(ENVIRONMENT_ORDER, "environment is not sorted")                      \
	X(RELOCATION, "relocation does not fit its instruction")               \
	X(WITNESS, "a filter must have one witness")                           \
	X(FEATURE, "not one feature")                                          \
	X(FEATURE_WITHOUT_TEXT, "a needed feature has no text")                \
	X(CONTRADICTION, "two fields contradict each other")                   \
	X(CALL, "call cannot be made here")                                    \
	X(OPERAND, "operand does not fit its kind")                            \
	X(PROBE, "probe of a requirement that is not there")                   \
	X(PARAMETER, "parameter does not fit its kind")                        \
	X(CAPABILITY, "capability is not of the kind that it must be")         \
	X(ENTRY_ORDER, "access entries are out of order")                      \
	X(REMOVAL, "removal of what this bundle does not make")

#define STK_BUNDLE_ERROR(name, text) STK_BUNDLE_##name,
enum stk_bundle_error { STK_BUNDLE_OK, STK_BUNDLE_ERRORS(STK_BUNDLE_ERROR) };
#undef STK_BUNDLE_ERROR

/*
 * Checks all of the bundle and finds its sections.  @bytes must be 8-aligned
 * and stay in place while @ret_bundle is used.  @target is a STK_TARGET_
 * number, or 0 for any.  Returns 0 or an enum stk_bundle_error; on an error
 * @ret_offset is the place in the file, and @ret_bundle is untouched.
 */
int stk_bundle_parse(const void *bytes, size_t length, uint32_t target,
		     struct stk_bundle *ret_bundle, size_t *ret_offset);

/* What is wrong, in a few words without a final period; never NULL. */
const char *stk_bundle_error_text(int error);

/*
 * The string of a field of type string.  Only for a bundle that was parsed and
 * for fields of its records; never NULL.
 */
const char *stk_string(const struct stk_bundle *bundle, uint32_t offset);

#endif
