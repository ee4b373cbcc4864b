/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Become another program at once: what any launcher costs before it does a
 * thing.
 */
#include <unistd.h>

int main(int count, char **arguments)
{
	if (count > 1)
		execv(arguments[1], arguments + 1);
	return 125;
}
