// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks functions of claims against the claims.

use super::{answers, bits, join, select};
use crate::bdd::{Store, FALSE, TRUE};
use crate::claim::{Arch, Claim, List, Rule, Test};
use crate::order::{low_word, Groups, Order, ARCH, NUMBER, OWN_PID};
use crate::word::value_of;

/// Reads bits from words, low and high argument words apart.
fn lookup(order: &Order, words: &[(usize, u32)], level: u32) -> bool {
    let (word, bit) = order.place_of(level);
    words.iter().any(|(at, value)| *at == word && value >> bit & 1 == 1)
}

#[test]
fn select_finds_the_segment_of_every_value() {
    let mut store = Store::new();
    let levels: Vec<Option<u32>> = (0..6).map(Some).collect();
    let segments = [(0, 0, TRUE), (5, 9, FALSE), (10, 10, TRUE), (40, 63, TRUE)];
    let other = store.answer(7).unwrap();
    let node = select(&mut store, &levels, &segments, other).unwrap();
    for value in 0..64_u64 {
        let want = match value {
            0 | 10 | 40..=63 => 1,
            5..=9 => 0,
            _ => 7,
        };
        let bit = |level: u32| value >> (5 - level) & 1 == 1;
        assert_eq!(value_of(&store, node, &bit), want, "{value}");
    }
}

#[test]
fn select_of_wide_ranges_is_small() {
    let mut store = Store::new();
    let order = Order::new(&Groups::new());
    let mut levels = bits(&order, 5);
    levels.extend(bits(&order, 4));
    let segments: Vec<(u64, u64, _)> =
        (1..100).map(|at| (at << 40 | 12345, at << 40 | 1 << 30, TRUE)).collect();
    select(&mut store, &levels, &segments, FALSE).unwrap();
    assert!(store.size() < 100 * 64, "{}", store.size());
}

#[test]
fn masked_bits_count_as_zero() {
    let mut store = Store::new();
    let levels = [Some(0), None, Some(2)];
    let node = select(&mut store, &levels, &[(2, 5, TRUE)], FALSE).unwrap();
    for value in 0..8_u64 {
        let bit = |level: u32| value >> (2 - level) & 1 == 1;
        let want = u32::from((2..=5).contains(&(value & 0b101)));
        assert_eq!(value_of(&store, node, &bit), want);
    }
}

#[test]
fn the_first_rule_that_matches_decides() {
    let test = |mask, ranges, own_pid, negated| Test {
        argument: 1,
        negated,
        own_pid,
        mask,
        ranges,
    };
    let rules = vec![
        Rule { tests: vec![test(0xff, vec![(3, 4)], false, false)], action: 20 },
        Rule {
            tests: vec![
                test(u64::MAX, vec![(0, 1 << 33)], false, false),
                test(0xffff_ffff, vec![(0, 0)], true, true),
            ],
            action: 21,
        },
    ];
    let claim = Claim {
        other: 10,
        arches: vec![Arch { audit: 62, other: 11, spans: vec![(5, 9, 0)] }],
        lists: vec![List { rules, other: 12 }],
    };
    let mut groups = Groups::new();
    join(&claim, &mut groups);
    let order = Order::new(&groups);
    let mut store = Store::new();
    let node = answers(&mut store, &order, &claim).unwrap();
    let cases = [
        (61, 5, 0_u64, 10),
        (62, 4, 0, 11),
        (62, 10, 3, 11),
        (62, 5, 3, 20),
        (62, 9, 0xffff_ff04, 20),
        (62, 9, 0, 12),
        (62, 9, 1000, 12),
        (62, 9, 1001, 21),
        (62, 9, 1 << 33, 12),
        (62, 9, 1 << 32 | 1000, 12),
        (62, 9, 1 << 32 | 1002, 21),
        (62, 9, 1 << 33 | 1002, 12),
    ];
    for (arch, number, argument, want) in cases {
        let low = u32::try_from(argument & 0xffff_ffff).unwrap();
        let high = u32::try_from(argument >> 32).unwrap();
        let at = low_word(1);
        let words = [
            (ARCH, arch),
            (NUMBER, number),
            (at, low),
            (at + 1, high),
            (OWN_PID, 1000),
        ];
        let bit = |level: u32| lookup(&order, &words, level);
        assert_eq!(value_of(&store, node, &bit), want, "{number} {argument:#x}");
    }
}

#[test]
fn the_own_pid_is_as_wide_as_the_mask() {
    let test = Test {
        argument: 0,
        negated: false,
        own_pid: true,
        mask: u64::MAX,
        ranges: vec![],
    };
    let rules = vec![Rule { tests: vec![test], action: 1 }];
    let claim = Claim {
        other: 0,
        arches: vec![Arch { audit: 1, other: 0, spans: vec![(0, u32::MAX, 0)] }],
        lists: vec![List { rules, other: 0 }],
    };
    let mut groups = Groups::new();
    join(&claim, &mut groups);
    let order = Order::new(&groups);
    let mut store = Store::new();
    let node = answers(&mut store, &order, &claim).unwrap();
    assert!(store.size() < 1000, "{}", store.size());
    for (high, want) in [(0, 1), (1, 0)] {
        let words = [(ARCH, 1), (4, 77), (5, high), (OWN_PID, 77)];
        let bit = |level: u32| lookup(&order, &words, level);
        assert_eq!(value_of(&store, node, &bit), want);
    }
}
