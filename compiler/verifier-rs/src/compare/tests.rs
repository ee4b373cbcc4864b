// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks what the comparison finds on small programs.

use super::{compare, Change};
use crate::order::{ARCH, NUMBER, OWN_PID};

type Raw = (u16, u8, u8, u32);

const ALLOW: u32 = 0x7fff_0000;
const DENY: u32 = 0x0005_0001;
const MISSING: u32 = 0x0005_0026;
const PID: u32 = 0x7fff_ffff;
const ARCH_BASE: u64 = 62 << 32;

fn bytes(insns: &[Raw]) -> Vec<u8> {
    let mut raw = Vec::new();
    for (code, jt, jf, k) in insns {
        raw.extend(code.to_le_bytes());
        raw.extend([*jt, *jf]);
        raw.extend(k.to_le_bytes());
    }
    raw
}

fn found(old: &[Raw], new: &[Raw]) -> Result<Vec<Change>, String> {
    let own = |insns: &[Raw]| -> Vec<(u32, u32)> {
        (0_u32..)
            .zip(insns)
            .filter(|(_, insn)| insn.0 == 0x15 && insn.3 == PID)
            .map(|(at, _)| (at, 1))
            .collect()
    };
    compare((&bytes(old), &own(old)), (&bytes(new), &own(new)))
}

/// Architecture 62: numbers up to 4 are allowed, 5 only with an argument of `k`, all
/// from 6 on are missing. Every other architecture is refused.
fn program(k: u32) -> Vec<Raw> {
    vec![
        (0x20, 0, 0, 4),
        (0x15, 0, 6, 62),
        (0x20, 0, 0, 0),
        (0x35, 5, 0, 6),
        (0x15, 0, 2, 5),
        (0x20, 0, 0, 16),
        (0x15, 0, 1, k),
        (0x06, 0, 0, ALLOW),
        (0x06, 0, 0, DENY),
        (0x06, 0, 0, MISSING),
    ]
}

#[test]
fn equal_programs_have_no_changes_however_they_are_written() {
    let mut other = program(7);
    other[4] = (0x35, 0, 2, 5); // below 6 it is the same test
    assert_eq!(found(&program(7), &other), Ok(vec![]));
}

#[test]
fn both_directions_of_a_moved_value_are_found() {
    let changes = found(&program(7), &program(9)).unwrap();
    let answers: Vec<_> =
        changes.iter().map(|one| (one.shown.claimed, one.shown.actual)).collect();
    assert_eq!(answers, [(ALLOW, DENY), (DENY, ALLOW)]);
    for (change, argument) in changes.iter().zip([7, 9]) {
        assert_eq!((change.first, change.last), (ARCH_BASE | 5, ARCH_BASE | 5));
        assert_eq!(change.shown.words[4], argument);
        assert_eq!((change.shown.words[ARCH], change.shown.words[NUMBER]), (62, 5));
    }
}

#[test]
fn a_run_of_numbers_is_one_change() {
    let mut new = program(7);
    new[9] = (0x06, 0, 0, DENY);
    let changes = found(&program(7), &new).unwrap();
    let ends: Vec<_> = changes.iter().map(|one| (one.first, one.last)).collect();
    assert_eq!(ends, [(ARCH_BASE | 6, ARCH_BASE | 0xffff_ffff)]);
}

#[test]
fn a_test_of_the_own_process_is_shown_with_a_likely_one() {
    let changes = found(&program(PID), &program(7)).unwrap();
    let allowed = changes.iter().find(|one| one.shown.claimed == ALLOW).unwrap();
    assert_eq!((allowed.shown.words[4], allowed.shown.words[OWN_PID]), (1000, 1000));
}

#[test]
fn programs_that_differ_on_every_architecture_are_not_compared_in_silence() {
    let all =
        vec![(0x20, 0, 0, 0), (0x15, 0, 1, 5), (0x06, 0, 0, ALLOW), (0x06, 0, 0, DENY)];
    let mut other = all.clone();
    other[1] = (0x15, 0, 1, 6);
    assert_eq!(
        found(&all, &other),
        Err("the proof takes more than its budget".to_owned())
    );
}

#[test]
fn what_is_no_program_is_refused() {
    assert!(found(&program(7), &[(0x16, 0, 0, 0)]).is_err());
    let computed = [(0x20, 0, 0, 0), (0x16, 0, 0, 0)];
    assert_eq!(
        found(&program(7), &computed),
        Err("a program computes its answer".to_owned())
    );
}
