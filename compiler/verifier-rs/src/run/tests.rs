// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares running on all calls at once with running on one after the other.

use super::{answers, Unprovable};
use crate::bdd::Store;
use crate::concrete::{self, Call};
use crate::order::{bit, Groups, Order, WORDS};
use crate::program::{decode, Insn};
use crate::traces;
use crate::word::value_of;
use std::collections::BTreeSet;

/// A plain generator: programs and calls must be the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len().try_into().unwrap())).unwrap()]
    }

    /// Values near each other and near limits, so that comparisons go both ways.
    fn value(&mut self) -> u32 {
        let near = self.one_of(&[0, 5, 7, 1 << 16, 1 << 31, u32::MAX]);
        near.wrapping_add(self.below(3)).wrapping_sub(1)
    }
}

fn raw(code: u16, jt: u32, jf: u32, k: u32) -> Vec<u8> {
    let [low, high] = code.to_le_bytes();
    let mut bytes = vec![low, high, jt.try_into().unwrap(), jf.try_into().unwrap()];
    bytes.extend(k.to_le_bytes());
    bytes
}

const CHEAP: &[u16] = &[0x04, 0x14, 0x44, 0x54, 0xa4, 0x64, 0x74, 0x84];
const BY_INDEX: &[u16] = &[0x0c, 0x1c, 0x4c, 0x5c, 0xac];
const DEAR: &[u16] = &[0x24, 0x34];
const BRANCHES: &[u16] = &[0x15, 0x25, 0x35, 0x45, 0x1d, 0x2d, 0x3d, 0x4d];

/// A program of a few words, which reads registers and scratch after setting them.
fn program(chance: &mut Chance) -> (Vec<u8>, Vec<(u32, u32)>) {
    let words = [0, 4, 16, 20, 24];
    let mut insns = vec![
        raw(0x20, 0, 0, chance.one_of(&words)),
        raw(0x07, 0, 0, 0),
        raw(0x02, 0, 0, 3),
        raw(0x20, 0, 0, chance.one_of(&words)),
    ];
    let mut relocations = Vec::new();
    let length = chance.below(12) + 3;
    for at in 0..length {
        let behind = length - at;
        insns.push(match chance.below(12) {
            0 | 1 => raw(0x20, 0, 0, chance.one_of(&words)),
            2 | 3 => raw(chance.one_of(CHEAP), 0, 0, chance.below(31) + 1),
            4 => raw(chance.one_of(BY_INDEX), 0, 0, 0),
            5 => raw(chance.one_of(&[0x07, 0x87, 0x00, 0x01, 0x80, 0x81]), 0, 0, 7),
            6 => raw(chance.one_of(&[0x02, 0x03, 0x60, 0x61]), 0, 0, 3),
            7 if chance.below(4) == 0 => raw(chance.one_of(DEAR), 0, 0, 3),
            8 => {
                relocations.push((u32::try_from(insns.len()).unwrap(), 1));
                raw(0x15, chance.below(behind), chance.below(behind), 0x7fff_ffff)
            }
            _ => raw(
                chance.one_of(BRANCHES),
                chance.below(behind),
                chance.below(behind),
                chance.value(),
            ),
        });
    }
    insns.push(raw(0x15, 0, 1, 7));
    insns.push(raw(chance.one_of(&[0x06, 0x16]), 0, 0, 5));
    insns.push(raw(0x06, 0, 0, 6));
    (insns.concat(), relocations)
}

fn call(chance: &mut Chance) -> Call {
    let mut call = [0; WORDS];
    for word in &mut call {
        *word = chance.value();
    }
    call
}

