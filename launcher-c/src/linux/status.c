/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Writes the status record; see status.h. */
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "path_object.h"

static int record = -1;

void status_take(struct stk_options *options)
{
	const char *path = options->status_file;

	if (path) {
		record = openat(AT_FDCWD, path,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
					O_NOCTTY | O_CLOEXEC,
				0666);
		if (record < 0 && errno == EEXIST)
			die("the status file `%s` exists already; remove it "
			    "or name another",
			    path);
		if (record < 0)
			die_errno("cannot create the status file `%s`", path);
		options->status_fd = record;
	} else if (options->status_fd >= 0) {
		record = options->status_fd;
		/* Neither the program nor its children may write it. */
		if (fcntl(record, F_SETFD, FD_CLOEXEC) != 0)
			die_errno("descriptor %d of `--status-fd` cannot be "
				  "used",
				  record);
	}
	message_record_to(record);
}

static void take_notice(int number)
{
	(void)number;
}

static void put(const char *text)
{
	const struct sigaction survive = {.sa_handler = take_notice};
	struct sigaction before;
	const size_t length = strlen(text);

	/*
	 * A reader that went away must not end us, now or when `failed` is
	 * written.  What the program has is as it was: exec turns a handler
	 * into the default action, and ignoring it is given back here.
	 */
	if (sigaction(SIGPIPE, &survive, &before) != 0)
		die_errno("cannot catch SIGPIPE");
	if (before.sa_handler == SIG_IGN &&
	    sigaction(SIGPIPE, &before, NULL) != 0)
		die_errno("cannot restore SIGPIPE");
	if (write(record, text, length) != (ssize_t)length) {
		record = -1;
		message_record_to(record);
	}
}

void status_level(const char *name)
{
	static char line[sizeof("level \n") + PATH_BYTES];

	if (record < 0)
		return;
	if (strlen(name) >= PATH_BYTES)
		die("the level `%.64s...` has too long a name", name);
	(void)stpcpy(stpcpy(stpcpy(line, "level "), name), "\n");
	put(line);
}

void status_pid(void)
{
	char line[sizeof("pid \n") + PATH_NUMBER_BYTES];

	if (record < 0)
		return;
	(void)stpcpy(path_put_number(stpcpy(line, "pid "), (uint32_t)getpid()),
		     "\n");
	put(line);
}
