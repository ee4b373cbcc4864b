// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks diagrams against truth tables.

use super::{Budget, Node, OverBudget, Shape, Store, FALSE, TRUE};

#[test]
fn equal_functions_are_one_node() {
    let mut store = Store::new();
    let (a, b, c) =
        (store.bit(0).unwrap(), store.bit(1).unwrap(), store.bit(2).unwrap());
    // a and (b or c) = (a and b) or (a and c), built in two ways.
    let b_or_c = store.or(b, c).unwrap();
    let left = store.and(a, b_or_c).unwrap();
    let (ab, ac) = (store.and(a, b).unwrap(), store.and(a, c).unwrap());
    assert_eq!(store.or(ac, ab), Ok(left));
    let not = store.not(left).unwrap();
    assert_ne!(not, left);
    assert_eq!(store.not(not), Ok(left));
}

#[test]
fn answers_are_values() {
    let mut store = Store::new();
    assert_eq!(store.shape(FALSE), Shape::Answer(0));
    assert_eq!(store.shape(TRUE), Shape::Answer(1));
    let (allow, deny) =
        (store.answer(0x7fff_0000).unwrap(), store.answer(0x5_0001).unwrap());
    let bit = store.bit(7).unwrap();
    let node = store.choose(bit, allow, deny).unwrap();
    assert_eq!(store.shape(node), Shape::Test { level: 7, low: deny, high: allow });
    assert_eq!(store.restrict(node, &|level| Some(level == 7)), Ok(allow));
    let allowed = store.answers_that(node, &|value| value == 0x7fff_0000);
    assert_eq!(allowed, Ok(bit));
}

/// Evaluates by walking; every combination of eight bits.
fn value(store: &Store, mut node: Node, bits: u32) -> u32 {
    loop {
        match store.shape(node) {
            Shape::Answer(value) => return value,
            Shape::Test { level, low, high } => {
                node = if bits >> level & 1 == 1 { high } else { low };
            }
        }
    }
}

#[test]
fn choose_is_right_on_every_input() {
    // Random functions of eight bits, built from each other; a plain generator.
    let mut store = Store::new();
    let mut state: u64 = 42;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut truths: Vec<Node> = (0..8).map(|at| store.bit(at).unwrap()).collect();
    let mut all = truths.clone();
    all.extend((5..9).map(|at| store.answer(at).unwrap()));
    for round in 0..300 {
        let test = truths[next(truths.len())];
        let from = if round % 3 == 0 { &all } else { &truths };
        let (yes, no) = (from[next(from.len())], from[next(from.len())]);
        let made = store.choose(test, yes, no).unwrap();
        for bits in 0..256 {
            let taken = if value(&store, test, bits) == 1 { yes } else { no };
            assert_eq!(value(&store, made, bits), value(&store, taken, bits));
        }
        all.push(made);
        if round % 3 != 0 {
            truths.push(made);
        }
    }
}

#[test]
fn work_beyond_the_budget_is_an_error() {
    let mut store = with_nodes(10);
    let made: Result<Vec<Node>, OverBudget> = (0..20).map(|at| store.bit(at)).collect();
    assert_eq!(made, Err(OverBudget));
    // A parity of far-apart bits needs few nodes; a disordered equality many.
    let mut store = with_nodes(10_000);
    let mut equal = TRUE;
    let failed = (0..16).try_for_each(|at| {
        let (left, right) = (store.bit(at)?, store.bit(at + 16)?);
        let unequal = store.not(right)?;
        let same = store.choose(left, right, unequal)?;
        equal = store.and(equal, same)?;
        Ok(())
    });
    assert_eq!(failed, Err(OverBudget));
}

fn with_nodes(nodes: usize) -> Store {
    Store::with_budget(Budget { nodes, steps: 1_000_000 })
}
