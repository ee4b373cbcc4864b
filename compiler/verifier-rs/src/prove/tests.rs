// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks verdicts on small programs and claims.

use super::{compare, prove, Verdict};
use crate::bdd::Store;
use crate::calculate::Unprovable;
use crate::order::{ARCH, NUMBER, OWN_PID};
use crate::{claim, program};

type Raw = (u16, u8, u8, u32);

const ALLOW: u32 = 0x7fff_0000;
const DENY: u32 = 0x0005_0001;
const PID: u32 = 0x7fff_ffff;

fn bytes(insns: &[Raw]) -> Vec<u8> {
    let mut raw = Vec::new();
    for (code, jt, jf, k) in insns {
        raw.extend(code.to_le_bytes());
        raw.extend([*jt, *jf]);
        raw.extend(k.to_le_bytes());
    }
    raw
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Architecture 62, number 5: refused unless the first argument's low word is the own
/// process ID. Every other number is allowed, every other architecture refused.
fn claimed() -> Vec<u8> {
    [
        words(&[0x314c_4353, DENY, 1, 1, 1, 1, 1, 0]),
        words(&[62, ALLOW, 0, 1]),
        words(&[5, 5, 0]),
        words(&[0, 1, ALLOW]),
        words(&[0, 1, DENY]),
        vec![0, 1, 1, 0],
        words(&[0, 0, 0, u32::MAX, 0]),
    ]
    .concat()
}

fn good() -> Vec<Raw> {
    vec![
        (0x20, 0, 0, 4),
        (0x15, 0, 5, 62),
        (0x20, 0, 0, 0),
        (0x15, 0, 2, 5),
        (0x20, 0, 0, 16),
        (0x15, 0, 1, PID),
        (0x06, 0, 0, ALLOW),
        (0x06, 0, 0, DENY),
    ]
}

fn verdict(insns: &[Raw]) -> Verdict {
    let own: Vec<(u32, u32)> = (0_u32..)
        .zip(insns)
        .filter(|(_, insn)| (insn.0, insn.3) == (0x15, PID))
        .map(|(index, _)| (index, 1))
        .collect();
    prove(&bytes(insns), &own, &claimed())
}

/// Changes an instruction and expects a call that is answered otherwise than claimed.
fn disagrees(index: usize, insn: Raw) -> super::Counterexample {
    let mut insns = good();
    insns[index] = insn;
    match verdict(&insns) {
        Verdict::Disagrees(found) => {
            assert_ne!(found.claimed, found.actual);
            found
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_answers_as_claimed_is_proved() {
    assert_eq!(verdict(&good()), Verdict::Proved);
}

#[test]
fn another_way_to_the_same_answers_is_proved() {
    // The number by a range, the process ID by the index register and subtraction.
    let insns = [
        (0x20, 0, 0, 4),
        (0x15, 1, 0, 62),
        (0x06, 0, 0, DENY),
        (0x20, 0, 0, 0),
        (0x25, 6, 0, 5),
        (0x35, 0, 5, 5),
        (0x20, 0, 0, 16),
        (0x04, 0, 0, 0),
        (0x15, 2, 0, PID),
        (0x00, 0, 0, DENY),
        (0x16, 0, 0, 0),
        (0x06, 0, 0, ALLOW),
    ];
    assert_eq!(verdict(&insns), Verdict::Proved);
}

#[test]
fn counterexamples_read_well() {
    let found = disagrees(3, (0x15, 0, 2, 6));
    assert_eq!(found.words[ARCH], 62);
    assert_eq!((found.words[NUMBER], found.words[OWN_PID]), (5, 1000));
    assert_eq!((found.claimed, found.actual), (DENY, ALLOW));
    let found = disagrees(1, (0x35, 0, 5, 62));
    assert_eq!((found.words[ARCH], found.claimed), (63, DENY));
    let found = disagrees(4, (0x20, 0, 0, 20));
    assert_eq!(found.words[NUMBER], 5);
    let found = disagrees(5, (0x15, 0, 1, 1000));
    assert_eq!((found.words[4], found.words[OWN_PID]), (0, 0));
}

#[test]
fn the_instruction_pointer_must_not_matter() {
    let found = disagrees(4, (0x20, 0, 0, 8));
    assert_eq!(found.words[NUMBER], 5);
}

#[test]
fn computed_answers_are_compared_exactly() {
    let mut insns = good();
    insns.truncate(6);
    insns[5] = (0x16, 0, 0, 0);
    insns[1].2 = 3;
    insns[3].2 = 1;
    // Returns the argument: wrong for all but one of its values.
    assert!(matches!(verdict(&insns), Verdict::Disagrees(_)));
}

#[test]
fn claims_and_programs_are_judged_before() {
    let good = bytes(&good());
    let mut cut = claimed();
    cut.pop();
    let ends_early = Verdict::Malformed("the claim ends early".to_owned());
    assert_eq!(prove(&good, &[(5, 1)], &cut), ends_early);
    let without = "instruction 5 has a placeholder without relocation".to_owned();
    assert_eq!(prove(&good, &[], &claimed()), Verdict::Unprovable(without));
    let odd = Verdict::Unprovable(
        "instruction 0 63 bytes are no whole number of instructions".to_owned(),
    );
    assert_eq!(prove(&good[1..], &[(5, 1)], &claimed()), odd);
}

#[test]
fn a_broken_program_gets_a_counterexample_where_there_is_one() {
    // The load of the argument is never reached.
    let found = disagrees(3, (0x15, 1, 2, 5));
    assert_eq!(found.words[NUMBER], 5);
}

#[test]
fn what_takes_too_much_is_never_proved() {
    // A square of the argument has no small function, and no call near a border shows
    // that the answers differ from the claimed ones.
    let mut insns = good();
    insns.splice(
        4..5,
        [
            (0x20, 0, 0, 16),
            (0x07, 0, 0, 0),
            (0x2c, 0, 0, 0),
            (0x15, 0, 1, 0x1234_5679),
            (0x06, 0, 0, 0x7ffc_0000),
            (0x87, 0, 0, 0),
        ],
    );
    insns[1].2 = 10;
    insns[3].2 = 7;
    let insns = program::decode(&bytes(&insns), &[(10, 1)]).unwrap();
    let claim = claim::decode(&claimed()).unwrap();
    assert_eq!(compare(&insns, &claim, Store::small()), Err(Unprovable::Budget));
}
