// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds every way in which two programs answer calls differently.
//!
//! Both programs become functions of the same bits in the same order; they are equal
//! exactly when the functions are one node. Where they are not, a walk down both finds
//! each run of numbers that changes as one, and within it each pair of answers, with a
//! call that shows it. INVARIANT: an empty list is a proof that the programs are equal.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::bdd::{Bounded, Node, OverBudget, Shape, Store};
use crate::calculate::Unprovable;
use crate::concrete::{self, Call};
use crate::order::{self, Groups, Order, ARCH, NUMBER, OWN_PID, WORDS};
use crate::program::{self, Insn, Operation, Relocation};
use crate::prove::Counterexample;
use crate::run;
use crate::traces;

/// Calls of one run of numbers whose answer changes from one value to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Architecture in the high half, number in the low one; both ends included.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// `claimed` is what the old program answers, `actual` what the new one does.
    pub(crate) shown: Counterexample,
}

/// Two different answers, old and new, and a call that gets them.
type Pair = (u32, u32, Call);

/// Runs of numbers beyond this are no difference that anyone would read.
const MOST_RUNS: usize = 1 << 14;
/// Architecture and number: the bits that every diagram tests first.
const DISPATCH_BITS: u32 = 64;
/// A process ID that reads like one.
const LIKELY_PID: u32 = 1000;

/// Compares two programs; each comes with its relocations.
pub(crate) fn compare(
    old: (&[u8], &[Relocation]),
    new: (&[u8], &[Relocation]),
) -> Result<Vec<Change>, String> {
    let old = program::decode(old.0, old.1)?;
    let new = program::decode(new.0, new.1)?;
    let mut groups = Groups::new();
    for insns in [&old, &new] {
        if insns.iter().any(|one| one.operation == Operation::ReturnAccumulator) {
            return Err("a program computes its answer".to_owned());
        }
        traces::join(insns, &mut groups);
    }
    let order = Order::new(&groups);
    if (0..DISPATCH_BITS).any(|level| !matches!(order.place_of(level).0, ARCH | NUMBER))
    {
        return Err("a program compares the number with another word".to_owned());
    }
    let mut store = Store::new();
    let found = differences(&mut store, &order, &old, &new);
    let changes = found.map_err(|why| why.to_string())?;
    // Once more in the plainest way: what is shown must be what the programs do.
    for change in &changes {
        let call = &change.shown.words;
        let answers = (concrete::run(&old, call), concrete::run(&new, call));
        if answers != (Some(change.shown.claimed), Some(change.shown.actual)) {
            return Err("the verifier contradicts itself".to_owned());
        }
    }
    Ok(changes)
}

fn differences(
    store: &mut Store,
    order: &Order,
    old: &[Insn],
    new: &[Insn],
) -> Result<Vec<Change>, Unprovable> {
    let none = BTreeSet::new();
    let old = run::answers(store, order, old, &none)?;
    let new = run::answers(store, order, new, &none)?;
    let mut runs = Runs { store, found: Vec::new() };
    runs.walk(old, new, 0, 0)?;
    let found = runs.found;
    let mut changes = Vec::new();
    let mut known: HashMap<(Node, Node), Vec<Pair>> = HashMap::new();
    for (first, last, left, right) in found {
        let pairs = if let Some(pairs) = known.get(&(left, right)) {
            pairs.clone()
        } else {
            let pairs = answer_pairs(store, order, left, right)?;
            known.insert((left, right), pairs.clone());
            pairs
        };
        for (claimed, actual, mut words) in pairs {
            put(&mut words, ARCH, u32::try_from(first >> 32).unwrap_or(u32::MAX));
            put(&mut words, NUMBER, u32::try_from(first & 0xffff_ffff).unwrap_or(0));
            let shown = Counterexample { words, claimed, actual };
            changes.push(Change { first, last, shown });
        }
    }
    Ok(changes)
}

/// Collects the runs of numbers at which two functions differ, in order.
struct Runs<'a> {
    store: &'a Store,
    found: Vec<(u64, u64, Node, Node)>,
}

impl Runs<'_> {
    /// Walks the bits of architecture and number from `level` on.
    fn walk(&mut self, left: Node, right: Node, level: u32, at: u64) -> Bounded<()> {
        if left == right {
            return Ok(());
        }
        let next = self.store.level(left).min(self.store.level(right));
        if next >= DISPATCH_BITS {
            let rest = DISPATCH_BITS.saturating_sub(level);
            let span = 1_u64.checked_shl(rest).unwrap_or(0).wrapping_sub(1);
            return self.note(at, at | span, left, right);
        }
        let (left0, left1) = self.store.halves(left, level);
        let (right0, right1) = self.store.halves(right, level);
        let below = level.saturating_add(1);
        let one = 1_u64.checked_shl(DISPATCH_BITS.saturating_sub(below)).unwrap_or(0);
        self.walk(left0, right0, below, at)?;
        self.walk(left1, right1, below, at | one)
    }

    fn note(&mut self, first: u64, last: u64, left: Node, right: Node) -> Bounded<()> {
        if let Some(before) = self.found.last_mut() {
            if before.1.checked_add(1) == Some(first)
                && (before.2, before.3) == (left, right)
            {
                before.1 = last;
                return Ok(());
            }
        }
        if self.found.len() >= MOST_RUNS {
            return Err(OverBudget);
        }
        self.found.push((first, last, left, right));
        Ok(())
    }
}

/// Every pair of different answers, with a call for each; those of a likely process
/// ID first, since they say more to a reader.
fn answer_pairs(
    store: &mut Store,
    order: &Order,
    left: Node,
    right: Node,
) -> Bounded<Vec<Pair>> {
    let mut found = Vec::new();
    for pid in [Some(LIKELY_PID), None] {
        let fixed = |level: u32| match order.place_of(level) {
            (OWN_PID, bit) => pid.map(|value| value & order::bit(bit) != 0),
            _ => None,
        };
        let pair = (store.restrict(left, &fixed)?, store.restrict(right, &fixed)?);
        let mut words = [0; WORDS];
        put(&mut words, OWN_PID, pid.unwrap_or(0));
        let mut seen = HashSet::new();
        descend(store, order, pair, words, &mut seen, &mut found);
    }
    Ok(found)
}

fn descend(
    store: &Store,
    order: &Order,
    pair: (Node, Node),
    words: Call,
    seen: &mut HashSet<(Node, Node)>,
    found: &mut Vec<Pair>,
) {
    if pair.0 == pair.1 || !seen.insert(pair) {
        return;
    }
    let level = store.level(pair.0).min(store.level(pair.1));
    if let (Shape::Answer(old), Shape::Answer(new)) =
        (store.shape(pair.0), store.shape(pair.1))
    {
        if !found.iter().any(|known| (known.0, known.1) == (old, new)) {
            found.push((old, new, words));
        }
        return;
    }
    let (left0, left1) = store.halves(pair.0, level);
    let (right0, right1) = store.halves(pair.1, level);
    descend(store, order, (left0, right0), words, seen, found);
    let (word, bit) = order.place_of(level);
    let mut set = words;
    if let Some(value) = set.get_mut(word) {
        *value |= order::bit(bit);
    }
    descend(store, order, (left1, right1), set, seen, found);
}

fn put(words: &mut Call, at: usize, value: u32) {
    if let Some(slot) = words.get_mut(at) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests;
