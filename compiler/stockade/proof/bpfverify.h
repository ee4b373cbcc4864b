/* SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * The interface of the verifier, declared once: structure.py reads this text,
 * compiler/verifier-rs/src/ffi.rs implements it, and a test compiles it. It
 * stays within what both a C compiler and cffi understand, so no directives
 * and no include guard. stockade_bpfverify_abi() changes with any change here.
 *
 * Statuses: 0 accepted, 1 refused, 2 the verifier failed. Anything but 0 means
 * that the program must not be used. `prog` holds `struct sock_filter` records
 * as little-endian bytes, of any alignment. On a status other than 0 `ret_index`
 * receives the instruction at fault and `why` a reason that ends in a zero byte;
 * both may be null.
 */

uint32_t stockade_bpfverify_abi(void);

int32_t stockade_bpfverify_check(const uint8_t *prog, size_t len_bytes,
				 uint32_t *ret_index, char *why, size_t why_cap);

/* Instructions executed on the longest path, of a program that passes the check. */
int32_t stockade_bpfverify_longest_path(const uint8_t *prog, size_t len_bytes,
					uint32_t *ret_steps, uint32_t *ret_index,
					char *why, size_t why_cap);

/* A constant that the launcher fills in; kinds 1 own-pid and 2 witness. */
struct stockade_bpfverify_relocation {
	uint32_t insn;
	uint32_t kind;
};

/* A call, and the two answers to it. */
struct stockade_bpfverify_counterexample {
	uint64_t args[6];
	uint64_t instruction_pointer;
	uint32_t arch;
	uint32_t number;
	uint32_t own_pid;
	uint32_t claimed;
	uint32_t actual;
	uint32_t unused;
};

/* Whether a program answers every call as a claim says: 0 proved for all of them,
 * 1 not (`ret_counterexample`), 2 nothing is known (`why`), 3 that is no claim
 * (`why`). claim.rs describes the claim's bytes.
 */
int32_t stockade_bpfverify_prove(
	const uint8_t *prog, size_t len_bytes,
	const struct stockade_bpfverify_relocation *relocations,
	size_t relocation_count, const uint8_t *claim, size_t claim_bytes,
	struct stockade_bpfverify_counterexample *ret_counterexample, char *why,
	size_t why_cap);

/* Whether a program refuses what every policy refuses on an architecture, and looks
 * at no more of an argument than the kernel: 0 yes, 1 no (`why`, and the call in
 * `ret_counterexample`), 2 nothing is known (`why`). Bit 0 of `openings` leaves out
 * what a wide kernel surface opens; other bits are unknown.
 */
int32_t stockade_bpfverify_floor(
	const uint8_t *prog, size_t len_bytes,
	const struct stockade_bpfverify_relocation *relocations,
	size_t relocation_count, uint32_t audit_arch, uint32_t openings,
	struct stockade_bpfverify_counterexample *ret_counterexample, char *why,
	size_t why_cap);

/* Sets bit number % 8 of byte number / 8 for each call that the kernel's bitmap of
 * always allowed calls will hold, and clears all others of the map: 0 done, 2 not.
 */
int32_t stockade_bpfverify_cacheable(const uint8_t *prog, size_t len_bytes,
				     uint32_t audit_arch, uint8_t *ret_map,
				     size_t map_bytes, char *why,
				     size_t why_cap);

/* Calls of one run of numbers whose answer changes: architecture in the high half of
 * both ends, number in the low one; `shown.claimed` is the old answer, `shown.actual`
 * the new one.
 */
struct stockade_bpfverify_change {
	uint64_t first;
	uint64_t last;
	struct stockade_bpfverify_counterexample shown;
};

/* Finds the calls that two programs answer differently, one record for each run of
 * numbers and pair of answers: 0 there are none, which is a proof; 1 there are, and
 * as many as fit were written; 2 nothing is known (`why`).
 */
int32_t stockade_bpfverify_compare(
	const uint8_t *old, size_t old_bytes,
	const struct stockade_bpfverify_relocation *old_relocations,
	size_t old_relocation_count, const uint8_t *new_program, size_t new_bytes,
	const struct stockade_bpfverify_relocation *new_relocations,
	size_t new_relocation_count, struct stockade_bpfverify_change *ret,
	size_t capacity, size_t *ret_count, char *why, size_t why_cap);
