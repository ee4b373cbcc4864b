// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes a program for running: what each instruction computes, relocations applied.
//!
//! The structure check looks at less and comes first; here every operation has its own
//! name. INVARIANT: a placeholder and its relocation come together, so no program
//! passes whose constants the launcher would leave as they are.

use crate::structure;

/// Bytes of one `struct sock_filter`.
const SIZE: usize = 8;
const OWN_PID: u32 = 1;
const WITNESS: u32 = 2;
/// Opcode and constant that a relocation of each kind replaces: `JEQ K` and `RET K`.
const OWN_PID_PLACEHOLDER: (u16, u32) = (0x15, 0x7fff_ffff);
const WITNESS_PLACEHOLDER: (u16, u32) = (0x06, 0x0005_0fff);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Constant(u32),
    Index,
    /// The process ID of the program, which the launcher fills in.
    OwnPid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Or,
    And,
    ShiftLeft,
    ShiftRight,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Equal,
    Greater,
    AtLeast,
    AnyBit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    LoadData(u32),
    Load(u32),
    LoadLength,
    LoadIndex(u32),
    LoadIndexLength,
    LoadScratch(u32),
    LoadIndexScratch(u32),
    Store(u32),
    StoreIndex(u32),
    Calculate(Arithmetic, Operand),
    Negate,
    ToIndex,
    FromIndex,
    Skip(u32),
    Branch(Test, Operand),
    Return(u32),
    ReturnAccumulator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insn {
    pub(crate) operation: Operation,
    pub(crate) jt: u8,
    pub(crate) jf: u8,
}

/// A constant that the launcher fills in: the instruction's index, and 1 for the own
/// process ID or 2 for the witness, as in a bundle.
pub(crate) type Relocation = (u32, u32);

/// Checks and decodes a program; the error is a reason that refuses it.
pub(crate) fn decode(
    program: &[u8],
    relocations: &[Relocation],
) -> Result<Vec<Insn>, String> {
    decode_as_it_is(program)?;
    decode_unchecked(program, relocations)
}

/// Decodes a program that need not be one: loads, jumps and constants may be wrong.
pub(crate) fn decode_unchecked(
    program: &[u8],
    relocations: &[Relocation],
) -> Result<Vec<Insn>, String> {
    let mut insns = all(program)?;
    let mut left = relocations;
    let raws = program.chunks_exact(SIZE);
    for ((index, raw), insn) in (0_u32..).zip(raws).zip(&mut insns) {
        let kind = match left {
            [(at, kind), rest @ ..] if *at == index => {
                left = rest;
                *kind
            }
            _ => 0,
        };
        let wanted = match (code_of(raw), constant_of(raw)) {
            OWN_PID_PLACEHOLDER => OWN_PID,
            WITNESS_PLACEHOLDER => WITNESS,
            _ => 0,
        };
        if kind != wanted {
            return Err(misplaced(index, kind, wanted));
        }
        if kind == OWN_PID {
            insn.operation = Operation::Branch(Test::Equal, Operand::OwnPid);
        }
    }
    if let [(insn, _), ..] = left {
        return Err(format!("the relocation of instruction {insn} is out of order"));
    }
    Ok(insns)
}

/// Checks and decodes a program without relocations: placeholders are constants.
pub(crate) fn decode_as_it_is(program: &[u8]) -> Result<Vec<Insn>, String> {
    structure::check(program)
        .map_err(|why| format!("instruction {} {}", why.index, why.reason))?;
    all(program)
}

fn all(program: &[u8]) -> Result<Vec<Insn>, String> {
    let mut insns = Vec::new();
    for (index, raw) in program.chunks_exact(SIZE).enumerate() {
        insns.push(insn(index, raw)?);
    }
    Ok(insns)
}

fn insn(index: usize, raw: &[u8]) -> Result<Insn, String> {
    let byte = |at: usize| raw.get(at).copied().unwrap_or(0);
    let operation = operation(code_of(raw), constant_of(raw))
        .ok_or_else(|| format!("instruction {index} is not understood"))?;
    Ok(Insn { operation, jt: byte(2), jf: byte(3) })
}

fn misplaced(index: u32, kind: u32, wanted: u32) -> String {
    if kind == 0 {
        return format!("instruction {index} has a placeholder without relocation");
    }
    if wanted == 0 {
        return format!("instruction {index} has a relocation without placeholder");
    }
    format!("instruction {index} has a relocation of kind {kind}, not {wanted}")
}

fn code_of(raw: &[u8]) -> u16 {
    raw.get(..2)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(u16::MAX, u16::from_le_bytes)
}

