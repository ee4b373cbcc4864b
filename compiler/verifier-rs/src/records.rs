// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lays out what the C interface passes by pointer, as `bpfverify.h` declares it.

use crate::compare::Change;
use crate::order::{high_word, low_word, ARCH, ARGUMENTS, NUMBER, OWN_PID};
use crate::order::{POINTER_HIGH, POINTER_LOW};
use crate::program::Relocation;
use crate::prove::Counterexample;

/// A constant that the launcher fills in: an instruction's index and the kind, as in a
/// bundle.
#[repr(C)]
#[allow(non_camel_case_types)] // as the header has it
#[derive(Clone, Copy, Debug)]
pub struct stockade_bpfverify_relocation {
    insn: u32,
    kind: u32,
}

/// A call and the two answers to it.
#[repr(C)]
#[allow(non_camel_case_types)] // as the header has it
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct stockade_bpfverify_counterexample {
    args: [u64; ARGUMENTS],
    instruction_pointer: u64,
    arch: u32,
    number: u32,
    own_pid: u32,
    claimed: u32,
    actual: u32,
    unused: u32,
}

impl stockade_bpfverify_counterexample {
    pub(crate) fn of(found: &Counterexample) -> Self {
        let word = |at: usize| found.words.get(at).copied().unwrap_or(0);
        let wide = |high: usize, low: usize| {
            u64::from(word(high)).wrapping_shl(32) | u64::from(word(low))
        };
        let mut args = [0; ARGUMENTS];
        for (at, arg) in args.iter_mut().enumerate() {
            *arg = wide(high_word(at), low_word(at));
        }
        Self {
            args,
            instruction_pointer: wide(POINTER_HIGH, POINTER_LOW),
            arch: word(ARCH),
            number: word(NUMBER),
            own_pid: word(OWN_PID),
            claimed: found.claimed,
            actual: found.actual,
            unused: 0,
        }
    }
}

/// Calls of one run of numbers whose answer changes: architecture in the high half of
/// both ends, number in the low one, and a call with the old and the new answer.
#[repr(C)]
#[allow(non_camel_case_types)] // as the header has it
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct stockade_bpfverify_change {
    first: u64,
    last: u64,
    shown: stockade_bpfverify_counterexample,
}

impl stockade_bpfverify_change {
    pub(crate) fn of(change: &Change) -> Self {
        Self {
            first: change.first,
            last: change.last,
            shown: stockade_bpfverify_counterexample::of(&change.shown),
        }
    }
}

/// Relocations as the decoder wants them.
pub(crate) fn pairs(relocations: &[stockade_bpfverify_relocation]) -> Vec<Relocation> {
    relocations.iter().map(|entry| (entry.insn, entry.kind)).collect()
}
