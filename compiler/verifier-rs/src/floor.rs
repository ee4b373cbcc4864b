// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Holds a program to what every policy refuses, whatever a claim says.
//!
//! The list is written again here, with numbers from a second source, so that a slip in
//! the compiler's rules, tables or claim cannot open what must stay closed. It also
//! finds tests that look at more of an argument than the kernel does: bits that the
//! kernel drops let a caller pass such a test.

use std::collections::{BTreeSet, HashMap};

use crate::bdd::{Bounded, Node, Store, FALSE, TRUE};
use crate::calculate::Unprovable;
use crate::claim::Test;
use crate::concrete::{self, Call};
use crate::floor_rules::{rules, Rule};
use crate::linux_calls::{Row, CALLS, HIGHEST, NONE};
use crate::meaning::{self, bits, select, Segment};
use crate::order::{self, low_word, Groups, Order, ARCH, NUMBER, OWN_PID};
use crate::program::{self, Insn, Relocation};
use crate::prove::{difference, Counterexample};
use crate::run;
use crate::traces;
use crate::widths;

/// The bit of `openings` for policies with a wide kernel surface.
const WIDE_SURFACE: u32 = 1;

/// What the floor says of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Holds,
    Broken(Counterexample, String),
    /// Nothing could be found out, and why.
    Unprovable(String),
}

/// Judges a program for one architecture, named as the kernel's audit does.
///
/// `openings` tells what the policy may open; a bit that is not known opens nothing
/// and is refused.
pub(crate) fn floor(
    program: &[u8],
    relocations: &[Relocation],
    audit_arch: u32,
    openings: u32,
) -> Finding {
    if openings & !WIDE_SURFACE != 0 {
        return Finding::Unprovable(format!("unknown openings {openings:#x}"));
    }
    let unknown = || format!("no floor is known for architecture {audit_arch:#010x}");
    numbers(audit_arch)
        .ok_or_else(unknown)
        .and_then(|calls| {
            let insns = program::decode(program, relocations)?;
            let rules = rules(openings & WIDE_SURFACE != 0);
            judge(&insns, audit_arch, &calls, &rules).map_err(|why| why.to_string())
        })
        .unwrap_or_else(Finding::Unprovable)
}

/// The calls of an architecture, by number.
fn numbers(audit_arch: u32) -> Option<Vec<(u32, &'static Row)>> {
    let number: fn(&Row) -> u32 = match audit_arch {
        0xc000_003e => |call| call.1,
        0xc000_00b7 => |call| call.2,
        _ => return None,
    };
    let mut calls: Vec<(u32, &Row)> =
        CALLS.iter().map(|call| (number(call), call)).collect();
    calls.retain(|(number, _)| *number != NONE);
    calls.sort_unstable();
    Some(calls)
}

fn judge(
    insns: &[Insn],
    audit_arch: u32,
    calls: &[(u32, &Row)],
    rules: &[Rule],
) -> Result<Finding, Unprovable> {
    let mut groups = Groups::new();
    // One rule of the floor compares this argument with the own process ID.
    groups.join(order::bit(low_word(0)) | order::bit(OWN_PID));
    traces::join(insns, &mut groups);
    let order = Order::new(&groups);
    let mut store = Store::new();
    // A computed answer is all ones here, which counts as one that lets through.
    let actual = run::answers(&mut store, &order, insns, &BTreeSet::new())?;
    let refused = must_refuse(&mut store, &order, audit_arch, calls, rules)?;
    let open = store.answers_that(actual, &lets_through)?;
    let broken = store.and(refused, open)?;
    if broken != FALSE {
        let arches = [audit_arch];
        let call = difference(&mut store, &order, FALSE, broken, &arches)?;
        let why = describe(&call, audit_arch, calls);
        return Ok(shown(insns, call, 0, why, lets_through));
    }
    widths::beyond(&mut store, &order, actual, audit_arch, calls)?.map_or(
        Ok(Finding::Holds),
        |(call, cut, why)| {
            let claimed = concrete::run(insns, &cut).unwrap_or(0);
            Ok(shown(insns, call, claimed, why, |actual| actual != claimed))
        },
    )
}

/// A call below the floor, by running the program once more in the plainest way.
fn shown(
    insns: &[Insn],
    call: Call,
    claimed: u32,
    why: String,
    wrong: impl Fn(u32) -> bool,
) -> Finding {
    match concrete::run(insns, &call) {
        Some(actual) if wrong(actual) => {
            Finding::Broken(Counterexample { words: call, claimed, actual }, why)
        }
        _ => Finding::Unprovable("a computed answer may let calls through".to_owned()),
    }
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
    calls: &[(u32, &Row)],
    rules: &[Rule],
) -> Bounded<Node> {
    let mut refused: HashMap<&str, Node> = HashMap::new();
    for (names, tests) in rules {
        let all = all_hold(store, order, tests)?;
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

fn describe(found: &Call, audit_arch: u32, calls: &[(u32, &Row)]) -> String {
    let [number, arch, ..] = *found;
    let what = match calls.iter().find(|(known, _)| *known == number) {
        _ if arch != audit_arch => "a call of another architecture".to_owned(),
        Some((_, call)) => format!("this call of `{}`", call.0),
        None if number > HIGHEST => "a number above all calls".to_owned(),
        None => "a number without a call".to_owned(),
    };
    format!("{what} is refused under every policy, but the program lets it through")
}

#[cfg(test)]
mod tests;
