// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Answers single calls: by running a program, and by reading a claim.
//!
//! No proof rests on this. It says what a program does with a counterexample, and it
//! looks for one where a program cannot be proved, since a call that shows the mistake
//! says more than a budget that ran out.

use crate::claim::{Claim, Rule, Test};
use crate::order::{high_word, low_word, ARCH, NUMBER, OWN_PID, WORDS};
use crate::program::{Arithmetic, Insn, Operand, Operation, Test as Comparison};

/// A call as in `struct seccomp_data`, word by word, and the own process ID.
pub(crate) type Call = [u32; WORDS];

const DATA_BYTES: u32 = 64;

/// A program's answer to a call; none where kernels differ or the program is broken.
pub(crate) fn run(insns: &[Insn], call: &Call) -> Option<u32> {
    let (mut a, mut x, mut scratch) = (0_u32, 0_u32, [0_u32; 16]);
    let mut at = 0_usize;
    loop {
        let insn = insns.get(at)?;
        at = at.checked_add(1)?;
        let operand = |operand: Operand, x: u32| match operand {
            Operand::Constant(value) => value,
            Operand::Index => x,
            Operand::OwnPid => word(call, OWN_PID),
        };
        match insn.operation {
            Operation::LoadData(offset) if offset % 4 == 0 && offset < DATA_BYTES => {
                a = word(call, usize::try_from(offset / 4).ok()?);
            }
            Operation::LoadData(_) => return None,
            Operation::Load(value) => a = value,
            Operation::LoadLength => a = DATA_BYTES,
            Operation::LoadIndex(value) => x = value,
            Operation::LoadIndexLength => x = DATA_BYTES,
            Operation::LoadScratch(from) => a = *slot(&mut scratch, from)?,
            Operation::LoadIndexScratch(from) => x = *slot(&mut scratch, from)?,
            Operation::Store(to) => *slot(&mut scratch, to)? = a,
            Operation::StoreIndex(to) => *slot(&mut scratch, to)? = x,
            Operation::ToIndex => x = a,
            Operation::FromIndex => a = x,
            Operation::Negate => a = a.wrapping_neg(),
            Operation::Calculate(arithmetic, with) => {
                a = calculate(arithmetic, a, operand(with, x))?;
            }
            Operation::Skip(by) => at = at.checked_add(usize::try_from(by).ok()?)?,
            Operation::Branch(comparison, with) => {
                let taken = compare(comparison, a, operand(with, x));
                let by = if taken { insn.jt } else { insn.jf };
                at = at.checked_add(usize::from(by))?;
            }
            Operation::Return(value) => return Some(value),
            Operation::ReturnAccumulator => return Some(a),
        }
    }
}

fn slot(scratch: &mut [u32; 16], at: u32) -> Option<&mut u32> {
    scratch.get_mut(usize::try_from(at).ok()?)
}

fn calculate(arithmetic: Arithmetic, a: u32, b: u32) -> Option<u32> {
    match arithmetic {
        Arithmetic::Add => Some(a.wrapping_add(b)),
        Arithmetic::Subtract => Some(a.wrapping_sub(b)),
        Arithmetic::Multiply => Some(a.wrapping_mul(b)),
        Arithmetic::Divide => a.checked_div(b),
        Arithmetic::Or => Some(a | b),
        Arithmetic::And => Some(a & b),
        Arithmetic::Xor => Some(a ^ b),
        Arithmetic::ShiftLeft => a.checked_shl(b),
        Arithmetic::ShiftRight => a.checked_shr(b),
    }
}

fn compare(comparison: Comparison, a: u32, b: u32) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::Greater => a > b,
        Comparison::AtLeast => a >= b,
        Comparison::AnyBit => a & b != 0,
    }
}

fn word(call: &Call, at: usize) -> u32 {
    call.get(at).copied().unwrap_or(0)
}

fn argument(call: &Call, at: usize) -> u64 {
    let (high, low) = (word(call, high_word(at)), word(call, low_word(at)));
    u64::from(high).wrapping_shl(32) | u64::from(low)
}

/// What a claim says of a call.
pub(crate) fn claimed(claim: &Claim, call: &Call) -> u32 {
    let arch = claim.arches.iter().find(|arch| arch.audit == word(call, ARCH));
    let arch = match arch {
        Some(arch) => arch,
        None => return claim.other,
    };
    let number = word(call, NUMBER);
    let within = |(low, high, _): &&(u32, u32, usize)| (*low..=*high).contains(&number);
    let list =
        arch.spans.iter().find(within).and_then(|(_, _, at)| claim.lists.get(*at));
    list.map_or(arch.other, |list| {
        let matching = list.rules.iter().find(|rule| holds(rule, call));
        matching.map_or(list.other, |rule| rule.action)
    })
}

