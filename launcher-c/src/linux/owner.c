/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the maps of the user namespace; see owner.h. */
#include "owner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A whole map is one line of 33 bytes. */
enum { TEXT_BYTES = 64, OVERFLOW_OF_KERNEL = 65534 };

struct numbers {
	const char *map, *overflow;
	bool asked, whole;
	uint32_t stranger;
};

static struct numbers users = {
	.map = "/proc/self/uid_map",
	.overflow = "/proc/sys/fs/overflowuid",
};
static struct numbers groups = {
	.map = "/proc/self/gid_map",
	.overflow = "/proc/sys/fs/overflowgid",
};

/* Empty where it cannot be read. */
static void read_text(const char *path, char ret_text[TEXT_BYTES])
{
	int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, ret_text, TEXT_BYTES - 1);

	ret_text[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

/* Whether every number is mapped to itself, as in the initial namespace. */
static bool is_whole(const char *text)
{
	char *end;

	return strtoul(text, &end, 10) == 0 && strtoul(end, &end, 10) == 0 &&
	       strtoul(end, &end, 10) == UINT32_MAX && strcmp(end, "\n") == 0;
}

static void ask(struct numbers *numbers)
{
	char text[TEXT_BYTES];

	numbers->asked = true;
	read_text(numbers->map, text);
	numbers->whole = is_whole(text);
	if (numbers->whole)
		return;
	read_text(numbers->overflow, text);
	numbers->stranger = *text == '\0' ? OVERFLOW_OF_KERNEL
					  : (uint32_t)strtoul(text, NULL, 10);
}

static bool is_known(struct numbers *numbers, uint32_t number)
{
	if (!numbers->asked)
		ask(numbers);
	return numbers->whole || number != numbers->stranger;
}

bool owner_is_known(uint32_t user)
{
	return is_known(&users, user);
}

bool owner_is_known_group(uint32_t group)
{
	return is_known(&groups, group);
}
