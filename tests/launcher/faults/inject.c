/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Lets one system call of a command fail or answer falsely, run after run.
 *
 * inject [-c] [-l FILE] [-e EXECS] [-a NR:MASK:ERRNO]... JOBS RESULTS --
 * COMMAND
 *
 * JOBS has one run a line: `trace`, or `TASK NR NTH skip VALUE` (the call is
 * not made and answers VALUE) or `TASK NR NTH short COUNT` (it is made for
 * COUNT bytes).  TASK counts the command's processes and threads, NTH the calls
 * NR of one of them, from its EXECS-th exec (the first unless told) up to the
 * next: what it became then runs freely.  A line of RESULTS is the status, less
 * than 0 for a signal, and what was printed to standard output and error in
 * hexadecimal; before that of a `trace` stands a line for each call.
 *
 * -a lets every call NR whose third argument has all bits of MASK fail as well,
 * -l leaves FILE open as descriptors 3, 9 and 200, -c closes descriptor 0.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracee.h"

enum {
	MOST_TASKS = 16,
	MOST_RULES = 8,
	MOST_CALLS = 512,
	OUTPUT_BYTES = 60000,
	SECONDS = 20
};

struct job {
	bool trace, shorten;
	int task;
	unsigned long nr;
	long nth, value;
};

struct rule {
	unsigned long nr, mask;
	long error;
};

struct task {
	pid_t number;
	/* How many calls it made, by number; the last counts all above. */
	long calls[MOST_CALLS];
	long answer, count;
	bool answers, shortened;
};

static struct rule rules[MOST_RULES];
static int rules_count, last_exec = 1;
static bool close_input;
static const char *left_open;
static struct task tasks[MOST_TASKS];
static int tasks_count, execs;
static volatile sig_atomic_t late;
static FILE *results;

static void expire(int number)
{
	(void)number;
	late = 1;
	for (int i = 0; i < tasks_count; i++)
		(void)kill(tasks[i].number, SIGKILL);
}

static struct task *task_of(pid_t number)
{
	for (int i = 0; i < tasks_count; i++)
		if (tasks[i].number == number)
			return &tasks[i];
	if (tasks_count == MOST_TASKS)
		give_up("too many tasks");
	tasks[tasks_count] = (struct task){.number = number};
	return &tasks[tasks_count++];
}

static const struct rule *rule_of(const struct tracee_call *call)
{
	for (int i = 0; i < rules_count; i++)
		if (rules[i].nr == call->nr &&
		    (call->args[2] & rules[i].mask) == rules[i].mask)
			return &rules[i];
	return NULL;
}

static void enter(struct task *task, const struct job *job,
		  const struct tracee_call *call)
{
	const struct rule *rule = rule_of(call);
	long *calls =
		&task->calls[call->nr < MOST_CALLS ? call->nr : MOST_CALLS - 1];

	if (job->trace)
		tracee_print(results, task->number, (int)(task - tasks), *calls,
			     call);
	if (!job->trace && task - tasks == job->task && call->nr == job->nr &&
	    *calls == job->nth) {
		if (job->shorten) {
			task->count = (long)call->args[2];
			task->shortened = true;
			tracee_set_count(task->number, job->value);
		} else {
			task->answers = true;
			task->answer = job->value;
			tracee_skip(task->number);
		}
	} else if (rule) {
		task->answers = true;
		task->answer = -rule->error;
		tracee_skip(task->number);
	}
	++*calls;
}

static void leave(struct task *task)
{
	if (task->answers)
		tracee_answer(task->number, task->answer);
	if (task->shortened)
		tracee_set_count(task->number, task->count);
	task->answers = task->shortened = false;
}

/* Goes on with one task; returns whether it still is ours. */
static void handle(pid_t number, int status, const struct job *job)
{
	struct task *task = task_of(number);
	struct tracee_call call;
	int deliver = 0;

	switch (tracee_stop(status)) {
	case STOP_CALL:
		/* The exit of the exec that armed it is none of a counted call.
		 */
		if (tracee_read(number, &call))
			enter(task, job, &call);
		else
			leave(task);
		break;
	case STOP_EXEC:
		if (task != tasks)
			break;
		execs++;
		memset(task->calls, 0, sizeof(task->calls));
		if (execs > last_exec) {
			tracee_release(number);
			return;
		}
		break;
	case STOP_SIGNAL:
		deliver = WSTOPSIG(status);
		break;
	case STOP_OTHER:
		break;
	}
	tracee_go_on(number, execs >= last_exec, deliver);
}

