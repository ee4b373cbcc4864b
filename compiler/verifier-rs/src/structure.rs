// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks a whole program: first the kernel's rules, then this project's own.
//!
//! The kernel's part follows `bpf_check_classic` (length, jumps, constants, last
//! instruction), `check_load_and_stores` (scratch memory) and `seccomp_check_filter`
//! (data loads). INVARIANT: nothing here is laxer than the kernel.

use crate::flow;
use crate::insn::{decode, Insn, Op, Source, SIZE};

/// `BPF_MAXINSNS`.
const MAX_INSNS: usize = 4096;
/// `BPF_MEMWORDS`, words of scratch memory.
const SCRATCH_WORDS: u32 = 16;
/// `sizeof(struct seccomp_data)`.
const DATA_BYTES: u32 = 64;
const WORD_BITS: u32 = 32;

/// Why a program is refused, and the instruction at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the instruction, counted from zero.
    pub index: u32,
    /// One line, lower case.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(index: usize, reason: impl Into<String>) -> Self {
        // Programs longer than u32 were refused by length, at index 0, before.
        Self { index: u32::try_from(index).unwrap_or(u32::MAX), reason: reason.into() }
    }
}

/// Accepts a program of raw instructions, or names the first one at fault.
///
/// # Errors
/// The refusal of the first rule that is broken.
pub fn check(program: &[u8]) -> Result<(), Refusal> {
    parse(program).map(|_| ())
}

/// Decodes and checks; everything the crate computes about a program starts here.
pub(crate) fn parse(program: &[u8]) -> Result<Vec<Insn>, Refusal> {
    let insns = split(program)?;
    for (index, insn) in insns.iter().enumerate() {
        constants(index, *insn)?;
        targets(index, *insn, insns.len())?;
    }
    ending(&insns)?;
    scratch(&insns)?;
    flow::check(&insns)?;
    Ok(insns)
}

fn split(program: &[u8]) -> Result<Vec<Insn>, Refusal> {
    let chunks = program.chunks_exact(SIZE);
    if !chunks.remainder().is_empty() {
        let reason =
            format!("{} bytes are no whole number of instructions", program.len());
        return Err(Refusal::new(0, reason));
    }
    if chunks.len() == 0 || chunks.len() > MAX_INSNS {
        let reason = format!(
            "a program has 1 to {MAX_INSNS} instructions, not {}",
            chunks.len()
        );
        return Err(Refusal::new(0, reason));
    }
    let mut insns = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.enumerate() {
        let mut raw = [0; SIZE];
        raw.copy_from_slice(chunk);
        insns.push(decode(raw).map_err(|code| {
            Refusal::new(index, format!("opcode {code:#06x} is not allowed in seccomp"))
        })?);
    }
    Ok(insns)
}

