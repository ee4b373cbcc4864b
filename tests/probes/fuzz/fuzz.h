/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Describe the fuzzer: random system calls, with words that mean something and
 * with words that do not, told by a seed alone so that a run can be repeated.
 *
 * It judges nothing. Whoever starts it watches from outside whether anything
 * beyond the sandbox was reached.
 */
#ifndef STOCKADE_PROBES_FUZZ_H
#define STOCKADE_PROBES_FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum {
	FACT_BYTES = 128,
	MOST_FACTS = 80,
	SCRATCH_BYTES = 1 << 16,
	/* What every run opens first stands below this descriptor, and its
	 * sockets, where it can have any, first of all. */
	MOST_DESCRIPTORS = 112,
	SOCKETS = 12,
	/* Sockets, objects of the kernel and the first paths are below this. */
	SERVICES = 40,
	FIRST_PATHS = 4,
	REPORT = 1,
};

/* The POSIX queue of the watcher, as the system call wants it: without a slash.
 */
#define QUEUE "stockade-queue"

/* What there is outside and inside, as the watcher wrote it down. */
struct facts {
	char paths[MOST_FACTS][FACT_BYTES];
	char abstract[8][FACT_BYTES], programs[8][FACT_BYTES];
	long pids[16], ports[8], objects[16];
	unsigned path_count, abstract_count, program_count, pid_count,
		port_count, object_count;
};

extern struct facts facts;

/* Read `KIND VALUE` lines; 0, or an errno. */
int facts_load(const char *path);

/* One stream of choices, of a process or a thread of it. */
struct stream {
	uint64_t state;
	char *scratch;
	unsigned used; /* of the scratch memory, by the call being made */
};

uint64_t draw(struct stream *stream);
unsigned below(struct stream *stream, unsigned limit);

/* The calls whose words are known: the number and one letter a word. */
struct shape {
	long number;
	const char *words;
};

extern const struct shape shapes[];
extern const size_t shape_count;

/* Choose a word: by its letter, or of any kind. */
long word_of(struct stream *stream, char letter);
long any_word(struct stream *stream);

enum entry { NATIVE, X32, COMPAT };

struct choice {
	enum entry entry;
	long number, words[6];
};

/* Choose a whole call; it never is one that ends the run or its report. */
void choose(struct stream *stream, struct choice *choice);

/* Open one of everything that the facts name, as far as it can be opened. */
void open_all(struct stream *stream);

#endif
