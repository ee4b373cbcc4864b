/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Opens granted paths before and after confinement; see inside.h. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "core/error_name.h"
#include "kernel.h"
#include "message.h"

/* INVARIANT: none waits, and none changes what it opens. */
enum {
	HARMLESS = O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	READ = O_RDONLY | HARMLESS,
	WRITE = O_WRONLY | HARMLESS,
	CREATE = O_TMPFILE | O_RDWR | HARMLESS,
	/* For the canary, setup calls of probes, and the stand-in's pipe. */
	RESERVED = 48,
};

/* One try to write per class that gives no writing. */
struct denied {
	const char *path;
	long flags;
	int control;
};

static struct denied denied[STK_MAX_CLASSES];
/* Grants whose opening is tried: the first ones in the table. */
static uint32_t tried;

/* The errno, 0 for success; the descriptor is kept after confinement. */
static int try_open(const char *path, long flags, bool control)
{
	const long words[6] = {AT_FDCWD, (long)path, flags, 0600};
	long result = call_native(SYS_openat, words);

	if (result >= 0 && control)
		(void)close((int)result);
	return result < 0 ? (int)-result : 0;
}

static bool is_readable(const struct stk_pin *pin)
{
	uint64_t right =
		S_ISDIR(pin->object.mode) ? STK_FS_READ_DIR : STK_FS_READ_FILE;

	return (S_ISDIR(pin->object.mode) || S_ISREG(pin->object.mode)) &&
	       (pin->class->rights & right);
}

/* Whether another grant of the same object makes it writable. */
static bool is_writable(const struct stk_grants *grants,
			const struct stk_pin *pin)
{
	for (uint32_t i = 0; i < grants->count; i++)
		if ((grants->pins[i].class->flags & STK_CLASS_WRITE) &&
		    path_same(&grants->pins[i].object, &pin->object))
			return true;
	return false;
}

/* The first folder of each class, or its first file where it has none. */
static void choose_denied(const struct stk_grants *grants)
{
	for (uint32_t i = 0; i < grants->count; i++) {
		const struct stk_pin *pin = &grants->pins[i];
		bool folder = S_ISDIR(pin->object.mode);
		struct denied *try =
			&denied[pin->class - grants->bundle->classes];

		if ((pin->class->flags & STK_CLASS_WRITE) ||
		    (!folder && !S_ISREG(pin->object.mode)) ||
		    (try->path && (!folder || try->flags == CREATE)) ||
		    is_writable(grants, pin))
			continue;
		try->path = pin->path;
		try->flags = folder ? CREATE : WRITE;
	}
}

void inside_controls(struct stk_grants *grants, uint64_t most)
{
	choose_denied(grants);
	for (uint32_t i = 0; i < STK_MAX_CLASSES; i++)
		if (denied[i].path)
			denied[i].control =
				try_open(denied[i].path, denied[i].flags, true);
	most = most > RESERVED ? most - RESERVED : 0;
	tried = grants->count < most ? grants->count : (uint32_t)most;
	for (uint32_t i = 0; i < tried; i++)
		if (!grants->pins[i].opened && is_readable(&grants->pins[i]))
			grants->pins[i].control =
				try_open(grants->pins[i].path, READ, true);
}

/* Errors that come from the file system itself, whoever asks. */
static bool is_of_file_system(int error)
{
	switch (error) {
	case EROFS:
	case EOPNOTSUPP:
	case EISDIR:
	case ETXTBSY:
	case ENOSPC:
	case EDQUOT:
		return true;
	default:
		return false;
	}
}

void inside_verify(const struct stk_grants *grants)
{
	for (uint32_t i = 0; i < STK_MAX_CLASSES; i++) {
		if (!denied[i].path)
			continue;
		int got = try_open(denied[i].path, denied[i].flags, false);
		if (got != EACCES &&
		    (got != denied[i].control || !is_of_file_system(got)))
			die_unavailable(MESSAGE_ALL,
					"refused: enforcement check: writing "
					"in `%s`: expected EACCES, got %s",
					denied[i].path, error_name(got));
	}
	for (uint32_t i = 0; i < tried; i++) {
		const struct stk_pin *pin = &grants->pins[i];

		if (!is_readable(pin))
			continue;
		int got = try_open(pin->path, READ, false);
		if (got != pin->control)
			die_unavailable(
				MESSAGE_ALL,
				"refused: enforcement check: reading `%s` "
				"(%s): expected %s, got %s; its file system "
				"may not keep what Landlock attaches to files",
				pin->path, pin->role, error_name(pin->control),
				error_name(got));
	}
}
