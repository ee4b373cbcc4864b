/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Open each file that is named, and say what comes of it; `-` takes names from
 * standard input, a line each.  A name that ends in a slash is a folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void try(const char *path)
{
	char text[64];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	const char *answer = "listed";

	if (file < 0)
		answer = errno == EACCES ? "EACCES" : strerror(errno);
	else if (path[strlen(path) - 1] != '/')
		answer = read(file, text, sizeof text) > 0 ? "read" : "empty";
	if (file >= 0)
		close(file);
	printf("%s %s\n", path, answer);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[256];

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-") != 0) {
			try(argv[i]);
			continue;
		}
		while (fgets(line, sizeof line, stdin)) {
			line[strcspn(line, "\n")] = '\0';
			try(line);
		}
	}
	return 0;
}
