// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Holds a program to what every policy refuses, whatever a claim says.
//!
//! The list is written again here, with numbers from a second source, so that a slip in
//! the compiler's rules, tables or claim cannot open what must stay closed. It also
//! finds tests that look at more of an argument than the kernel does: bits that the
//! kernel drops let a caller pass such a test.

use std::collections::HashMap;

use crate::bdd::{Bounded, Node, NodeMap, Shape, Store, FALSE, TRUE};
use crate::claim::Test;
use crate::floor_rules::rules;
use crate::linux_calls::{Call, CALLS, HIGHEST, NONE};
use crate::meaning::{self, bits, select, Segment};
use crate::order::{self, high_word, low_word, Groups, Order, ARCH, NUMBER, OWN_PID};
use crate::program::{self, Insn, Relocation};
use crate::prove::{difference, Counterexample};
use crate::run::{self, Unprovable};
use crate::traces;

/// What the floor says of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Holds,
    Broken(Counterexample, String),
    /// Nothing could be found out, and why.
    Unprovable(String),
}

/// Judges a program for one architecture, named as the kernel's audit does.
pub(crate) fn floor(
    program: &[u8],
    relocations: &[Relocation],
    audit_arch: u32,
) -> Finding {
    let unknown = || format!("no floor is known for architecture {audit_arch:#010x}");
    numbers(audit_arch)
        .ok_or_else(unknown)
        .and_then(|calls| {
            let insns = program::decode(program, relocations)?;
            judge(&insns, audit_arch, &calls).map_err(|why| why.to_string())
        })
        .unwrap_or_else(Finding::Unprovable)
}

/// The calls of an architecture, by number.
fn numbers(audit_arch: u32) -> Option<Vec<(u32, &'static Call)>> {
    let number: fn(&Call) -> u32 = match audit_arch {
        0xc000_003e => |call| call.1,
        0xc000_00b7 => |call| call.2,
        _ => return None,
    };
    let mut calls: Vec<(u32, &Call)> =
        CALLS.iter().map(|call| (number(call), call)).collect();
    calls.retain(|(number, _)| *number != NONE);
    calls.sort_unstable();
    Some(calls)
}

fn judge(
    insns: &[Insn],
    audit_arch: u32,
    calls: &[(u32, &Call)],
) -> Result<Finding, Unprovable> {
    let mut groups = Groups::new();
    // One rule of the floor compares this argument with the own process ID.
    groups.join(order::bit(low_word(0)) | order::bit(OWN_PID));
    traces::join(insns, &mut groups);
    let order = Order::new(&groups);
    let mut store = Store::new();
    let actual = run::answers(&mut store, &order, insns)?;
    let refused = must_refuse(&mut store, &order, audit_arch, calls)?;
    let open = store.answers_that(actual, &lets_through)?;
    let broken = store.and(refused, open)?;
    if broken != FALSE {
        let arches = [audit_arch];
        let mut found = difference(&mut store, &order, FALSE, broken, &arches)?;
        found.actual = answer(&store, &order, actual, &found);
        let why = describe(&found, audit_arch, calls);
        return Ok(Finding::Broken(found, why));
    }
    Ok(widths(&mut store, &order, actual, audit_arch, calls)?)
}

/// Whether an action of seccomp lets a call happen, or make it look as if it had.
///
/// TRACE, `USER_NOTIF` and LOG do or may; so does an ERRNO of zero, which is success.
fn lets_through(action: u32) -> bool {
    let [low, high, kind @ ..] = action.to_le_bytes();
    match u16::from_le_bytes(kind) {
        0x8000 | 0x0000 | 0x0003 => false, // kill the process or thread; trap
        0x0005 => (low, high) == (0, 0),
        _ => true,
    }
}

/// The calls that every policy refuses.
fn must_refuse(
    store: &mut Store,
    order: &Order,
    audit_arch: u32,
    calls: &[(u32, &Call)],
) -> Bounded<Node> {
    let mut refused: HashMap<&str, Node> = HashMap::new();
    for (names, tests) in rules() {
        let all = all_hold(store, order, &tests)?;
        for name in names.split_ascii_whitespace() {
            let earlier = refused.get(name).copied().unwrap_or(FALSE);
            refused.insert(name, store.or(all, earlier)?);
        }
    }
    let segments: Vec<Segment> = calls
        .iter()
        .map(|(number, call)| (number, refused.get(call.0).copied().unwrap_or(FALSE)))
        .map(|(number, node)| (u64::from(*number), u64::from(*number), node))
        .collect();
    // What has no name is refused: gaps, what later kernels add, x32, and -1.
    let number = select(store, &bits(order, NUMBER), &segments, TRUE)?;
    let native = [(u64::from(audit_arch), u64::from(audit_arch), number)];
    select(store, &bits(order, ARCH), &native, TRUE)
}

fn all_hold(store: &mut Store, order: &Order, tests: &[Test]) -> Bounded<Node> {
    let mut all = TRUE;
    for test in tests.iter().rev() {
        let holds = meaning::test(store, order, test)?;
        all = store.and(holds, all)?;
    }
    Ok(all)
}

/// Looks for answers that depend on the high word of a 32-bit argument.
fn widths(
    store: &mut Store,
    order: &Order,
    actual: Node,
    audit_arch: u32,
    calls: &[(u32, &Call)],
) -> Bounded<Finding> {
    let mut seen = NodeMap::default();
    for (number, call) in calls.iter().filter(|(_, call)| call.3 != 0) {
        let here = |level: u32| match order.place_of(level) {
            (ARCH, bit) => Some(audit_arch & order::bit(bit) != 0),
            (NUMBER, bit) => Some(number & order::bit(bit) != 0),
            _ => None,
        };
        let answers = descend(store, order, actual, &mut seen, &here)?;
        let used = words(store, order, answers, &mut seen);
        for argument in 0..order::ARGUMENTS {
            let narrow = u32::from(call.3) & order::bit(argument) != 0;
            if narrow && used & order::bit(high_word(argument)) != 0 {
                let cut = |level: u32| match order.place_of(level) {
                    (word, _) if word == high_word(argument) => Some(false),
                    _ => None,
                };
                let cut = store.restrict(answers, &cut)?;
                let mut found = difference(store, order, cut, answers, &[audit_arch])?;
                if let Some(slot) = found.words.get_mut(NUMBER) {
                    *slot = *number;
                }
                let why = format!(
                    "`{}` takes 32 bits of argument {argument}, but the program looks \
                     at the others",
                    call.0
                );
                return Ok(Finding::Broken(found, why));
            }
        }
    }
    Ok(Finding::Holds)
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

fn answer(store: &Store, order: &Order, mut node: Node, at: &Counterexample) -> u32 {
    loop {
        match store.shape(node) {
            Shape::Answer(value) => return value,
            Shape::Test { level, low, high } => {
                let (word, bit) = order.place_of(level);
                let value = at.words.get(word).copied().unwrap_or(0);
                node = if value & order::bit(bit) == 0 { low } else { high };
            }
        }
    }
}

fn describe(found: &Counterexample, audit_arch: u32, calls: &[(u32, &Call)]) -> String {
    let [number, arch, ..] = found.words;
    let what = match calls.iter().find(|(known, _)| *known == number) {
        _ if arch != audit_arch => "a call of another architecture".to_owned(),
        Some((_, call)) => format!("this call of `{}`", call.0),
        None if number > HIGHEST => "a number above all calls".to_owned(),
        None => "a number without a call".to_owned(),
    };
    format!("{what} is refused under every policy, but the program lets it through")
}
