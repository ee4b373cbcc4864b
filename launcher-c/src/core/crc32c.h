/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * CRC-32C (Castagnoli, reflected 0x82f63b78): finds accidents in a bundle.
 * It is no protection against forgery; that is the file's ownership.
 *
 * @crc is 0 for the first piece and the last result for each further one.
 */
#ifndef STOCKADE_CRC32C_H
#define STOCKADE_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the CPU's own instruction where it has one. */
uint32_t stk_crc32c(uint32_t crc, const void *bytes, size_t length);

/* The two ways behind stk_crc32c(), for tests that compare them. */
bool stk_crc32c_has_hardware(void);
/* Only where stk_crc32c_has_hardware(). */
uint32_t stk_crc32c_hardware(uint32_t crc, const void *bytes, size_t length);
uint32_t stk_crc32c_software(uint32_t crc, const void *bytes, size_t length);

#endif
