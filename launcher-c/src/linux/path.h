/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns an absolute path into a descriptor of the object it names.  Every link
 * on the way is followed by hand, so that the caller can judge where it lies.
 */
#ifndef STOCKADE_PATH_H
#define STOCKADE_PATH_H

#include "path_object.h"

/* One component of @path: @part in @folder (-1: the root folder itself). */
typedef void path_visit(const char *path, const char *part, int folder,
			const struct path_object *object);

/* Opens with O_PATH and visits each link on the way; -1 with errno. */
int path_open(const char *path, path_visit *visit,
	      struct path_object *ret_object);

/*
 * Opens a folder for reading, if that takes no link and no wait; -1 where
 * path_open() is to be asked.
 */
int path_open_folder(const char *path, struct path_object *ret_object);

/*
 * The same for a path that may not exist: the deepest folder that can be
 * reached, and the rest, which stays valid until the next lookup and is empty
 * when all of it exists.
 */
int path_open_deepest(const char *path, path_visit *visit,
		      const char **ret_rest, struct path_object *ret_object);

/* The same as path_open(), with a visit of every component. */
int path_open_judged(const char *path, path_visit *visit,
		     struct path_object *ret_object);

/*
 * Says, in one call, what lies on the way from @folder to @path: PATH_CROOKED
 * where it is a link or another mount, or where more calls are needed to tell.
 */
enum path_plainness { PATH_PLAIN, PATH_MISSING, PATH_CROOKED };
enum path_plainness path_is_plain(int folder, const char *path);

#endif
