// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Holds functions of bits as decision diagrams that are equal only when identical.
//!
//! A node tests one bit or is an answer; answers are 32-bit values, and a truth value
//! is one of the answers 0 and 1. Nodes are interned and bits are tested in one fixed
//! order, so two functions are equal exactly when their nodes are the same: this is
//! what makes a comparison a proof. INVARIANT: work beyond the budget is an error and
//! never an answer.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A function; only the store that made it can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(u32);

/// Notes about nodes. Their numbers are our own, so a plain hash will do.
pub(crate) type NodeMap<T> = HashMap<Node, T, BuildHasherDefault<Spread>>;

/// A hash of one number.
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = self.0.wrapping_add(u64::from(number)).wrapping_mul(SPREAD);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Odd, and otherwise of no meaning.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Always false, and the answer 0.
pub(crate) const FALSE: Node = Node(0);
/// Always true, and the answer 1.
pub(crate) const TRUE: Node = Node(1);

/// More nodes or steps than a program that people write could need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverBudget;

pub(crate) type Bounded<T> = Result<T, OverBudget>;

/// What a node is, for those who walk a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Answer(u32),
    Test { level: u32, low: Node, high: Node },
}

/// What a proof may take; the first is enough for all programs people write.
const SMALL: Budget = Budget { nodes: 1 << 18, steps: 1 << 20 };
/// About 250 MB and ten seconds.
const LARGE: Budget = Budget { nodes: 1 << 23, steps: 1 << 25 };

#[derive(Clone, Copy)]
struct Budget {
    nodes: usize,
    steps: u64,
}

/// The level of answers: below every bit.
pub(crate) const BOTTOM: u32 = u32::MAX;
const FIRST_SLOTS: usize = 1 << 14;
/// More slots than memos: most results are never asked for again.
const SLOTS_A_MEMO: usize = 4;

/// `low` of an answer is its value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    level: u32,
    low: u32,
    high: u32,
}

