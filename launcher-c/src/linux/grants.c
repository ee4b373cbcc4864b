/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Pins paths; see grants.h. */
#include "grants.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "message.h"
#include "overlap.h"

enum { DEEPEST_FOLDER = 64 };

/* Opens the path of @pin; returns false where it may be and is missing. */
static bool pin_path(struct stk_pin *pin)
{
	/* A folder that can be read is held open so: that is its control. */
	pin->fd = -1;
	if (pin->class->rights & STK_FS_READ_DIR)
		pin->fd = path_open_folder(pin->path, &pin->object);
	pin->opened = pin->fd >= 0;
	if (pin->fd < 0)
		pin->fd = path_open(pin->path, overlap_visit, &pin->object);
	if (pin->fd < 0) {
		/* What the user cannot reach gives the program nothing. */
		if ((pin->flags & STK_GRANT_OPTIONAL) &&
		    (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return false;
		if (errno == ENOENT)
			die("the path `%s` (%s) does not exist", pin->path,
			    pin->role);
		die_errno("cannot open the path `%s` (%s)", pin->path,
			  pin->role);
	}
	/* A rule on a link itself would be accepted and mean nothing. */
	if (S_ISLNK(pin->object.mode))
		die("the path `%s` (%s) is a symbolic link", pin->path,
		    pin->role);
	return true;
}

static struct stk_pin describe(const struct stk_bundle *bundle, uint32_t index)
{
	const struct stk_grant *grant = &bundle->grants[index];

	if (grant->class >= bundle->classes_count)
		die("grant %u of the artifact has no class", index);
	return (struct stk_pin){
		.class = &bundle->classes[grant->class],
		.path = stk_string(bundle, grant->path),
		.role = stk_string(bundle, bundle->classes[grant->class].name),
		.flags = grant->flags,
	};
}

static struct stk_pin *next_pin(struct stk_grants *grants)
{
	if (grants->count >= GRANTS_MOST)
		die("the artifact has more than %u grants", STK_MAX_GRANTS);
	return &grants->pins[grants->count];
}

/*
 * Writable grants first and twice: only when all of them are known can a link
 * that lies in one of them be told, and they may be reached by such a link too.
 */
void grants_pin(struct stk_grants *grants, const struct stk_bundle *bundle)
{
	grants->bundle = bundle;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < bundle->grants_count; i++) {
			struct stk_pin *pin = next_pin(grants);

			*pin = describe(bundle, i);
			if ((pin->class->flags & STK_CLASS_WRITE ? 0 : 1) !=
				    round ||
			    !pin_path(pin))
				continue;
			if (round == 0)
				overlap_add_writable(pin);
			grants->count++;
		}
	for (uint32_t i = 0; i < grants->count; i++) {
		struct stk_pin again = grants->pins[i];

		if (!(again.class->flags & STK_CLASS_WRITE))
			break;
		if (again.object.plain)
			continue;
		if (!pin_path(&again) ||
		    !path_same(&again.object, &grants->pins[i].object))
			die("the path `%s` (%s) changed while starting",
			    again.path, again.role);
		(void)close(again.fd);
	}
}

const struct stk_pin *grants_add_program(struct stk_grants *grants,
					 const char *path, const char *role)
{
	const struct stk_bundle *bundle = grants->bundle;
	struct stk_pin *pin = next_pin(grants);

	if (bundle->settings->program_class >= bundle->classes_count)
		die("the program has no class in the artifact");
	*pin = (struct stk_pin){
		.class = &bundle->classes[bundle->settings->program_class],
		.path = path,
		.role = role,
		.flags = STK_GRANT_POLICY,
	};
	/* POLICY and not OPTIONAL: what is missing has refused already. */
	(void)pin_path(pin);
	grants->count++;
	return pin;
}

uint64_t grants_covering(const struct stk_grants *grants, int fd,
			 const struct path_object *object)
{
	char up[3 * DEEPEST_FOLDER] = "..";
	struct path_object at = *object, above;
	uint64_t rights = 0;

	for (size_t used = 2;; at = above) {
		for (uint32_t i = 0; i < grants->count; i++)
			if (path_same(&at, &grants->pins[i].object))
				rights |= grants->pins[i].class->rights;
		/* As Landlock walks: to the mount point and on. */
		above = path_inspect_at(fd, up, "folder above the canary");
		if (path_same(&above, &at) && above.mount == at.mount)
			return rights;
		if (used + sizeof("/..") > sizeof(up))
			die("the canary's folder lies too deep");
		memcpy(up + used, "/..", sizeof("/.."));
		used += sizeof("/..") - 1;
	}
}
