/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares places with the writable ones; see overlap.h. */
#include "overlap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

enum { MOST_KEYS = STK_MAX_GRANTS, TEXT_BYTES = 512 * 1024 };

/* One place that the program can write to. */
struct writable {
	struct mount_key key;
	/* Mounted below the grant: lying there is lying inside the grant. */
	bool mounted_below;
	const struct stk_pin *pin;
};

static struct writable table[MOST_KEYS];
static uint32_t count;
static char text[TEXT_BYTES];
static size_t used;
/* One at a time: a place is judged before the next is found. */
static struct mount_room room;

static bool is_device(const struct path_object *object)
{
	return S_ISCHR(object->mode) || S_ISBLK(object->mode);
}

/*
 * Files of these act on processes outside the sandbox, past all that is said of
 * signals: oom_score_adj and autogroup of proc, cgroup.kill of cgroup2.
 */
static void judge_type(const struct stk_pin *pin, const struct mount_key *key,
		       bool mounted_below)
{
	static const char *const acting[] = {
		"proc ", "sysfs ", "cgroup ", "cgroup2 ", "mqueue ",
	};

	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++)
		if (strncmp(key->type, acting[i], strlen(acting[i])) == 0)
			die_conflict("`%s` (%s) %s a file system of type "
				     "%.*s, whose files act on processes "
				     "outside; do not let it be written",
				     pin->path, pin->role,
				     mounted_below ? "holds" : "lies on",
				     (int)strcspn(key->type, " "), key->type);
}

static void add(const struct stk_pin *pin, const struct mount_key *key,
		bool mounted_below)
{
	judge_type(pin, key, mounted_below);
	if (count == MOST_KEYS)
		die("more than %d places are writable", MOST_KEYS);
	table[count++] = (struct writable){*key, mounted_below, pin};
}

void overlap_add_writable(const struct stk_pin *pin)
{
	struct mount_place place;
	const struct mount_key *key;
	uint32_t cursor = 0;

	if (is_device(&pin->object))
		return;
	mounts_read();
	mounts_find(pin->fd, &pin->object, "", pin->path, &room, &place);
	/* Terminals hold nothing that others run or read as configuration. */
	if (place.devpts)
		return;
	/* The artifact keeps its own paths; what was composed is copied. */
	if (place.name != pin->path || place.key.path == room.text) {
		size_t length = strlen(place.key.path) + 1;

		if (length > sizeof(text) - used)
			die("the writable paths have more than %d bytes",
			    TEXT_BYTES);
		place.key.path = memcpy(text + used, place.key.path, length);
		used += length;
	}
	add(pin, &place.key, false);
	while ((key = mounts_below(&place, &cursor)))
		/* A second mount of the place itself adds nothing to it. */
		if (!(mount_key_relate(key, &place.key) &
		      (MOUNT_INSIDE | MOUNT_SAME)))
			add(pin, key, true);
}

bool overlap_has_writable(void)
{
	return count > 0;
}

static const struct writable *find(const struct mount_place *place,
				   unsigned relations,
				   const struct stk_pin *self)
{
	const struct mount_key *key = &place->key;
	uint32_t cursor = 0;

	while (key) {
		for (uint32_t i = 0; i < count; i++) {
			const struct writable *writable = &table[i];
			unsigned relation =
				mount_key_relate(key, &writable->key);

			if (relation == MOUNT_SAME && writable->mounted_below)
				relation = MOUNT_INSIDE;
			if (writable->pin != self && (relation & relations))
				return writable;
		}
		key = relations & MOUNT_ABOVE ? mounts_below(place, &cursor)
					      : NULL;
	}
	return NULL;
}

const struct stk_pin *overlap_find(const struct mount_place *place,
				   unsigned relations)
{
	const struct writable *found = find(place, relations, NULL);

	return found ? found->pin : NULL;
}

void overlap_visit(const char *path, const char *part, int folder,
		   const struct path_object *object)
{
	struct mount_place place;
	const struct writable *found;

	if (!S_ISLNK(object->mode) || count == 0)
		return;
	const struct path_object above = path_inspect(folder, path);
	mounts_find(folder, &above, "", path, &room, &place);
	found = find(&place, MOUNT_INSIDE | MOUNT_SAME, NULL);
	if (found)
		die_conflict(
			"`%s` is reached through the link `%s` in `%s` (%s), "
			"which the program could replace",
			path, part, found->pin->path, found->pin->role);
}

