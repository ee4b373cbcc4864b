/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Turns the option of a working folder into the one that the program has. */
#ifndef STOCKADE_FOLDER_H
#define STOCKADE_FOLDER_H

/* Holds the folder; a link on the way that the program could replace refuses.
 */
int folder_open(const char *path);

/* Makes it the working folder and closes it. */
void folder_enter(int fd, const char *path);

#endif
