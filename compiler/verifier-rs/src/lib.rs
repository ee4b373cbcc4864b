// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Judges finished seccomp programs: raw bytes in, a verdict with its reason out.
//!
//! Three judges: the structure check, the proof that a program answers every call as
//! claimed, and the floor of calls that no policy allows. The structural rules are those of the kernel's `bpf_check_classic`, `check_load_and_stores`
//! and `seccomp_check_filter`, and a few stricter ones of this project. The crate
//! upholds that whatever it accepts the kernel accepts. It shares no table and no
//! code with the compiler it judges, so a mistake there cannot hide here.

#![deny(unsafe_code, unsafe_op_in_unsafe_fn, missing_docs, unreachable_pub)]
#![deny(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]
#![deny(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::panic)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]

mod bdd;
mod cache;
mod calculate;
mod claim;
mod compare;
mod concrete;
mod ffi;
mod floor;
mod floor_rules;
mod flow;
mod insn;
mod linux_calls;
mod meaning;
mod order;
mod program;
mod prove;
mod records;
mod run;
mod structure;
mod traces;
mod walk;
mod widths;
mod word;

pub use ffi::{
    stockade_bpfverify_abi, stockade_bpfverify_cacheable, stockade_bpfverify_check,
    stockade_bpfverify_compare, stockade_bpfverify_floor,
    stockade_bpfverify_longest_path, stockade_bpfverify_prove,
};
pub use flow::longest_path;
pub use records::{
    stockade_bpfverify_change, stockade_bpfverify_counterexample,
    stockade_bpfverify_relocation,
};
pub use structure::{check, Refusal};
