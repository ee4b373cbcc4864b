/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Describe what is written into a stream's scratch memory, for words to point
 * to; each gives its address. */
#ifndef STOCKADE_PROBES_MEMORY_H
#define STOCKADE_PROBES_MEMORY_H

#include <stdbool.h>

#include "fuzz.h"

long make_buffer(struct stream *stream);
/* Any path, or mostly one of a program. */
long make_path(struct stream *stream, bool program);
long make_address(struct stream *stream);
/* The length of the address that was made last. */
long address_length(const struct stream *stream);
/* Arguments of a program, or a part of memory for process_vm_*. */
long make_vector(struct stream *stream, char letter);
/* Structures that only count with something sensible in them. */
long make_structure(struct stream *stream, char letter);
long make_text(struct stream *stream, char letter);

#endif
