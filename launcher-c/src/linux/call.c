/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The entries of the kernel, per architecture; see call.h. */
#include "call.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "message.h"

#if defined(__x86_64__)

long call_native(long number, const long words[6])
{
	register long r10 __asm__("r10") = words[3];
	register long r8 __asm__("r8") = words[4];
	register long r9 __asm__("r9") = words[5];
	long result = number;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(words[0]), "S"(words[1]), "d"(words[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "cc", "memory");
	return result;
}

long call_fork(long number, const long words[6], long self)
{
	register long r10 __asm__("r10") = words[3];
	register long r8 __asm__("r8") = words[4];
	register long r9 __asm__("r9") = words[5];
	long result = number;

	/* 39 is getpid, 231 exit_group; 125 is no success in any case. */
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov $39, %%eax\n\t"
			 "syscall\n\t"
			 "sub %[self], %%rax\n\t"
			 "jz 1f\n\t"
			 "mov $231, %%eax\n\t"
			 "mov $125, %%edi\n\t"
			 "syscall\n\t"
			 "1:"
			 : "+a"(result)
			 : "D"(words[0]), "S"(words[1]), "d"(words[2]),
			   "r"(r10), "r"(r8), "r"(r9), [self] "r"(self)
			 : "rcx", "r11", "cc", "memory");
	return result;
}

static volatile sig_atomic_t faulted;

/*
 * Steps over the two bytes of `int 0x80`.  A signal that the caller left
 * pending comes when it is unblocked, at any other place.
 */
static void skip_instruction(int number, siginfo_t *info, void *context)
{
	static const unsigned char compat_call[] = {0xcd, 0x80};
	greg_t *place = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	/* SAFETY: it is where this program runs. */
	if (memcmp((const void *)*place, compat_call, sizeof(compat_call)) != 0)
		return;
	*place += (greg_t)sizeof(compat_call);
	faulted = 1;
}

static long compat(long number, const long words[6])
{
	long result = number;

	__asm__ volatile("int $0x80"
			 : "+a"(result)
			 : "b"(words[0]), "c"(words[1]), "d"(words[2]),
			   "S"(words[3]), "D"(words[4])
			 : "r8", "r9", "r10", "r11", "cc", "memory");
	return (int)result;
}

bool call_compat(long number, const long words[6], bool guarded,
		 long *ret_result)
{
	struct sigaction skip = {.sa_flags = SA_SIGINFO}, before;
	sigset_t fault, mask;

	faulted = 0;
	if (!guarded) {
		*ret_result = compat(number, words);
		return true;
	}
	skip.sa_sigaction = skip_instruction;
	(void)sigemptyset(&fault);
	(void)sigaddset(&fault, SIGSEGV);
	/* A blocked fault would end the process. */
	if (sigaction(SIGSEGV, &skip, &before) != 0 ||
	    sigprocmask(SIG_UNBLOCK, &fault, &mask) != 0)
		die_errno("cannot catch SIGSEGV");
	*ret_result = compat(number, words);
	if (sigprocmask(SIG_SETMASK, &mask, NULL) != 0 ||
	    sigaction(SIGSEGV, &before, NULL) != 0)
		die_errno("cannot restore SIGSEGV");
	return !faulted;
}

#elif defined(__aarch64__)

long call_native(long number, const long words[6])
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = words[0];
	register long x1 __asm__("x1") = words[1];
	register long x2 __asm__("x2") = words[2];
	register long x3 __asm__("x3") = words[3];
	register long x4 __asm__("x4") = words[4];
	register long x5 __asm__("x5") = words[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "cc", "memory");
	return x0;
}

long call_fork(long number, const long words[6], long self)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = words[0];
	register long x1 __asm__("x1") = words[1];
	register long x2 __asm__("x2") = words[2];
	register long x3 __asm__("x3") = words[3];
	register long x4 __asm__("x4") = words[4];
	register long x5 __asm__("x5") = words[5];

	/* 172 is getpid, 94 exit_group; 125 is no success in any case. */
	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x8, #172\n\t"
			 "svc 0\n\t"
			 "subs x0, x0, %[self]\n\t"
			 "b.eq 1f\n\t"
			 "mov x8, #94\n\t"
			 "mov x0, #125\n\t"
			 "svc 0\n\t"
			 "1:"
			 : "+r"(x0), "+r"(x8)
			 : "r"(x1), "r"(x2), "r"(x3), "r"(x4),
			   "r"(x5), [self] "r"(self)
			 : "cc", "memory");
	return x0;
}

bool call_compat(long number, const long words[6], bool guarded,
		 long *ret_result)
{
	(void)words;
	(void)guarded;
	(void)ret_result;
	die("the artifact asks for call %ld of another architecture", number);
}

#else
#error "stockade-launch is for x86_64 and aarch64"
#endif

_Noreturn void call_refuse_false_clone(void)
{
	die_unavailable(
		MESSAGE_ALL,
		"an outer filter answers `clone` falsely: it says 0 and starts "
		"no "
		"process; let it deny the call with an error, or allow it");
}

long call_clone(void)
{
	static const long none[6];
	const long self = call_native(SYS_getpid, none);
	const long child = call_native(SYS_clone, none);

	if (child == 0 && call_native(SYS_getpid, none) == self)
		call_refuse_false_clone();
	return child;
}

void call_wait(long child)
{
	int status = 0;

	while (child > 0 && waitpid((pid_t)child, &status, __WALL) < 0 &&
	       errno == EINTR)
		;
	/* It has said why. */
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		_exit(STK_STATUS_REFUSED);
}
