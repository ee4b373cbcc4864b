// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Does one operation of classic BPF on all calls at once.

use crate::bdd::{Bounded, Node, OverBudget, Store};
use crate::program::{Arithmetic, Test};
use crate::word::{self, Word};

/// Why nothing can be said about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unprovable {
    Budget,
    Instruction(usize, &'static str),
}

impl From<OverBudget> for Unprovable {
    fn from(_: OverBudget) -> Self {
        Self::Budget
    }
}

impl std::fmt::Display for Unprovable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget => write!(out, "the proof takes more than its budget"),
            Self::Instruction(index, reason) => {
                write!(out, "instruction {index} {reason}")
            }
        }
    }
}

/// The accumulator after an arithmetic instruction, which is named in a refusal.
///
/// Shifts by 32 and more are refused because kernels mask the count or not, and
/// division by zero because it ends the program, which no compiler means.
pub(crate) fn calculate(
    store: &mut Store,
    index: usize,
    arithmetic: Arithmetic,
    left: &Word,
    right: &Word,
) -> Result<Word, Unprovable> {
    let refuse = |reason| Err(Unprovable::Instruction(index, reason));
    let result = match (arithmetic, word::known(right)) {
        (Arithmetic::Add, _) => word::add(store, left, right),
        (Arithmetic::Subtract, _) => word::subtract(store, left, right),
        (Arithmetic::Multiply, _) => word::multiply(store, left, right),
        (Arithmetic::Or, _) => word::bitwise(store, left, right, Store::or),
        (Arithmetic::And, _) => word::bitwise(store, left, right, Store::and),
        (Arithmetic::Xor, _) => word::bitwise(store, left, right, word::xor),
        (Arithmetic::ShiftLeft, Some(by @ 0..=31)) => Ok(word::shift_left(left, by)),
        (Arithmetic::ShiftRight, Some(by @ 0..=31)) => Ok(word::shift_right(left, by)),
        (Arithmetic::ShiftLeft | Arithmetic::ShiftRight, _) => {
            return refuse("shifts by what may be 32 or more");
        }
        (Arithmetic::Divide, None | Some(0)) => {
            return refuse("divides by what may be zero");
        }
        (Arithmetic::Divide, Some(by)) => word::divide(store, left, by),
    };
    Ok(result?)
}

/// Whether a conditional jump is taken.
pub(crate) fn compare(
    store: &mut Store,
    test: Test,
    left: &Word,
    right: &Word,
) -> Bounded<Node> {
    match test {
        Test::Equal => word::equal(store, left, right),
        Test::Greater => word::greater(store, left, right),
        Test::AtLeast => {
            let less = word::greater(store, right, left)?;
            store.not(less)
        }
        Test::AnyBit => word::any_common(store, left, right),
    }
}
