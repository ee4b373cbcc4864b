// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proves that a program answers every call as claimed, or finds one where it does not.
//!
//! Program and claim become functions of the same bits in the same order; they agree on
//! every architecture, number, argument, instruction pointer and own process ID exactly
//! when the functions are one node.

use crate::bdd::{Bounded, Node, Store, BOTTOM};
use crate::calculate::Unprovable;
use crate::claim::{self, Claim};
use crate::concrete::{self, Call};
use crate::meaning;
use crate::order::{self, Groups, Order, ARCH, OWN_PID, WORDS};
use crate::program::{self, Insn, Relocation};
use crate::run;
use crate::traces;

/// What a comparison found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    Disagrees(Counterexample),
    /// Nothing could be found out, and why.
    Unprovable(String),
    /// The claim is not one, and why.
    Malformed(String),
}

/// A call, word by word as in `struct seccomp_data` and then the own process ID, and
/// the two answers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counterexample {
    pub(crate) words: Call,
    pub(crate) claimed: u32,
    pub(crate) actual: u32,
}

/// Compares a program with a claim.
pub(crate) fn prove(
    program: &[u8],
    relocations: &[Relocation],
    claim: &[u8],
) -> Verdict {
    let claim = match claim::decode(claim) {
        Ok(claim) => claim,
        Err(why) => return Verdict::Malformed(why),
    };
    let insns = program::decode(program, relocations);
    if let Ok(insns) = &insns {
        if let Ok(verdict) = compare(insns, &claim, Store::small()) {
            return verdict;
        }
    }
    // It is refused unless a second try proves it; a call that shows why is worth a look.
    let found =
        program::decode_unchecked(program, relocations).ok().and_then(|insns| {
            concrete::search(&insns, &claim).map(|call| shown(&insns, &claim, call))
        });
    if let Some(verdict) = found {
        return verdict;
    }
    insns
        .and_then(|insns| {
            compare(&insns, &claim, Store::new()).map_err(|why| why.to_string())
        })
        .unwrap_or_else(Verdict::Unprovable)
}

fn compare(
    insns: &[Insn],
    claim: &Claim,
    mut store: Store,
) -> Result<Verdict, Unprovable> {
    let mut groups = Groups::new();
    meaning::join(claim, &mut groups);
    traces::join(insns, &mut groups);
    let order = Order::new(&groups);
    let claimed = meaning::answers(&mut store, &order, claim)?;
    let actual = run::answers(&mut store, &order, insns, &claim.answers())?;
    if claimed == actual {
        return Ok(Verdict::Proved);
    }
    let arches: Vec<u32> = claim.arches.iter().map(|arch| arch.audit).collect();
    let call = difference(&mut store, &order, claimed, actual, &arches)?;
    Ok(shown(insns, claim, call))
}

/// A disagreement, by running the program once more in the plainest way.
fn shown(insns: &[Insn], claim: &Claim, call: Call) -> Verdict {
    let claimed = concrete::claimed(claim, &call);
    match concrete::run(insns, &call) {
        Some(actual) if actual != claimed => {
            Verdict::Disagrees(Counterexample { words: call, claimed, actual })
        }
        _ => Verdict::Unprovable("the verifier contradicts itself".to_owned()),
    }
}

/// A process ID that reads like one.
const LIKELY_PID: u32 = 1000;

/// Finds the first call that tells two different functions apart.
///
/// First on the given architectures and with a likely process ID, since such a
/// counterexample says more to a reader; otherwise the smallest.
pub(crate) fn difference(
    store: &mut Store,
    order: &Order,
    claimed: Node,
    actual: Node,
    arches: &[u32],
) -> Bounded<Call> {
    let likely = arches.iter().map(|arch| Some(*arch)).chain([None]);
    for arch in likely {
        for pid in [Some(LIKELY_PID), None] {
            let fixed = |level: u32| match order.place_of(level) {
                (ARCH, bit) => arch.map(|value| has(value, bit)),
                (OWN_PID, bit) => pid.map(|value| has(value, bit)),
                _ => None,
            };
            let left = store.restrict(claimed, &fixed)?;
            let right = store.restrict(actual, &fixed)?;
            if left != right {
                let mut found = apart(store, order, left, right);
                for (word, value) in [(ARCH, arch), (OWN_PID, pid)] {
                    if let (Some(slot), Some(value)) = (found.get_mut(word), value) {
                        *slot = value;
                    }
                }
                return Ok(found);
            }
        }
    }
    // Equal everywhere, so they were one node: a caller's mistake, no counterexample.
    Err(crate::bdd::OverBudget)
}

fn has(value: u32, bit: usize) -> bool {
    value & order::bit(bit) != 0
}

/// Walks down two different functions to different answers, by zeros where it can.
fn apart(store: &Store, order: &Order, mut left: Node, mut right: Node) -> Call {
    let mut words = [0; WORDS];
    loop {
        let level = store.level(left).min(store.level(right));
        if level == BOTTOM {
            return words;
        }
        let (left0, left1) = store.halves(left, level);
        let (right0, right1) = store.halves(right, level);
        // One of the two pairs differs, or the nodes above would be one.
        if left0 == right0 {
            (left, right) = (left1, right1);
            let (word, bit) = order.place_of(level);
            if let Some(value) = words.get_mut(word) {
                *value |= order::bit(bit);
            }
        } else {
            (left, right) = (left0, right0);
        }
    }
}

#[cfg(test)]
mod tests;
