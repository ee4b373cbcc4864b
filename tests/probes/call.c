/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Make system calls by the instruction itself; see call.h. */
#include "call.h"

#include <errno.h>

#if defined(__x86_64__)

long call_words(long number, const long words[6])
{
	long answer;
	register long fourth __asm__("r10") = words[3];
	register long fifth __asm__("r8") = words[4];
	register long sixth __asm__("r9") = words[5];

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(words[0]), "S"(words[1]),
			   "d"(words[2]), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return answer;
}

long call_compat(long number, long first, long second, long third)
{
	long answer;

	__asm__ volatile("int $0x80"
			 : "=a"(answer)
			 : "a"(number), "b"(first), "c"(second), "d"(third)
			 : "r8", "r9", "r10", "r11", "memory");
	return (int)answer;
}

long call_compat_spawn(long number, long first, long second, long third)
{
	long answer;

	__asm__ volatile("int $0x80\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "mov $60, %%eax\n\t" /* exit */
			 "xor %%edi, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(answer)
			 : "a"(number), "b"(first), "c"(second), "d"(third)
			 : "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	return (int)answer;
}

long call_spawn(long number, long first, long second, long third, long fourth,
		long fifth)
{
	long answer;
	register long word4 __asm__("r10") = fourth;
	register long word5 __asm__("r8") = fifth;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov $60, %%eax\n\t" /* exit */
			 "xor %%edi, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(answer), "+D"(first)
			 : "a"(number), "S"(second), "d"(third), "r"(word4),
			   "r"(word5)
			 : "rcx", "r11", "memory", "cc");
	return answer;
}

#elif defined(__aarch64__)

long call_words(long number, const long words[6])
{
	register long nr __asm__("x8") = number;
	register long answer __asm__("x0") = words[0];
	register long second __asm__("x1") = words[1];
	register long third __asm__("x2") = words[2];
	register long fourth __asm__("x3") = words[3];
	register long fifth __asm__("x4") = words[4];
	register long sixth __asm__("x5") = words[5];

	__asm__ volatile("svc 0"
			 : "+r"(answer)
			 : "r"(nr), "r"(second), "r"(third), "r"(fourth),
			   "r"(fifth), "r"(sixth)
			 : "memory");
	return answer;
}

long call_compat(long number, long first, long second, long third)
{
	(void)number, (void)first, (void)second, (void)third;
	return -ENOSYS;
}

long call_compat_spawn(long number, long first, long second, long third)
{
	return call_compat(number, first, second, third);
}

long call_spawn(long number, long first, long second, long third, long fourth,
		long fifth)
{
	register long nr __asm__("x8") = number;
	register long answer __asm__("x0") = first;
	register long word2 __asm__("x1") = second;
	register long word3 __asm__("x2") = third;
	register long word4 __asm__("x3") = fourth;
	register long word5 __asm__("x4") = fifth;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x8, #93\n\t" /* exit */
			 "svc 0\n"
			 "1:"
			 : "+r"(answer), "+r"(nr)
			 : "r"(word2), "r"(word3), "r"(word4), "r"(word5)
			 : "memory", "cc");
	return answer;
}

#else
#error "routes are written for x86_64 and aarch64"
#endif
