// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns a claim into the function from a call's bits to the answer it claims.

use crate::bdd::{Bounded, Node, Store, FALSE, TRUE};
use crate::claim::{Arch, Claim, List, Test};
use crate::order::{self, high_word, low_word, Order, ARCH, NUMBER, OWN_PID};
use crate::word;

/// Values from the first to the second, both included, and what they lead to.
pub(crate) type Segment = (u64, u64, Node);

/// Groups that a claim's tests of the own process ID make.
pub(crate) fn join(claim: &Claim, groups: &mut order::Groups) {
    let rules = claim.lists.iter().flat_map(|list| &list.rules);
    for test in rules.flat_map(|rule| &rule.tests).filter(|test| test.own_pid) {
        groups.join(order::bit(low_word(test.argument)) | order::bit(OWN_PID));
    }
}

/// The function of a whole claim.
pub(crate) fn answers(
    store: &mut Store,
    order: &Order,
    claim: &Claim,
) -> Bounded<Node> {
    let mut lists = Vec::with_capacity(claim.lists.len());
    for entry in &claim.lists {
        lists.push(list(store, order, entry)?);
    }
    let mut segments = Vec::with_capacity(claim.arches.len());
    for entry in &claim.arches {
        let audit = u64::from(entry.audit);
        segments.push((audit, audit, arch(store, order, entry, &lists)?));
    }
    let other = store.answer(claim.other)?;
    select(store, &bits(order, ARCH), &segments, other)
}

fn arch(
    store: &mut Store,
    order: &Order,
    arch: &Arch,
    lists: &[Node],
) -> Bounded<Node> {
    let mut segments = Vec::with_capacity(arch.spans.len());
    for (low, high, list) in &arch.spans {
        // The decoder has checked the index.
        if let Some(node) = lists.get(*list) {
            segments.push((u64::from(*low), u64::from(*high), *node));
        }
    }
    let other = store.answer(arch.other)?;
    select(store, &bits(order, NUMBER), &segments, other)
}

fn list(store: &mut Store, order: &Order, list: &List) -> Bounded<Node> {
    let mut node = store.answer(list.other)?;
    for rule in list.rules.iter().rev() {
        let mut all = TRUE;
        for entry in rule.tests.iter().rev() {
            let holds = test(store, order, entry)?;
            all = store.and(holds, all)?;
        }
        let action = store.answer(rule.action)?;
        node = store.choose(all, action, node)?;
    }
    Ok(node)
}

/// Whether one test holds.
pub(crate) fn test(store: &mut Store, order: &Order, test: &Test) -> Bounded<Node> {
    let mut levels = bits(order, high_word(test.argument));
    levels.extend(bits(order, low_word(test.argument)));
    let kept = |at: usize| {
        63_usize.checked_sub(at).map_or(false, |bit| test.mask >> bit & 1 == 1)
    };
    let masked: Vec<Option<u32>> = levels
        .into_iter()
        .enumerate()
        .map(|(at, level)| level.filter(|_| kept(at)))
        .collect();
    let segments: Vec<Segment> =
        test.ranges.iter().map(|(low, high)| (*low, *high, TRUE)).collect();
    let mut holds = select(store, &masked, &segments, FALSE)?;
    if test.own_pid {
        let own = is_own_pid(store, order, &masked)?;
        holds = store.or(own, holds)?;
    }
    if test.negated {
        return store.not(holds);
    }
    Ok(holds)
}

/// Whether the 64 bits, highest first, are the process ID in 64 bits.
fn is_own_pid(
    store: &mut Store,
    order: &Order,
    masked: &[Option<u32>],
) -> Bounded<Node> {
    let (mut value, mut high) = (word::ZERO, word::ZERO);
    let words = value.iter_mut().chain(high.iter_mut());
    for (bit, level) in words.zip(masked.iter().rev()) {
        if let Some(level) = level {
            *bit = store.bit(*level)?;
        }
    }
    let pid = variable(store, order, OWN_PID)?;
    let same = word::equal(store, &value, &pid)?;
    let short = word::equal(store, &high, &word::ZERO)?;
    store.and(short, same)
}

/// The word whose bits are those of the call.
pub(crate) fn variable(
    store: &mut Store,
    order: &Order,
    word: usize,
) -> Bounded<word::Word> {
    let mut bits = word::ZERO;
    for (bit, level) in bits.iter_mut().zip(order.levels(word)) {
        *bit = store.bit(level)?;
    }
    Ok(bits)
}

/// The levels of a word, highest bit first, as `select` wants them.
pub(crate) fn bits(order: &Order, word: usize) -> Vec<Option<u32>> {
    order.levels(word).iter().rev().map(|level| Some(*level)).collect()
}

/// Chooses by the value of some bits, highest first; a bit without level is zero.
///
/// The segments are sorted and apart; values in none of them lead to `other`.
pub(crate) fn select(
    store: &mut Store,
    levels: &[Option<u32>],
    segments: &[Segment],
    other: Node,
) -> Bounded<Node> {
    select_from(store, levels, 0, segments, other)
}

/// `start` is the value of the bits already chosen, in its place.
fn select_from(
    store: &mut Store,
    levels: &[Option<u32>],
    start: u64,
    segments: &[Segment],
    other: Node,
) -> Bounded<Node> {
    let width = u32::try_from(levels.len()).unwrap_or(u32::MAX);
    let end = start | !u64::MAX.checked_shl(width).unwrap_or(0);
    let from = segments.partition_point(|(_, high, _)| *high < start);
    let to = segments.partition_point(|(low, _, _)| *low <= end);
    let within = segments.get(from..to).unwrap_or(&[]);
    let (level, rest) = match (within, levels) {
        ([], _) => return Ok(other),
        ([(low, high, node)], _) if *low <= start && end <= *high => return Ok(*node),
        ([(_, _, node), ..], []) => return Ok(*node),
        (_, [level, rest @ ..]) => (level, rest),
    };
    let no = select_from(store, rest, start, within, other)?;
    let half = u32::try_from(rest.len()).ok().and_then(|by| 1_u64.checked_shl(by));
    match (level, half) {
        (Some(level), Some(half)) => {
            let yes = select_from(store, rest, start | half, within, other)?;
            let bit = store.bit(*level)?;
            store.choose(bit, yes, no)
        }
        _ => Ok(no),
    }
}

#[cfg(test)]
mod tests;
