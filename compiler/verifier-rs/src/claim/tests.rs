// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that claims arrive whole and that nothing else does.

use super::{decode, Arch, Claim, List, Rule, Test, MAGIC};

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn wide(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// One architecture, two numbers, one rule with one test of two ranges.
fn sample() -> Vec<u8> {
    [
        words(&[MAGIC, 10, 1, 2, 2, 1, 1, 2]),
        words(&[62, 11, 0, 2]),
        words(&[3, 3, 0, 5, 9, 1]),
        words(&[0, 0, 12, 0, 1, 13]),
        words(&[0, 1, 14]),
        vec![5, 1, 1, 0],
        words(&[0, 2, 0]),
        wide(&[0xff, 7, 8, 0, 6]),
    ]
    .concat()
}

#[test]
fn records_arrive_whole() {
    let test = Test {
        argument: 5,
        negated: true,
        own_pid: true,
        mask: 0xff,
        ranges: vec![(0, 8)],
    };
    let want = Claim {
        other: 10,
        arches: vec![Arch { audit: 62, other: 11, spans: vec![(3, 3, 0), (5, 9, 1)] }],
        lists: vec![
            List { rules: vec![], other: 12 },
            List { rules: vec![Rule { tests: vec![test], action: 14 }], other: 13 },
        ],
    };
    assert_eq!(decode(&sample()), Ok(want));
}

#[test]
fn every_cut_is_refused() {
    let bytes = sample();
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end]).is_err(), "{end}");
    }
    let longer = [bytes, vec![0]].concat();
    assert_eq!(decode(&longer), Err("1 bytes follow the claim".to_owned()));
}

/// Changes a word, by index, and expects a refusal that names the reason.
fn refused(at: usize, value: u32, reason: &str) {
    let mut bytes = sample();
    bytes[at * 4..at * 4 + 4].copy_from_slice(&value.to_le_bytes());
    let found = decode(&bytes).expect_err("accepted");
    assert!(found.contains(reason), "{found}");
}

#[test]
fn wrong_records_are_refused() {
    refused(0, 1, "begins with");
    for count in 2..8 {
        refused(count, u32::MAX, "ends early");
    }
    refused(10, 1, "spans are not used in order");
    refused(11, 1, "some spans are not used");
    refused(13, 2, "span from 0x3 to 0x2");
    refused(14, 2, "span from 0x3 to 0x3");
    refused(15, 3, "spans are not in order");
    refused(21, 2, "rules are not used in order");
    refused(25, u32::MAX, "tests are not used in order");
    refused(27, 6, "unknown flags");
    refused(27, 0x0000_0205, "unknown flags");
    refused(27, 0x0002_0005, "unknown flags");
    refused(27, 0x0100_0005, "unknown flags");
    refused(30, 1, "unknown flags");
    refused(33, 9, "empty");
}

#[test]
fn architectures_are_in_order() {
    let bytes = [
        words(&[MAGIC, 0, 2, 0, 0, 0, 0, 0]),
        words(&[62, 0, 0, 0]),
        words(&[62, 0, 0, 0]),
    ];
    let found = decode(&bytes.concat());
    assert_eq!(found, Err("the architectures are not in order".to_owned()));
}
