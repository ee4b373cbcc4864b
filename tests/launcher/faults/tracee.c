/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ptrace(2) for two architectures; see tracee.h. */
#include "tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { TEXT_BYTES = 256 };

void give_up(const char *what)
{
	(void)fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long ask(int request, pid_t number, long place, void *data)
{
	return ptrace((enum __ptrace_request)request, number, place, data);
}

void tracee_begin(void)
{
	if (ask(PTRACE_TRACEME, 0, 0, NULL) != 0 || raise(SIGSTOP) != 0)
		_exit(93);
}

void tracee_take(pid_t number)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL |
			     PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	int status;

	if (waitpid(number, &status, 0) != number || !WIFSTOPPED(status) ||
	    ask(PTRACE_SETOPTIONS, number, 0, (void *)options) != 0)
		give_up("the command does not stop");
	tracee_go_on(number, false, 0);
}

enum stop tracee_stop(int status)
{
	if (WSTOPSIG(status) == (SIGTRAP | 0x80))
		return STOP_CALL;
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		return STOP_EXEC;
	/* A new task begins with a stop, other events end with one. */
	if (status >> 16 != 0 || WSTOPSIG(status) == SIGSTOP)
		return STOP_OTHER;
	return STOP_SIGNAL;
}

bool tracee_read(pid_t number, struct tracee_call *ret_call)
{
	struct __ptrace_syscall_info info;

	if (ask(PTRACE_GET_SYSCALL_INFO, number, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	ret_call->nr = info.entry.nr;
	for (int i = 0; i < 6; i++)
		ret_call->args[i] = info.entry.args[i];
	return true;
}

/* Of registers: a task that was killed meanwhile cannot be changed, and need
 * not. */
static void change(pid_t number, int set, bool (*edit)(void *, long),
		   long value)
{
	unsigned char registers[sizeof(struct user_regs_struct)];
	struct iovec part = {registers, sizeof(registers)};

	if (ask(PTRACE_GETREGSET, number, set, &part) == 0 &&
	    edit(registers, value))
		(void)ask(PTRACE_SETREGSET, number, set, &part);
}

#if defined(__x86_64__)

static bool set_result(void *registers, long value)
{
	((struct user_regs_struct *)registers)->rax = (unsigned long)value;
	return true;
}

static bool set_third(void *registers, long value)
{
	((struct user_regs_struct *)registers)->rdx = (unsigned long)value;
	return true;
}

static bool set_number(void *registers, long value)
{
	((struct user_regs_struct *)registers)->orig_rax = (unsigned long)value;
	return true;
}

enum { NUMBER_SET = NT_PRSTATUS };

#elif defined(__aarch64__)

static bool set_result(void *registers, long value)
{
	((struct user_regs_struct *)registers)->regs[0] = (unsigned long)value;
	return true;
}

static bool set_third(void *registers, long value)
{
	((struct user_regs_struct *)registers)->regs[2] = (unsigned long)value;
	return true;
}

static bool set_number(void *registers, long value)
{
	*(int *)registers = (int)value;
	return true;
}

enum { NUMBER_SET = NT_ARM_SYSTEM_CALL };

#endif

void tracee_skip(pid_t number)
{
	change(number, NUMBER_SET, set_number, -1);
}

void tracee_answer(pid_t number, long value)
{
	change(number, NT_PRSTATUS, set_result, value);
}

void tracee_set_count(pid_t number, long count)
{
	change(number, NT_PRSTATUS, set_third, count);
}

void tracee_go_on(pid_t number, bool to_next_call, int signal)
{
	(void)ask(to_next_call ? PTRACE_SYSCALL : PTRACE_CONT, number, 0,
		  (void *)(long)signal);
}

void tracee_release(pid_t number)
{
	(void)ask(PTRACE_DETACH, number, 0, NULL);
}

/* What lies at @place up to a zero, where it can be shown; `-` otherwise. */
static void print_text(FILE *file, pid_t number, unsigned long place)
{
	char text[TEXT_BYTES] = "";
	struct iovec mine = {text, sizeof(text) - 1};
	struct iovec theirs = {(void *)place, sizeof(text) - 1};

	/* Up to the end of the page, where it lies near one. */
	if (process_vm_readv(number, &mine, 1, &theirs, 1, 0) < 0) {
		theirs.iov_len = mine.iov_len = 4096 - place % 4096;
		if (mine.iov_len >= sizeof(text) ||
		    process_vm_readv(number, &mine, 1, &theirs, 1, 0) < 0)
			*text = '\0';
	}
	for (const char *at = text; *at; at++)
		if (*at <= ' ' || *at > '~')
			*text = '\0';
	(void)fprintf(file, " %s", *text ? text : "-");
}

void tracee_print(FILE *file, pid_t number, int task, long nth,
		  const struct tracee_call *call)
{
	char name[64], link[TEXT_BYTES];
	ssize_t length;

	(void)fprintf(file, "call %d %ld %lu", task, nth, call->nr);
	for (int i = 0; i < 6; i++)
		(void)fprintf(file, " %lx", call->args[i]);
	(void)snprintf(name, sizeof(name), "/proc/%d/fd/%d", number,
		       (int)call->args[0]);
	length = readlink(name, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	for (char *at = link; *at; at++)
		if (*at == ' ')
			*at = '_';
	(void)fprintf(file, " %s", length > 0 ? link : "-");
	print_text(file, number, call->args[0]);
	print_text(file, number, call->args[1]);
	(void)fputc('\n', file);
}