pub(crate) struct Store {
    rows: Vec<Row>,
    /// Open addressing; a power of two of one more than an index into `rows`, or zero.
    slots: Vec<u32>,
    /// Results of `choose` by test, yes, no; a newer one replaces an older. The test is
    /// never `FALSE`, so an entry of zeros is none.
    memo: Vec<[u32; 4]>,
    steps: u64,
    budget: Budget,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self::with_budget(LARGE)
    }

    /// A store that gives up early.
    pub(crate) fn small() -> Self {
        Self::with_budget(SMALL)
    }

    fn with_budget(budget: Budget) -> Self {
        let mut store = Self {
            rows: Vec::with_capacity(FIRST_SLOTS),
            slots: vec![0; FIRST_SLOTS],
            memo: vec![[0; 4]; FIRST_SLOTS / SLOTS_A_MEMO],
            steps: 0,
            budget,
        };
        for value in [0, 1] {
            // Two rows are within every budget that `answer` could be asked with.
            let _ = store.answer(value);
        }
        store
    }

    /// The function that is one value everywhere.
    pub(crate) fn answer(&mut self, value: u32) -> Bounded<Node> {
        self.intern(Row { level: BOTTOM, low: value, high: 0 })
    }

    /// The function that is the bit itself.
    pub(crate) fn bit(&mut self, level: u32) -> Bounded<Node> {
        self.test(level, FALSE, TRUE)
    }

    /// `yes` where the test is true, else `no`. The test has the values 0 and 1 only.
    pub(crate) fn choose(&mut self, test: Node, yes: Node, no: Node) -> Bounded<Node> {
        if test == TRUE || yes == no {
            return Ok(yes);
        }
        if test == FALSE {
            return Ok(no);
        }
        if yes == TRUE && no == FALSE {
            return Ok(test);
        }
        let (top, below) = (self.row(test), self.level(yes).min(self.level(no)));
        if top.level < below && top.low == FALSE.0 && top.high == TRUE.0 {
            return self.test(top.level, no, yes);
        }
        self.steps = self.steps.saturating_add(1);
        if self.steps > self.budget.steps {
            return Err(OverBudget);
        }
        let key = [test.0, yes.0, no.0];
        let place = mix(key[0], key[1], key[2]) & self.memo.len().wrapping_sub(1);
        if let Some([a, b, c, found]) = self.memo.get(place) {
            if [*a, *b, *c] == key {
                return Ok(Node(*found));
            }
        }
        let level = top.level.min(below);
        let (test0, test1) = self.halves(test, level);
        let (yes0, yes1) = self.halves(yes, level);
        let (no0, no1) = self.halves(no, level);
        let low = self.choose(test0, yes0, no0)?;
        let high = self.choose(test1, yes1, no1)?;
        let found = self.test(level, low, high)?;
        // The memo may have grown meanwhile.
        let place = mix(key[0], key[1], key[2]) & self.memo.len().wrapping_sub(1);
        if let Some(entry) = self.memo.get_mut(place) {
            *entry = [key[0], key[1], key[2], found.0];
        }
        Ok(found)
    }

    pub(crate) fn and(&mut self, left: Node, right: Node) -> Bounded<Node> {
        self.choose(left, right, FALSE)
    }

    pub(crate) fn or(&mut self, left: Node, right: Node) -> Bounded<Node> {
        self.choose(left, TRUE, right)
    }

    pub(crate) fn not(&mut self, node: Node) -> Bounded<Node> {
        self.choose(node, FALSE, TRUE)
    }

    pub(crate) fn shape(&self, node: Node) -> Shape {
        let row = self.row(node);
        if row.level == BOTTOM {
            return Shape::Answer(row.low);
        }
        Shape::Test { level: row.level, low: Node(row.low), high: Node(row.high) }
    }

    /// Both halves of a function by a bit that is not below its first one.
    pub(crate) fn halves(&self, node: Node, level: u32) -> (Node, Node) {
        let row = self.row(node);
        if row.level == level {
            return (Node(row.low), Node(row.high));
        }
        (node, node)
    }

    /// The first bit a function depends on; answers lie below every bit.
    pub(crate) fn level(&self, node: Node) -> u32 {
        self.row(node).level
    }

    /// How many nodes were made, as a measure of the work.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// A test of one bit, which must come before those of both halves.
    pub(crate) fn test(&mut self, level: u32, low: Node, high: Node) -> Bounded<Node> {
        if low == high {
            return Ok(low);
        }
        self.intern(Row { level, low: low.0, high: high.0 })
    }

    fn intern(&mut self, row: Row) -> Bounded<Node> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = mix(row.level, row.low, row.high) & mask;
        while let Some(taken) = self.slots.get(place).and_then(|one| one.checked_sub(1))
        {
            if self.row(Node(taken)) == row {
                return Ok(Node(taken));
            }
            place = place.wrapping_add(1) & mask;
        }
        if self.rows.len() >= self.budget.nodes {
            return Err(OverBudget);
        }
        let node = u32::try_from(self.rows.len()).map_err(|_| OverBudget)?;
        self.rows.push(row);
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = node.saturating_add(1);
        }
        if self.rows.len().saturating_mul(2) > self.slots.len() {
            self.grow();
        }
        Ok(Node(node))
    }

    /// Doubles the index, and the memo with it, so that both stay sparse.
    fn grow(&mut self) {
        let length = self.slots.len().saturating_mul(2);
        let mask = length.wrapping_sub(1);
        let mut slots = vec![0; length];
        for (one_more, row) in (1_u32..).zip(&self.rows) {
            let mut place = mix(row.level, row.low, row.high) & mask;
            while slots.get(place).map_or(false, |slot| *slot != 0) {
                place = place.wrapping_add(1) & mask;
            }
            if let Some(slot) = slots.get_mut(place) {
                *slot = one_more;
            }
        }
        self.slots = slots;
        self.memo = vec![[0; 4]; length / SLOTS_A_MEMO];
    }

    // A node of another store would panic here, which refuses the program; the
    // alternative, some row in its stead, could accept it.
    #[allow(clippy::indexing_slicing)]
    fn row(&self, node: Node) -> Row {
        self.rows[usize::try_from(node.0).unwrap_or(usize::MAX)]
    }
}

/// Spreads three numbers; the other multipliers are of no meaning either.
fn mix(a: u32, b: u32, c: u32) -> usize {
    let mixed = u64::from(a).wrapping_mul(SPREAD)
        ^ u64::from(b).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ u64::from(c).wrapping_mul(0x1656_67b1_9e37_79f9);
    usize::try_from(mixed >> 29 & 0xffff_ffff).unwrap_or(0)
}

#[cfg(test)]
mod tests;
