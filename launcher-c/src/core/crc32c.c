/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * CRC-32C in two ways: by the CPU's instruction (SSE4.2, ARMv8 CRC), and by
 * eight tables that take eight bytes a step.  The tables are made on the
 * stack, which costs about as much as 8 KiB of input; they are for CPUs
 * without the instruction and for pieces too short to ask the CPU about.
 *
 * Builtins and assembly stand in for the intrinsics' headers, which a build
 * against musl's headers alone does not see.
 */
#include <string.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include "crc32c.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order");

#define POLYNOMIAL 0x82f63b78u

/* CPUID leaves the guest on a virtual machine: 5 us measured. */
#define WORTH_ASKING 4096

/* Shorter pieces are done before the tables would be made. */
#define WORTH_TABLES 256

static uint32_t by_bits(uint32_t crc, const unsigned char *at, size_t length)
{
	for (; length > 0; length--) {
		crc ^= *at++;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (POLYNOMIAL & (0u - (crc & 1)));
	}
	return crc;
}

/* table[n][b] is what byte b adds when n more bytes follow in its step. */
static void make_tables(uint32_t table[8][256])
{
	const unsigned char zero = 0;

	for (uint32_t byte = 0; byte < 256; byte++)
		table[0][byte] = by_bits(byte, &zero, 1);
	for (int n = 1; n < 8; n++) {
		for (int byte = 0; byte < 256; byte++) {
			uint32_t before = table[n - 1][byte];

			table[n][byte] =
				(before >> 8) ^ table[0][before & 0xff];
		}
	}
}

static uint32_t by_tables(uint32_t crc, const unsigned char *at, size_t length)
{
	uint32_t table[8][256];

	make_tables(table);
	for (; length >= 8; length -= 8) {
		uint32_t low, high;

		memcpy(&low, at, 4);
		memcpy(&high, at + 4, 4);
		low ^= crc;
		crc = table[7][low & 0xff] ^ table[6][(low >> 8) & 0xff] ^
		      table[5][(low >> 16) & 0xff] ^ table[4][low >> 24] ^
		      table[3][high & 0xff] ^ table[2][(high >> 8) & 0xff] ^
		      table[1][(high >> 16) & 0xff] ^ table[0][high >> 24];
		at += 8;
	}
	return by_bits(crc, at, length);
}

uint32_t stk_crc32c_software(uint32_t crc, const void *bytes, size_t length)
{
	if (length < WORTH_TABLES)
		return ~by_bits(~crc, bytes, length);
	return ~by_tables(~crc, bytes, length);
}

#if defined(__x86_64__)

bool stk_crc32c_has_hardware(void)
{
#if defined(__SSE4_2__)
	return true;
#else
#if defined(__linux__)
	/*
	 * Bit 1, HWCAP2_FSGSBASE: no CPU had that before it had SSE4.2.  The
	 * kernel has put it into memory, which CPUID is not.
	 */
	if (getauxval(AT_HWCAP2) & (1u << 1))
		return true;
#endif
	uint32_t a = 1, b, c = 0, d;

	/*
	 * Leaf 1 exists on every x86_64; ECX bit 20 is SSE4.2.  The
	 * compiler's __builtin_cpu_supports() asks for many leaves at start.
	 */
	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (c & (1u << 20)) != 0;
#endif
}

__attribute__((target("sse4.2,crc32"))) uint32_t
stk_crc32c_hardware(uint32_t crc, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	unsigned long long wide = ~crc;

	for (; length >= 8; length -= 8) {
		uint64_t value;

		memcpy(&value, at, 8);
		wide = __builtin_ia32_crc32di(wide, value);
		at += 8;
	}
	crc = (uint32_t)wide;
	for (; length > 0; length--)
		crc = __builtin_ia32_crc32qi(crc, *at++);
	return ~crc;
}

#elif defined(__aarch64__)

bool stk_crc32c_has_hardware(void)
{
#if defined(__ARM_FEATURE_CRC32)
	return true;
#elif defined(__linux__)
	/* getauxval(3) is the documented way; user space may not read ID
	 * registers everywhere. */
	return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
	return false;
#endif
}

uint32_t stk_crc32c_hardware(uint32_t crc, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	crc = ~crc;
	for (; length >= 8; length -= 8) {
		uint64_t value;

		memcpy(&value, at, 8);
		__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1"
			: "+r"(crc)
			: "r"(value));
		at += 8;
	}
	for (; length > 0; length--) {
		uint32_t value = *at++;

		__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1"
			: "+r"(crc)
			: "r"(value));
	}
	return ~crc;
}

#else

bool stk_crc32c_has_hardware(void)
{
	return false;
}

uint32_t stk_crc32c_hardware(uint32_t crc, const void *bytes, size_t length)
{
	return stk_crc32c_software(crc, bytes, length);
}

#endif

uint32_t stk_crc32c(uint32_t crc, const void *bytes, size_t length)
{
	if (length >= WORTH_ASKING && stk_crc32c_has_hardware())
		return stk_crc32c_hardware(crc, bytes, length);
	return stk_crc32c_software(crc, bytes, length);
}