fn constant_of(raw: &[u8]) -> u32 {
    raw.get(4..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// Names an operation of `<linux/bpf_common.h>`; bit 3 takes X instead of `k`.
fn operation(code: u16, k: u32) -> Option<Operation> {
    Some(match code {
        0x00 => Operation::Load(k),
        0x01 => Operation::LoadIndex(k),
        0x02 => Operation::Store(k),
        0x03 => Operation::StoreIndex(k),
        0x05 => Operation::Skip(k),
        0x06 => Operation::Return(k),
        0x07 => Operation::ToIndex,
        0x16 => Operation::ReturnAccumulator,
        0x20 => Operation::LoadData(k),
        0x60 => Operation::LoadScratch(k),
        0x61 => Operation::LoadIndexScratch(k),
        0x80 => Operation::LoadLength,
        0x81 => Operation::LoadIndexLength,
        0x84 => Operation::Negate,
        0x87 => Operation::FromIndex,
        _ => {
            let operand =
                if code & 8 == 0 { Operand::Constant(k) } else { Operand::Index };
            match code & !8 {
                0x15 => Operation::Branch(Test::Equal, operand),
                0x25 => Operation::Branch(Test::Greater, operand),
                0x35 => Operation::Branch(Test::AtLeast, operand),
                0x45 => Operation::Branch(Test::AnyBit, operand),
                plain => Operation::Calculate(arithmetic(plain)?, operand),
            }
        }
    })
}

fn arithmetic(code: u16) -> Option<Arithmetic> {
    Some(match code {
        0x04 => Arithmetic::Add,
        0x14 => Arithmetic::Subtract,
        0x24 => Arithmetic::Multiply,
        0x34 => Arithmetic::Divide,
        0x44 => Arithmetic::Or,
        0x54 => Arithmetic::And,
        0x64 => Arithmetic::ShiftLeft,
        0x74 => Arithmetic::ShiftRight,
        0xa4 => Arithmetic::Xor,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{decode, operation, Operand, Operation, Test};
    use crate::insn;

    type Raw = (u16, u8, u8, u32);

    fn bytes(insns: &[Raw]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (code, jt, jf, k) in insns {
            raw.extend(code.to_le_bytes());
            raw.extend([*jt, *jf]);
            raw.extend(k.to_le_bytes());
        }
        raw
    }

    #[test]
    fn the_same_opcodes_are_known_as_to_the_structure_check() {
        for code in 0..=u16::MAX {
            let [low, high] = code.to_le_bytes();
            let known = insn::decode([low, high, 0, 0, 0, 0, 0, 0]).is_ok();
            assert_eq!(operation(code, 0).is_some(), known, "{code:#x}");
        }
    }

    const LOAD: Raw = (0x20, 0, 0, 16);
    const OWN: Raw = (0x15, 0, 1, 0x7fff_ffff);
    const ALLOW: Raw = (0x06, 0, 0, 0x7fff_0000);
    const WITNESS: Raw = (0x06, 0, 0, 0x0005_0fff);

    #[test]
    fn relocations_name_what_the_launcher_fills_in() {
        let program = bytes(&[LOAD, OWN, ALLOW, WITNESS]);
        let insns = decode(&program, &[(1, 1), (3, 2)]).unwrap();
        let branch = Operation::Branch(Test::Equal, Operand::OwnPid);
        assert_eq!(insns[1].operation, branch);
        assert_eq!(insns[3].operation, Operation::Return(0x0005_0fff));
    }

    #[test]
    fn placeholders_and_relocations_come_together() {
        let program = bytes(&[LOAD, OWN, ALLOW, WITNESS]);
        for (relocations, reason) in [
            (vec![], "1 has a placeholder without"),
            (vec![(1, 1)], "3 has a placeholder without"),
            (vec![(1, 2), (3, 2)], "1 has a relocation of kind 2, not 1"),
            (vec![(1, 1), (3, 1)], "3 has a relocation of kind 1, not 2"),
            (vec![(0, 1), (1, 1), (3, 2)], "0 has a relocation without"),
            (vec![(1, 1), (3, 2), (3, 2)], "relocation of instruction 3"),
            (vec![(1, 1), (3, 2), (4, 2)], "relocation of instruction 4"),
            (vec![(3, 2), (1, 1)], "1 has a placeholder without"),
            (vec![(1, 3), (3, 2)], "kind 3"),
        ] {
            let found = decode(&program, &relocations).expect_err("accepted");
            assert!(found.contains(reason), "{found}");
        }
    }

    #[test]
    fn a_broken_structure_is_refused_first() {
        let found = decode(&bytes(&[LOAD]), &[]).expect_err("accepted");
        assert_eq!(found, "instruction 0 the last instruction does not return");
    }
}
