// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds answers that depend on bits of an argument which the kernel drops.
//!
//! The kernel cuts an `int` to 32 bits after the filter has seen 64, so a test of all
//! of them can be passed by setting a bit that does nothing.

use crate::bdd::{Bounded, Node, NodeMap, Shape, Store};
use crate::concrete::Call;
use crate::linux_calls::Row;
use crate::order::{self, high_word, Order, ARCH, ARGUMENTS, NUMBER};
use crate::prove::difference;

/// A call, the same one without the bits that the kernel drops, and what is wrong.
pub(crate) type Beyond = (Call, Call, String);

/// Finds two calls that are one to the kernel and not to the program.
pub(crate) fn beyond(
    store: &mut Store,
    order: &Order,
    actual: Node,
    audit_arch: u32,
    calls: &[(u32, &Row)],
) -> Bounded<Option<Beyond>> {
    let mut seen = NodeMap::default();
    for (number, (name, _, _, narrow)) in calls {
        let here = |level: u32| match order.place_of(level) {
            (ARCH, bit) => Some(audit_arch & order::bit(bit) != 0),
            (NUMBER, bit) => Some(number & order::bit(bit) != 0),
            _ => None,
        };
        let answers = descend(store, order, actual, &mut seen, &here)?;
        let used = words(store, order, answers, &mut seen);
        let too_wide = |argument: &usize| {
            u32::from(*narrow) & order::bit(*argument) != 0
                && used & order::bit(high_word(*argument)) != 0
        };
        if let Some(argument) = (0..ARGUMENTS).find(too_wide) {
            let dropped = high_word(argument);
            let zero = |level: u32| match order.place_of(level) {
                (word, _) if word == dropped => Some(false),
                _ => None,
            };
            let without = store.restrict(answers, &zero)?;
            let mut call = difference(store, order, without, answers, &[audit_arch])?;
            set(&mut call, NUMBER, *number);
            let mut cut = call;
            set(&mut cut, dropped, 0);
            let why = format!(
                "`{name}` has 32 bits in argument {argument}, but the program looks at \
                 more"
            );
            return Ok(Some((call, cut, why)));
        }
    }
    Ok(None)
}

fn set(call: &mut Call, word: usize, value: u32) {
    if let Some(slot) = call.get_mut(word) {
        *slot = value;
    }
}

/// Restricts, by walking alone as long as that is enough.
fn descend(
    store: &mut Store,
    order: &Order,
    mut node: Node,
    seen: &mut NodeMap<u32>,
    fixed: &dyn Fn(u32) -> Option<bool>,
) -> Bounded<Node> {
    while let Shape::Test { level, low, high } = store.shape(node) {
        match fixed(level) {
            Some(true) => node = high,
            Some(false) => node = low,
            None => break,
        }
    }
    let used = words(store, order, node, seen);
    if used & (order::bit(ARCH) | order::bit(NUMBER)) == 0 {
        return Ok(node);
    }
    store.restrict(node, fixed)
}

/// The words that a function depends on.
fn words(store: &Store, order: &Order, node: Node, seen: &mut NodeMap<u32>) -> u32 {
    if let Some(found) = seen.get(&node) {
        return *found;
    }
    let found = match store.shape(node) {
        Shape::Answer(_) => 0,
        Shape::Test { level, low, high } => {
            order::bit(order.place_of(level).0)
                | words(store, order, low, seen)
                | words(store, order, high, seen)
        }
    };
    seen.insert(node, found);
    found
}
