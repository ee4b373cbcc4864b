// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Looks ahead and back through a program: what is still read, and what meets what.
//!
//! Neither decides anything. What is read again keeps registers apart that matter; what
//! is compared with what makes a good order of bits.

use crate::order::{self, Groups, OWN_PID};
use crate::program::{Insn, Operand, Operation};

/// The accumulator in a set of registers; scratch words are the bits below.
pub(crate) const ACCUMULATOR: u32 = 1 << 16;
/// The index register in a set of registers.
pub(crate) const INDEX: u32 = 1 << 17;
const REGISTERS: usize = 18;

/// The indices that can follow an instruction.
fn next(index: usize, insn: Insn) -> [Option<usize>; 2] {
    let after = |by: usize| index.checked_add(1)?.checked_add(by);
    match insn.operation {
        Operation::Return(_) | Operation::ReturnAccumulator => [None, None],
        Operation::Skip(by) => [usize::try_from(by).ok().and_then(after), None],
        Operation::Branch(..) => {
            [after(usize::from(insn.jt)), after(usize::from(insn.jf))]
        }
        _ => [after(0), None],
    }
}

fn scratch(at: u32) -> u32 {
    1_u32.checked_shl(at).unwrap_or(0) & 0xffff
}

fn operand(operand: Operand) -> u32 {
    if operand == Operand::Index {
        INDEX
    } else {
        0
    }
}

/// The registers an instruction reads, and those it overwrites.
fn touched(operation: Operation) -> (u32, u32) {
    match operation {
        Operation::LoadData(_) | Operation::Load(_) | Operation::LoadLength => {
            (0, ACCUMULATOR)
        }
        Operation::LoadIndex(_) | Operation::LoadIndexLength => (0, INDEX),
        Operation::LoadScratch(at) => (scratch(at), ACCUMULATOR),
        Operation::LoadIndexScratch(at) => (scratch(at), INDEX),
        Operation::Store(at) => (ACCUMULATOR, scratch(at)),
        Operation::StoreIndex(at) => (INDEX, scratch(at)),
        Operation::Calculate(_, with) => (ACCUMULATOR | operand(with), ACCUMULATOR),
        Operation::Negate => (ACCUMULATOR, ACCUMULATOR),
        Operation::ToIndex => (ACCUMULATOR, INDEX),
        Operation::FromIndex => (INDEX, ACCUMULATOR),
        Operation::Branch(_, with) => (ACCUMULATOR | operand(with), 0),
        Operation::ReturnAccumulator => (ACCUMULATOR, 0),
        Operation::Skip(_) | Operation::Return(_) => (0, 0),
    }
}

/// For each instruction the registers that it or a later one reads first.
pub(crate) fn live(insns: &[Insn]) -> Vec<u32> {
    let mut sets = vec![0; insns.len()];
    for (index, insn) in insns.iter().enumerate().rev() {
        let mut set = 0;
        for after in next(index, *insn).into_iter().flatten() {
            set |= sets.get(after).copied().unwrap_or(u32::MAX);
        }
        let (reads, overwrites) = touched(insn.operation);
        if let Some(slot) = sets.get_mut(index) {
            *slot = set & !overwrites | reads;
        }
    }
    sets
}

/// Joins the words of a call that a program compares or computes with each other.
pub(crate) fn join(insns: &[Insn], groups: &mut Groups) {
    let mut origins = vec![[0_u32; REGISTERS]; insns.len()];
    for (index, insn) in insns.iter().enumerate() {
        let mut now = origins.get(index).copied().unwrap_or([0; REGISTERS]);
        let (a, x) = (origin(&now, ACCUMULATOR), origin(&now, INDEX));
        let (reads, overwrites) = touched(insn.operation);
        let mut made = origin(&now, reads);
        match insn.operation {
            Operation::LoadData(offset) => {
                made = usize::try_from(offset / 4).map_or(0, order::bit);
            }
            Operation::Branch(_, Operand::OwnPid) => {
                groups.join(a | order::bit(OWN_PID));
            }
            Operation::Branch(_, Operand::Index)
            | Operation::Calculate(_, Operand::Index)
                if a != 0 && x != 0 =>
            {
                groups.join(a | x);
            }
            _ => {}
        }
        for (register, set) in now.iter_mut().enumerate() {
            if overwrites & order::bit(register) != 0 {
                *set = made;
            }
        }
        for after in next(index, *insn).into_iter().flatten() {
            if let Some(sets) = origins.get_mut(after) {
                for (set, from) in sets.iter_mut().zip(&now) {
                    *set |= from;
                }
            }
        }
    }
}

/// The words of the call that the values of some registers come from.
fn origin(origins: &[u32; REGISTERS], registers: u32) -> u32 {
    let held = origins.iter().enumerate();
    held.filter(|(register, _)| registers & order::bit(*register) != 0)
        .fold(0, |words, (_, set)| words | set)
}
