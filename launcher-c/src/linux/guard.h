/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Turns a path lookup that never ends into a refusal after ten seconds.
 *
 * A lookup on a file system whose server is silent (FUSE, NFS) waits where only
 * the end of the process can interrupt it: a timer's handler would never run.
 * So a second thread waits for the time and ends the process.  It is started
 * when a lookup may block and gone before anything is confined.
 */
#ifndef STOCKADE_GUARD_H
#define STOCKADE_GUARD_H

/* Lookups may block from here on; @path is named in the refusal. */
void guard_begin(const char *path);

/* No lookup is left; returns when the thread has ended. */
void guard_end(void);

#endif