fn symbolic(
    insns: &[Insn],
    expected: &BTreeSet<u32>,
) -> Option<(Store, Order, crate::bdd::Node)> {
    let mut groups = Groups::new();
    traces::join(insns, &mut groups);
    let order = Order::new(&groups);
    let mut store = Store::small();
    match answers(&mut store, &order, insns, expected) {
        Ok(node) => Some((store, order, node)),
        Err(Unprovable::Budget) => None,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn all_calls_at_once_are_each_call_alone() {
    let mut chance = Chance(20_261_129);
    let expected = BTreeSet::from([0, 5, 6, 7, 8, u32::MAX]);
    let (mut ran, mut gave_up) = (0, 0);
    for _ in 0..1500 {
        let (bytes, relocations) = program(&mut chance);
        let insns = match decode(&bytes, &relocations) {
            Ok(insns) => insns,
            Err(why) => {
                assert!(why.contains("no path"), "{why}");
                continue;
            }
        };
        let (store, order, node) = match symbolic(&insns, &expected) {
            Some(found) => found,
            None => {
                gave_up += 1;
                continue;
            }
        };
        for _ in 0..100 {
            let call = call(&mut chance);
            let set = |level: u32| {
                let (word, at) = order.place_of(level);
                call[word] & bit(at) != 0
            };
            let mut want = concrete::run(&insns, &call).unwrap();
            if !expected.contains(&want) {
                want = u32::MAX - 1;
            }
            assert_eq!(value_of(&store, node, &set), want, "{insns:?} {call:x?}");
        }
        ran += 1;
    }
    assert!(ran > 300 && gave_up < 20, "{ran} {gave_up}");
}

#[test]
fn arithmetic_is_that_of_the_kernel() {
    let expected: BTreeSet<u32> =
        [3, 6, 11, 35, 0x8000_0000, 0x7fff_fffc, 0xffff_fff9, 1].into();
    let cases: &[(u16, u32, u32, u32)] = &[
        (0x04, 0xffff_ffff, 7, 6),
        (0x14, 0, 7, 0xffff_fff9),
        (0x24, 5, 7, 35),
        (0x34, 79, 7, 11),
        (0x34, 0xffff_ffff, 0xffff_ffff, 1),
        (0x34, 0xffff_fffe, 0x8000_0001, 1),
        (0x44, 1, 2, 3),
        (0x54, 7, 11, 3),
        (0x64, 1, 31, 0x8000_0000),
        (0x74, 0xffff_fff0, 2, 0x3fff_fffc),
        (0x84, 7, 0, 0xffff_fff9),
        (0xa4, 5, 3, 6),
    ];
    for (code, left, right, want) in cases {
        let bytes = [raw(0x20, 0, 0, 16), raw(*code, 0, 0, *right), raw(0x16, 0, 0, 0)];
        let insns = decode(&bytes.concat(), &[]).unwrap();
        let (store, order, node) = symbolic(&insns, &expected).unwrap();
        let set = |level: u32| {
            let (word, at) = order.place_of(level);
            word == 4 && left & bit(at) != 0
        };
        let want = if expected.contains(want) { *want } else { u32::MAX };
        assert_eq!(value_of(&store, node, &set), want, "{code:#x} {left:#x}");
    }
}

#[test]
fn what_kernels_compute_differently_is_not_provable() {
    for code in [0x3c, 0x6c, 0x7c] {
        let bytes = [
            raw(0x20, 0, 0, 16),
            raw(0x07, 0, 0, 0),
            raw(code, 0, 0, 0),
            raw(0x16, 0, 0, 0),
        ];
        let insns = decode(&bytes.concat(), &[]).unwrap();
        let order = Order::new(&Groups::new());
        let found = answers(&mut Store::small(), &order, &insns, &BTreeSet::new());
        assert!(matches!(found, Err(Unprovable::Instruction(2, _))), "{found:?}");
    }
}

#[test]
fn comparing_two_arguments_is_cheap() {
    let bytes = [
        raw(0x20, 0, 0, 16),
        raw(0x07, 0, 0, 0),
        raw(0x20, 0, 0, 32),
        raw(0x2d, 0, 1, 0),
        raw(0x06, 0, 0, 1),
        raw(0x06, 0, 0, 0),
    ];
    let insns = decode(&bytes.concat(), &[]).unwrap();
    let (store, _, _) = symbolic(&insns, &BTreeSet::new()).unwrap();
    assert!(store.size() < 500, "{}", store.size());
}