static const char *words(const struct mount_place *place,
			 const struct writable *found)
{
	switch (mount_key_relate(&place->key, &found->key)) {
	case MOUNT_INSIDE:
		return "lies inside";
	case MOUNT_SAME:
		return found->mounted_below ? "lies inside" : "is the same as";
	default:
		/* What is mounted below it may be all that overlaps. */
		return "holds";
	}
}

/* A writable file grant that is another name of the file @pin, or NULL. */
static const struct stk_pin *find_twin(const struct stk_pin *pin)
{
	for (uint32_t i = 0; pin->object.links > 1 && i < count; i++)
		if (table[i].pin != pin &&
		    path_same(&table[i].pin->object, &pin->object))
			return table[i].pin;
	return NULL;
}

void overlap_judge_grants(const struct stk_grants *grants)
{
	struct mount_place place;

	for (uint32_t i = 0; count > 0 && i < grants->count; i++) {
		const struct stk_pin *pin = &grants->pins[i];
		const uint32_t flags = pin->class->flags;
		unsigned relations = MOUNT_INSIDE;

		if (is_device(&pin->object) && (flags & STK_CLASS_SYSTEM))
			continue;
		if (!is_device(&pin->object) &&
		    (flags & (STK_CLASS_SYSTEM | STK_CLASS_EXECUTE)))
			relations |= MOUNT_SAME | MOUNT_ABOVE;
		mounts_find(pin->fd, &pin->object, "", pin->path, &room,
			    &place);
		const struct writable *found = find(&place, relations, pin);
		if (found)
			die_conflict("`%s` (%s) %s `%s` (%s)", pin->path,
				     pin->role, words(&place, found),
				     found->pin->path, found->pin->role);
		const struct stk_pin *twin =
			relations & MOUNT_SAME ? find_twin(pin) : NULL;
		if (twin)
			die_conflict("`%s` (%s) is another name of `%s` (%s)",
				     pin->path, pin->role, twin->path,
				     twin->role);
	}
}

/* Judges what was opened as @fd under the name @path. */
static void judge_protected(int fd, const struct path_object *object,
			    const char *path, const char *what)
{
	struct mount_place place;
	const bool folder = S_ISDIR(object->mode);

	if (count == 0 || is_device(object))
		return;
	mounts_find(fd, object, "", path, &room, &place);
	const struct writable *found = find(
		&place, folder ? MOUNT_ANY : MOUNT_INSIDE | MOUNT_SAME, NULL);
	if (found)
		die_conflict("the %s `%s` %s `%s` (%s)", what, place.name,
			     words(&place, found), found->pin->path,
			     found->pin->role);
	for (uint32_t i = 0; i < count; i++)
		if (!folder && object->links > 1 &&
		    table[i].key.device == place.key.device)
			die_conflict("the %s `%s` has a second name, which may "
				     "lie in `%s` (%s); give it one name",
				     what, place.name, table[i].pin->path,
				     table[i].pin->role);
}

static void judge_path(const char *path, const char *what)
{
	struct path_object object;

	if (*path != '/')
		die("the %s `%s` is not an absolute path", what, path);
	int fd = path_open(path, overlap_visit, &object);

	if (fd < 0)
		die_errno("cannot open the %s `%s`", what, path);
	judge_protected(fd, &object, path, what);
	(void)close(fd);
}

void overlap_judge_protected(const struct stk_options *options)
{
	struct path_object object;

	for (char **path = options->protect; *path; path++)
		judge_path(*path, "protected path");
	if (count == 0)
		return;
	/*
	 * The name it was started by, which may lead through a link.  Where it
	 * still is the launcher's, nothing more is to be opened.
	 */
	static char absolute[PATH_BYTES];
	const char *name = (const char *)getauxval(AT_EXECFN);
	int fd = -1;

	if (name) {
		name = path_absolute(name, absolute);
		fd = path_open(name, overlap_visit, &object);
	}
	const struct path_object self =
		path_inspect_at(AT_FDCWD, "/proc/self/exe", "launcher");
	if (fd < 0 || !path_same(&object, &self) ||
	    object.mount != self.mount) {
		if (fd >= 0)
			(void)close(fd);
		name = "/proc/self/exe";
		object = self;
		fd = openat(AT_FDCWD, name, O_PATH | O_CLOEXEC);
		if (fd < 0)
			die_errno("cannot open `%s`", name);
	}
	judge_protected(fd, &object, name, "launcher");
	(void)close(fd);
	if (options->artifact)
		judge_path(options->artifact, "artifact");
	if (options->status_file)
		judge_path(options->status_file, "status file");
}
