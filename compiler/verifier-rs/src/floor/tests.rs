// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that the floor holds, and that it names what is below it.

use super::{floor, lets_through, Finding};
use crate::order::{high_word, NUMBER};

type Raw = (u16, u8, u8, u32);

const X86_64: u32 = 0xc000_003e;
const AARCH64: u32 = 0xc000_00b7;
const ALLOW: Raw = (0x06, 0, 0, 0x7fff_0000);
const DENY: Raw = (0x06, 0, 0, 0x0005_0001);

fn judged(insns: &[Raw], arch: u32) -> Finding {
    let mut raw = Vec::new();
    for (code, jt, jf, k) in insns {
        raw.extend(code.to_le_bytes());
        raw.extend([*jt, *jf]);
        raw.extend(k.to_le_bytes());
    }
    floor(&raw, &[], arch, 0)
}

/// Allows one number of `x86_64`, after further instructions, and refuses the rest.
fn allowing(number: u32, tests: &[Raw]) -> Finding {
    let skip = u8::try_from(tests.len() + 1).unwrap();
    let dispatch = [
        (0x20, 0, 0, 4),
        (0x15, 0, skip + 2, X86_64),
        (0x20, 0, 0, 0),
        (0x15, 0, skip, number),
    ];
    judged(&[&dispatch, tests, &[ALLOW, DENY]].concat(), X86_64)
}

fn broken(finding: Finding) -> (u32, String) {
    match finding {
        Finding::Broken(found, why) => (found.words[NUMBER], why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn refusing_everything_is_above_the_floor() {
    assert_eq!(judged(&[DENY], X86_64), Finding::Holds);
    assert_eq!(judged(&[DENY], AARCH64), Finding::Holds);
    assert_eq!(judged(&[(0x06, 0, 0, 0x8000_0000)], X86_64), Finding::Holds);
}

#[test]
fn what_lets_a_call_through_is_below_it() {
    for answer in [0x7fff_0000, 0x7ffc_0000, 0x7ff0_0000, 0x7fc0_0000, 0x0005_0000] {
        assert!(lets_through(answer));
        broken(judged(&[(0x06, 0, 0, answer)], X86_64));
    }
}

#[test]
fn calls_may_be_allowed_one_by_one() {
    assert_eq!(allowing(0, &[]), Finding::Holds);
    assert_eq!(allowing(471, &[]), Finding::Holds);
    for (number, name) in [(435, "clone3"), (101, "ptrace"), (165, "mount")] {
        let (found, why) = broken(allowing(number, &[]));
        assert_eq!(found, number);
        assert!(why.contains(name), "{why}");
    }
    for (number, kind) in [(337, "without a call"), (472, "above"), (1 << 30, "above")]
    {
        let (found, why) = broken(allowing(number, &[]));
        assert_eq!(found, number);
        assert!(why.contains(kind), "{why}");
    }
}

#[test]
fn other_architectures_are_refused() {
    let insns = [(0x20, 0, 0, 0), (0x15, 0, 1, 39), ALLOW, DENY];
    let (_, why) = broken(judged(&insns, X86_64));
    assert!(why.contains("another architecture"), "{why}");
    let unknown = judged(&[DENY], 0x4000_0003);
    assert!(matches!(unknown, Finding::Unprovable(_)), "{unknown:?}");
}

#[test]
fn conditions_are_those_of_the_arguments() {
    // `ioctl` without its requests; the program refuses too little.
    let (found, why) = broken(allowing(16, &[]));
    assert_eq!(found, 16);
    assert!(why.contains("this call of `ioctl`"), "{why}");
    // `renameat2` without whiteouts, by the low word: the kernel drops the other.
    let low = [(0x20, 0, 0, 48), (0x45, 1, 0, 4)];
    assert_eq!(allowing(316, &low), Finding::Holds);
    // Any bit of the other word refuses as well: below no rule, but a wrong width.
    let both = [(0x20, 0, 0, 48), (0x45, 3, 0, 4), (0x20, 0, 0, 52), (0x45, 1, 0, !0)];
    match allowing(316, &both) {
        Finding::Broken(found, why) => {
            assert_eq!(found.words[high_word(4)], 1);
            assert_eq!((found.claimed, found.actual), (ALLOW.3, DENY.3));
            assert!(why.contains("`renameat2` has 32 bits in argument 4"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn pointers_are_wide() {
    // `utimensat` by descriptor only: both words of the path must be zero.
    let both = [(0x20, 0, 0, 24), (0x15, 0, 3, 0), (0x20, 0, 0, 28), (0x15, 0, 1, 0)];
    assert_eq!(allowing(280, &both), Finding::Holds);
    // `prlimit64` of others: a new limit is a pointer.
    let low = [(0x20, 0, 0, 32), (0x15, 0, 1, 0)];
    let (_, why) = broken(allowing(302, &low));
    assert!(why.contains("prlimit64"), "{why}");
    let both = [(0x20, 0, 0, 32), (0x15, 0, 3, 0), (0x20, 0, 0, 36), (0x15, 0, 1, 0)];
    assert_eq!(allowing(302, &both), Finding::Holds);
}

#[test]
fn computed_answers_are_not_trusted() {
    let insns = [(0x00, 0, 0, 0x0005_0001), (0x16, 0, 0, 0)];
    assert_eq!(judged(&insns, X86_64), Finding::Holds);
    let insns = [(0x20, 0, 0, 16), (0x16, 0, 0, 0)];
    assert!(matches!(judged(&insns, X86_64), Finding::Unprovable(_)));
}

#[test]
fn a_wide_surface_opens_what_landlock_keeps_inside() {
    let raw = |number: u32| {
        let insns = [
            (0x20u16, 0u8, 0u8, 4u32),
            (0x15, 0, 3, X86_64),
            (0x20, 0, 0, 0),
            (0x15, 0, 1, number),
            ALLOW,
            DENY,
        ];
        let mut raw = Vec::new();
        for (code, jt, jf, k) in insns {
            raw.extend(code.to_le_bytes());
            raw.extend([jt, jf]);
            raw.extend(k.to_le_bytes());
        }
        raw
    };
    // ptrace and userfaultfd; bpf and perf_event_open with some arguments only;
    // process_mrelease and fanotify_init never.
    for number in [101, 323] {
        assert_eq!(floor(&raw(number), &[], X86_64, 1), Finding::Holds);
        broken(floor(&raw(number), &[], X86_64, 0));
    }
    for number in [321, 298, 448, 300] {
        broken(floor(&raw(number), &[], X86_64, 1));
    }
    assert!(matches!(floor(&raw(101), &[], X86_64, 2), Finding::Unprovable(_)));
}