fn constants(index: usize, insn: Insn) -> Result<(), Refusal> {
    let k = insn.k;
    let reason = match insn.op {
        Op::LoadData if k >= DATA_BYTES => {
            format!("loads at offset {k}, behind the {DATA_BYTES} bytes of data")
        }
        Op::LoadData if k % 4 != 0 => format!("loads at unaligned offset {k}"),
        Op::Divide(Source::K) if k == 0 => "divides by zero".to_owned(),
        Op::Shift(Source::K) if k >= WORD_BITS => {
            format!("shifts a {WORD_BITS}-bit word by {k}")
        }
        Op::LoadScratch | Op::LoadIndexScratch | Op::Store | Op::StoreIndex
            if k >= SCRATCH_WORDS =>
        {
            format!("uses scratch word {k} of {SCRATCH_WORDS}")
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(index, reason))
}

fn targets(index: usize, insn: Insn, length: usize) -> Result<(), Refusal> {
    // Instructions behind this one; offsets are unsigned, so no jump goes back.
    let behind = length.saturating_sub(index).saturating_sub(1);
    let skip = match insn.op {
        Op::Jump => usize::try_from(insn.k).unwrap_or(usize::MAX),
        Op::Branch(_) => usize::from(insn.jt.max(insn.jf)),
        _ => return Ok(()),
    };
    if skip >= behind {
        let reason =
            format!("jumps over {skip} instructions, but only {behind} follow");
        return Err(Refusal::new(index, reason));
    }
    Ok(())
}

fn ending(insns: &[Insn]) -> Result<(), Refusal> {
    match insns.last().map(|last| last.op) {
        Some(Op::ReturnConstant | Op::ReturnAccumulator) => Ok(()),
        _ => Err(Refusal::new(
            insns.len().saturating_sub(1),
            "the last instruction does not return",
        )),
    }
}

/// Refuses a scratch word that some path reads before it was stored.
///
/// Like the kernel's walk this lets control fall through a return, which refuses
/// some programs that could never read a word too early, and accepts no others.
fn scratch(insns: &[Insn]) -> Result<(), Refusal> {
    let mut incoming = vec![u16::MAX; insns.len()];
    let mut stored: u16 = 0;
    for (index, insn) in insns.iter().enumerate() {
        stored &= incoming.get(index).copied().unwrap_or(0);
        match insn.op {
            Op::Store | Op::StoreIndex => stored |= bit(insn.k),
            Op::LoadScratch | Op::LoadIndexScratch if stored & bit(insn.k) == 0 => {
                let reason =
                    format!("reads scratch word {} that a path leaves unset", insn.k);
                return Err(Refusal::new(index, reason));
            }
            Op::Jump | Op::Branch(_) => {
                for next in flow::successors(index, *insn).into_iter().flatten() {
                    if let Some(mask) = incoming.get_mut(next) {
                        *mask &= stored;
                    }
                }
                stored = u16::MAX;
            }
            _ => {}
        }
    }
    Ok(())
}

fn bit(word: u32) -> u16 {
    1_u16.checked_shl(word).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{check, MAX_INSNS};

    type Raw = (u16, u8, u8, u32);

    const LOAD_NR: Raw = (0x20, 0, 0, 0);
    const ALLOW: Raw = (0x06, 0, 0, 0x7fff_0000);

    fn bytes(insns: &[Raw]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (code, jt, jf, k) in insns {
            raw.extend(code.to_le_bytes());
            raw.extend([*jt, *jf]);
            raw.extend(k.to_le_bytes());
        }
        raw
    }

    fn refused(insns: &[Raw], index: u32, part: &str) {
        let refusal = check(&bytes(insns)).expect_err("accepted");
        assert_eq!(refusal.index, index, "{}", refusal.reason);
        assert!(refusal.reason.contains(part), "{}", refusal.reason);
    }

    #[test]
    fn smallest_and_longest_programs_pass() {
        assert_eq!(check(&bytes(&[ALLOW])), Ok(()));
        let mut long = vec![LOAD_NR; MAX_INSNS];
        long[MAX_INSNS - 1] = ALLOW;
        assert_eq!(check(&bytes(&long)), Ok(()));
        long.push(ALLOW);
        refused(&long, 0, "not 4097");
    }

    #[test]
    fn bytes_that_are_no_instructions_are_refused() {
        refused(&[], 0, "not 0");
        let refusal = check(&[6, 0, 0, 0, 0, 0, 0]).expect_err("accepted");
        assert!(refusal.reason.contains("7 bytes"));
    }

    #[test]
    fn opcodes_of_other_users_are_refused() {
        // Half-word load, modulo, indirect load, RET X.
        for code in [0x28, 0x94, 0x40, 0x0e, 0x106] {
            refused(&[LOAD_NR, (code, 0, 0, 4), ALLOW], 1, "opcode");
        }
    }

    #[test]
    fn loads_stay_inside_the_data() {
        assert_eq!(check(&bytes(&[(0x20, 0, 0, 60), ALLOW])), Ok(()));
        refused(&[(0x20, 0, 0, 64), ALLOW], 0, "offset 64");
        refused(&[(0x20, 0, 0, 2), ALLOW], 0, "unaligned");
    }

    #[test]
    fn constants_that_break_arithmetic_are_refused() {
        refused(&[LOAD_NR, (0x34, 0, 0, 0), ALLOW], 1, "zero");
        refused(&[LOAD_NR, (0x64, 0, 0, 32), ALLOW], 1, "shifts");
        assert_eq!(check(&bytes(&[LOAD_NR, (0x74, 0, 0, 31), ALLOW])), Ok(()));
    }

    #[test]
    fn jumps_stay_inside_the_program() {
        assert_eq!(check(&bytes(&[LOAD_NR, (0x15, 0, 0, 1), ALLOW])), Ok(()));
        refused(&[LOAD_NR, (0x15, 1, 0, 1), ALLOW], 1, "only 1 follow");
        refused(&[LOAD_NR, (0x15, 0, 1, 1), ALLOW], 1, "only 1 follow");
        refused(&[(0x05, 0, 0, 1), ALLOW], 0, "jumps over 1");
        refused(&[(0x05, 0, 0, u32::MAX), ALLOW], 0, "jumps over 4294967295");
    }

    #[test]
    fn the_last_instruction_returns() {
        refused(&[ALLOW, LOAD_NR], 1, "does not return");
        refused(&[(0x05, 0, 0, 0)], 0, "only 0 follow");
    }

    #[test]
    fn scratch_words_are_stored_on_every_path_before_a_read() {
        let store = (0x02, 0, 0, 3);
        let read = (0x60, 0, 0, 3);
        assert_eq!(check(&bytes(&[LOAD_NR, store, read, ALLOW])), Ok(()));
        refused(&[LOAD_NR, read, ALLOW], 1, "scratch word 3");
        refused(&[LOAD_NR, (0x02, 0, 0, 16), ALLOW], 1, "word 16 of 16");
        // One arm of the branch skips the store.
        let skipping = [LOAD_NR, (0x15, 1, 0, 1), store, read, ALLOW];
        refused(&skipping, 3, "leaves unset");
    }

    #[test]
    fn scratch_falls_through_a_return_as_in_the_kernel() {
        let program = [
            LOAD_NR,
            (0x15, 0, 2, 1), // to the store, or to the return
            (0x02, 0, 0, 0),
            (0x15, 1, 1, 2), // over the return either way
            ALLOW,
            (0x60, 0, 0, 0), // word 0 is always set here, but the kernel says no
            ALLOW,
        ];
        refused(&program, 5, "scratch word 0");
    }
}