static void print_hex(int fd)
{
	static unsigned char bytes[OUTPUT_BYTES];
	ssize_t length = read(fd, bytes, sizeof(bytes));

	(void)fputc(' ', results);
	for (ssize_t i = 0; i < length; i++)
		(void)fprintf(results, "%02x", bytes[i]);
	if (length <= 0)
		(void)fputc('-', results);
	(void)close(fd);
}

static _Noreturn void become(char **command, const int *output,
			     const int *errors)
{
	if (dup2(output[1], 1) < 0 || dup2(errors[1], 2) < 0)
		_exit(90);
	if (left_open) {
		int fd = open(left_open, O_RDONLY);

		if (fd < 0 || dup2(fd, 9) < 0 || dup2(fd, 200) < 0 ||
		    (fd != 3 && dup2(fd, 3) < 0))
			_exit(91);
	}
	if (close_input)
		(void)close(0);
	tracee_begin();
	(void)execv(command[0], command);
	_exit(92);
}

static int run(const struct job *job, char **command)
{
	int output[2], errors[2], status, end = 0;
	pid_t first, number;

	if (pipe2(output, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0)
		give_up("pipe");
	/* Nobody but the reader wants that flag. */
	(void)fcntl(output[1], F_SETFL, O_WRONLY);
	(void)fcntl(errors[1], F_SETFL, O_WRONLY);
	tasks_count = execs = 0;
	late = 0;
	(void)fflush(results);
	first = fork();
	if (first < 0)
		give_up("fork");
	if (first == 0)
		become(command, output, errors);
	(void)close(output[1]);
	(void)close(errors[1]);
	(void)task_of(first);
	tracee_take(first);
	(void)alarm(SECONDS);
	while ((number = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (number <= 0)
			continue;
		if (WIFSTOPPED(status))
			handle(number, status, job);
		else if (number == first)
			end = WIFEXITED(status) ? WEXITSTATUS(status)
						: -WTERMSIG(status);
	}
	(void)alarm(0);
	(void)fprintf(results, "%d", late ? -1000 : end);
	print_hex(output[0]);
	print_hex(errors[0]);
	(void)fputc('\n', results);
	return end;
}

static void read_rule(char *text)
{
	if (rules_count == MOST_RULES)
		give_up("too many rules");
	struct rule *rule = &rules[rules_count++];

	rule->nr = strtoul(text, &text, 10);
	rule->mask = strtoul(text + 1, &text, 10);
	rule->error = strtol(text + 1, &text, 10);
}

int main(int argc, char **argv)
{
	char line[128], kind[16];
	int option;

	while ((option = getopt(argc, argv, "+ca:e:l:")) != -1)
		switch (option) {
		case 'c':
			close_input = true;
			break;
		case 'a':
			read_rule(optarg);
			break;
		case 'e':
			last_exec = atoi(optarg);
			break;
		case 'l':
			left_open = optarg;
			break;
		default:
			return 2;
		}
	if (argc - optind < 3)
		return 2;
	FILE *jobs = fopen(argv[optind], "re");

	results = fopen(argv[optind + 1], "we");
	char **command = argv + optind + 2;

	if (!jobs || !results)
		give_up("job files");
	command += strcmp(*command, "--") == 0;
	(void)signal(SIGALRM, expire);
	while (fgets(line, sizeof(line), jobs)) {
		struct job job = {.trace = strcmp(line, "trace\n") == 0};

		if (!job.trace &&
		    sscanf(line, "%d %lu %ld %15s %ld", &job.task, &job.nr,
			   &job.nth, kind, &job.value) != 5)
			give_up("malformed job");
		job.shorten = !job.trace && strcmp(kind, "short") == 0;
		(void)run(&job, command);
	}
	return fclose(results) == 0 ? 0 : 1;
}
