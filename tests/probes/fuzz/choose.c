/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Choose a call by its entry, number and words; see fuzz.h. */
#include <string.h>
#include <sys/syscall.h>

#include "../call.h"
#include "fuzz.h"

enum {
	NATIVE_NUMBERS = 620, /* beyond the newest, so that gaps are in */
	COMPAT_NUMBERS = 480,
	X32_BIT = 0x40000000,
};

/* Calls that end the run, stop it or make all that follow fail; `one` in so
 * many is made. 0 is never made. */
struct rarity {
	long number;
	unsigned one;
};

static const struct rarity native_rarities[] = {
	{SYS_exit, 0},
	{SYS_exit_group, 0},
	{SYS_rt_sigreturn, 0},
	{SYS_sync, 0},
	{SYS_syncfs, 0},
	{SYS_fsync, 16},
	{SYS_fdatasync, 16},
	{SYS_execve, 1},
	{SYS_execveat, 1},
	{SYS_rt_sigsuspend, 8},
	{SYS_rt_sigtimedwait, 8},
	{SYS_setrlimit, 8},
	{SYS_seccomp, 8},
	{SYS_prctl, 8},
	{SYS_rseq, 8},
	{NR_LANDLOCK_RESTRICT_SELF, 8},
	{SYS_userfaultfd, 4},
	{SYS_rt_sigprocmask, 4},
	{SYS_unshare, 4},
	{SYS_setns, 4},
	{SYS_chroot, 4},
	{SYS_rt_sigaction, 4},
	{SYS_setuid, 4},
	{SYS_setgid, 4},
	{SYS_setsid, 8},
#if defined(__x86_64__)
	/* uretprobe and uprobe: a trap, whatever a filter says */
	{335, 16},
	{336, 16},
#endif
};

/* Of i386: exit, exit_group, both sigreturns, sync, pause, sigsuspend. */
static const struct rarity compat_rarities[] = {
	{1, 0},  {252, 0}, {119, 0}, {173, 0}, {36, 0},  {29, 8},
	{72, 8}, {179, 8}, {11, 3},  {358, 3}, {344, 0}, {172, 8},
};

static int is_wanted(struct stream *stream, const struct choice *choice)
{
	const struct rarity *rarities = native_rarities;
	size_t count = sizeof native_rarities / sizeof native_rarities[0];

	if (choice->entry == COMPAT) {
		rarities = compat_rarities;
		count = sizeof compat_rarities / sizeof compat_rarities[0];
	}
	for (size_t i = 0; i < count; i++)
		if (rarities[i].number == (choice->number & ~(long)X32_BIT))
			return rarities[i].one != 0 &&
			       below(stream, rarities[i].one) == 0;
	return 1;
}

/* The report goes through descriptor 1; what closes or replaces it would hide
 * what the run did. */
static void spare_report(struct choice *choice)
{
	long number = choice->number & ~(long)X32_BIT;
	long *words = choice->words;

	if ((int)words[0] == REPORT)
		words[0] = 3;
	if (choice->entry == COMPAT) {
		if ((int)words[1] == REPORT)
			words[1] = 3;
		if (number == 436)
			words[0] = 3;
		return;
	}
	if (number == 436 /* close_range */)
		words[0] = 3 + (words[0] & 63);
	if (number == SYS_dup3 && (int)words[1] == REPORT)
		words[1] = 3;
#ifdef SYS_dup2
	if (number == SYS_dup2 && (int)words[1] == REPORT)
		words[1] = 3;
#endif
}

static void choose_shaped(struct stream *stream, struct choice *choice)
{
	const struct shape *shape =
		&shapes[below(stream, (unsigned)shape_count)];

	choice->entry = NATIVE;
	choice->number = shape->number;
	memset(choice->words, 0, sizeof choice->words);
	for (size_t i = 0; shape->words[i] != '\0'; i++)
		choice->words[i] = word_of(stream, shape->words[i]);
	/* Now and then one word is of another kind, or has a high half. */
	switch (below(stream, 12)) {
	case 0:
		choice->words[below(stream, 6)] = any_word(stream);
		break;
	case 1:
		choice->words[below(stream, 6)] |= (long)draw(stream) << 32;
		break;
	default:
		break;
	}
}

static void choose_any(struct stream *stream, struct choice *choice)
{
	unsigned kind = below(stream, 16);

	choice->entry = NATIVE;
	choice->number = (long)below(stream, NATIVE_NUMBERS);
#if defined(__x86_64__)
	if (kind < 2) {
		choice->entry = COMPAT;
		choice->number = (long)below(stream, COMPAT_NUMBERS);
	} else if (kind < 4) {
		choice->entry = X32;
		choice->number |= X32_BIT;
	}
#endif
	if (kind == 4)
		choice->number = (long)(draw(stream) >> below(stream, 64));
	for (unsigned i = 0; i < 6; i++)
		choice->words[i] = any_word(stream);
}

void choose(struct stream *stream, struct choice *choice)
{
	do {
		stream->used = 0;
		if (below(stream, 5) < 3)
			choose_shaped(stream, choice);
		else
			choose_any(stream, choice);
	} while (!is_wanted(stream, choice));
	spare_report(choice);
}
