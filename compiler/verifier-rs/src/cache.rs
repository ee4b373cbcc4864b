// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Says for which calls the kernel will skip a program, knowing it allows them.
//!
//! Follows `seccomp_is_const_allow` step by step: the kernel runs the program once for
//! every number with the architecture known and everything else unknown. Its own
//! exceptions for uprobes, which no program can influence, are left out.

use crate::program::{self, Arithmetic, Insn, Operand, Operation, Test};

const ALLOW: u32 = 0x7fff_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;

/// Whether the kernel will let a call pass by its bitmap alone.
pub(crate) fn is_constant_allow(insns: &[Insn], audit_arch: u32, number: u32) -> bool {
    let mut value = 0;
    let mut at = 0_usize;
    while let Some(insn) = insns.get(at) {
        let skip = match insn.operation {
            Operation::LoadData(OFFSET_NUMBER) => {
                value = number;
                0
            }
            Operation::LoadData(OFFSET_ARCH) => {
                value = audit_arch;
                0
            }
            Operation::Return(action) => return action == ALLOW,
            Operation::Skip(by) => usize::try_from(by).unwrap_or(usize::MAX),
            Operation::Branch(test, Operand::Constant(k)) => {
                let taken = match test {
                    Test::Equal => value == k,
                    Test::Greater => value > k,
                    Test::AtLeast => value >= k,
                    Test::AnyBit => value & k != 0,
                };
                usize::from(if taken { insn.jt } else { insn.jf })
            }
            Operation::Calculate(Arithmetic::And, Operand::Constant(k)) => {
                value &= k;
                0
            }
            _ => return false,
        };
        at = at.saturating_add(1).saturating_add(skip);
    }
    false
}

/// Marks the numbers below eight times the map's length, lowest bit first.
pub(crate) fn mark(
    program: &[u8],
    audit_arch: u32,
    map: &mut [u8],
) -> Result<(), String> {
    let insns = program::decode_as_it_is(program)?;
    let mut number = 0_u32;
    for byte in map {
        *byte = 0;
        for bit in 0..8 {
            if is_constant_allow(&insns, audit_arch, number) {
                *byte |= 1_u8.wrapping_shl(bit);
            }
            number = number.saturating_add(1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::mark;

    type Raw = (u16, u8, u8, u32);

    const ALLOW: Raw = (0x06, 0, 0, 0x7fff_0000);
    const DENY: Raw = (0x06, 0, 0, 0x0005_0001);
    const ARCH: Raw = (0x20, 0, 0, 4);
    const NUMBER: Raw = (0x20, 0, 0, 0);

    fn marked(insns: &[Raw]) -> Vec<u32> {
        let mut raw = Vec::new();
        for (code, jt, jf, k) in insns {
            raw.extend(code.to_le_bytes());
            raw.extend([*jt, *jf]);
            raw.extend(k.to_le_bytes());
        }
        let mut map = [0xff; 2];
        mark(&raw, 62, &mut map).unwrap();
        let bit = |number: &u32| {
            map[usize::try_from(*number / 8).unwrap()] >> (number % 8) & 1 == 1
        };
        (0..16).filter(bit).collect()
    }

    #[test]
    fn number_and_architecture_are_known() {
        let after_arch = [ARCH, (0x15, 1, 0, 62), DENY, NUMBER, (0x25, 0, 1, 12)];
        assert_eq!(marked(&[&after_arch[..], &[ALLOW, DENY]].concat()), [13, 14, 15]);
        assert!(marked(&[ARCH, (0x15, 0, 1, 63), ALLOW, DENY]).is_empty());
        let masked = [NUMBER, (0x54, 0, 0, 7), (0x15, 0, 1, 3), ALLOW, DENY];
        assert_eq!(marked(&masked), [3, 11]);
        let at_least = [NUMBER, (0x35, 0, 1, 14), ALLOW, DENY];
        assert_eq!(marked(&at_least), [14, 15]);
        let any_bit = [NUMBER, (0x45, 0, 2, 12), (0x05, 0, 0, 0), ALLOW, DENY];
        assert_eq!(marked(&any_bit).len(), 12);
    }

    #[test]
    fn what_the_kernel_does_not_follow_is_not_marked() {
        let all: Vec<u32> = (0..16).collect();
        assert_eq!(marked(&[ALLOW]), all);
        assert!(marked(&[(0x06, 0, 0, 0x7ffc_0000)]).is_empty());
        for step in [
            (0x20, 0, 0, 16), // an argument
            (0x20, 0, 0, 8),  // the instruction pointer
            (0x00, 0, 0, 1),  // a constant
            (0x80, 0, 0, 0),  // the length
            (0x01, 0, 0, 1),  // the index register
            (0x44, 0, 0, 0),  // arithmetic other than AND
            (0x02, 0, 0, 0),  // scratch
            (0x07, 0, 0, 0),  // TAX
        ] {
            assert!(marked(&[NUMBER, step, ALLOW]).is_empty(), "{step:?}");
        }
        assert!(marked(&[(0x00, 0, 0, 0x7fff_0000), (0x16, 0, 0, 0)]).is_empty());
        let by_index = [NUMBER, (0x07, 0, 0, 0), (0x1d, 0, 0, 0), ALLOW];
        assert!(marked(&by_index).is_empty());
    }
}