fn holds(rule: &Rule, call: &Call) -> bool {
    rule.tests.iter().all(|test| test_holds(test, call))
}

fn test_holds(test: &Test, call: &Call) -> bool {
    let value = argument(call, test.argument) & test.mask;
    let within = test.ranges.iter().any(|(low, high)| (*low..=*high).contains(&value));
    let own = test.own_pid && value == u64::from(word(call, OWN_PID));
    (within || own) != test.negated
}

/// Calls that a search tries before it gives up.
const MOST_TRIES: u32 = 100_000;

/// Tries calls near every border of a claim; gives one that the program answers
/// otherwise than claimed.
pub(crate) fn search(insns: &[Insn], claim: &Claim) -> Option<Call> {
    let mut search = Search { insns, claim, left: MOST_TRIES };
    for arch in &claim.arches {
        for (low, high, at) in &arch.spans {
            let rules = claim.lists.get(*at).map_or(&[][..], |list| &list.rules);
            let call = with(with([0; WORDS], ARCH, arch.audit), OWN_PID, 1000);
            for number in [low.wrapping_sub(1), high.wrapping_add(1), *high] {
                let found = search.shows(with(call, NUMBER, number));
                if found.is_some() {
                    return found;
                }
            }
            let found = search.near(with(call, NUMBER, *low), rules);
            if found.is_some() || search.left == 0 {
                return found;
            }
        }
    }
    let native =
        claim.arches.iter().map(|arch| with([u32::MAX; WORDS], ARCH, arch.audit));
    native.chain([[0; WORDS], [u32::MAX; WORDS]]).find_map(|call| search.shows(call))
}

struct Search<'a> {
    insns: &'a [Insn],
    claim: &'a Claim,
    left: u32,
}

impl Search<'_> {
    /// The call itself if the program answers it otherwise than claimed.
    fn shows(&mut self, call: Call) -> Option<Call> {
        self.left = self.left.saturating_sub(1);
        let actual = run(self.insns, &call)?;
        Some(call).filter(|call| actual != claimed(self.claim, call))
    }

    /// Tries a call and calls that satisfy a rule, each also with every argument at
    /// every border of the rules' tests.
    fn near(&mut self, call: Call, rules: &[Rule]) -> Option<Call> {
        let satisfying = rules.iter().map(|rule| satisfy(rule, call));
        for base in satisfying.chain([call]) {
            if let Some(found) = self.shows(base) {
                return Some(found);
            }
            for test in rules.iter().flat_map(|rule| &rule.tests) {
                for value in borders(test) {
                    let call = with_argument(base, test.argument, value);
                    if let Some(found) = self.shows(call) {
                        return Some(found);
                    }
                }
                if self.left == 0 {
                    return None;
                }
            }
        }
        None
    }
}

/// Changes arguments until the tests of a rule hold, or as many as can.
fn satisfy(rule: &Rule, mut call: Call) -> Call {
    for test in &rule.tests {
        let fits =
            |value: &u64| test_holds(test, &with_argument(call, test.argument, *value));
        if let Some(value) = borders(test).into_iter().find(fits) {
            call = with_argument(call, test.argument, value);
        }
    }
    call
}

fn borders(test: &Test) -> Vec<u64> {
    let mut values = vec![0, u64::MAX, test.mask, !test.mask, 1000, 1 << 32, 1 << 31];
    for (low, high) in &test.ranges {
        for value in [*low, *high, low.wrapping_sub(1), high.wrapping_add(1)] {
            values.extend([value, value | !test.mask, value ^ 1 << 32]);
        }
    }
    values
}

fn with(mut call: Call, at: usize, value: u32) -> Call {
    if let Some(word) = call.get_mut(at) {
        *word = value;
    }
    call
}

fn with_argument(call: Call, at: usize, value: u64) -> Call {
    let [b0, b1, b2, b3, b4, b5, b6, b7] = value.to_le_bytes();
    let low = with(call, low_word(at), u32::from_le_bytes([b0, b1, b2, b3]));
    with(low, high_word(at), u32::from_le_bytes([b4, b5, b6, b7]))
}
