// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns eight raw bytes into an instruction, or says that the opcode is unknown.
//!
//! Only what seccomp allows has a name here (`seccomp_check_filter`); the opcode is
//! compared whole, so no bit of it is ever ignored.

/// Bytes of one `struct sock_filter`.
pub(crate) const SIZE: usize = 8;

/// Where an operand comes from: the constant `k` or the register X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    K,
    X,
}

/// What an instruction does, as far as the structural rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// `A = data[k]`, a word of `struct seccomp_data`.
    LoadData,
    /// `A = k`, or the length of the data.
    LoadConstant,
    /// `X = k`, or the length of the data.
    LoadIndexConstant,
    /// `A = M[k]`.
    LoadScratch,
    /// `X = M[k]`.
    LoadIndexScratch,
    /// `M[k] = A`.
    Store,
    /// `M[k] = X`.
    StoreIndex,
    /// `A = A op operand`, with nothing that a constant could break.
    Alu(Source),
    /// `A = A / operand`.
    Divide(Source),
    /// `A = A << operand` or `A >> operand`.
    Shift(Source),
    /// `A = -A`.
    Negate,
    /// `X = A`.
    ToIndex,
    /// `A = X`.
    FromIndex,
    /// Skip `k` instructions.
    Jump,
    /// Skip `jt` or `jf` instructions after comparing A with the operand.
    Branch(Source),
    /// End with `k`.
    ReturnConstant,
    /// End with A.
    ReturnAccumulator,
}

/// One decoded instruction; fields the opcode does not use are kept and ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insn {
    pub(crate) op: Op,
    pub(crate) jt: u8,
    pub(crate) jf: u8,
    pub(crate) k: u32,
}

/// Decodes one instruction; the error is the opcode that seccomp does not allow.
pub(crate) fn decode(raw: [u8; SIZE]) -> Result<Insn, u16> {
    let [code0, code1, jt, jf, k0, k1, k2, k3] = raw;
    let code = u16::from_le_bytes([code0, code1]);
    let k = u32::from_le_bytes([k0, k1, k2, k3]);
    Ok(Insn { op: operation(code)?, jt, jf, k })
}

/// Names an opcode of `<linux/bpf_common.h>`; `BPF_MOD` and half-word loads, which
/// other users of classic BPF have, are refused like unknown numbers.
fn operation(code: u16) -> Result<Op, u16> {
    Ok(match code {
        0x20 => Op::LoadData,
        0x00 | 0x80 => Op::LoadConstant,
        0x01 | 0x81 => Op::LoadIndexConstant,
        0x60 => Op::LoadScratch,
        0x61 => Op::LoadIndexScratch,
        0x02 => Op::Store,
        0x03 => Op::StoreIndex,
        // ADD, SUB, MUL, OR, AND, XOR
        0x04 | 0x14 | 0x24 | 0x44 | 0x54 | 0xa4 => Op::Alu(Source::K),
        0x0c | 0x1c | 0x2c | 0x4c | 0x5c | 0xac => Op::Alu(Source::X),
        0x34 => Op::Divide(Source::K),
        0x3c => Op::Divide(Source::X),
        // LSH, RSH
        0x64 | 0x74 => Op::Shift(Source::K),
        0x6c | 0x7c => Op::Shift(Source::X),
        0x84 => Op::Negate,
        0x07 => Op::ToIndex,
        0x87 => Op::FromIndex,
        0x05 => Op::Jump,
        // JEQ, JGT, JGE, JSET
        0x15 | 0x25 | 0x35 | 0x45 => Op::Branch(Source::K),
        0x1d | 0x2d | 0x3d | 0x4d => Op::Branch(Source::X),
        0x06 => Op::ReturnConstant,
        0x16 => Op::ReturnAccumulator,
        unknown => return Err(unknown),
    })
}

#[cfg(test)]
mod tests {
    use super::{decode, Insn, Op, Source};

    #[test]
    fn fields_are_little_endian() {
        let insn = decode([0x15, 0, 1, 2, 0x3e, 0, 0, 0xc0]);
        let want = Insn { op: Op::Branch(Source::K), jt: 1, jf: 2, k: 0xc000_003e };
        assert_eq!(insn, Ok(want));
    }

    #[test]
    fn high_opcode_byte_counts() {
        assert_eq!(decode([0x06, 1, 0, 0, 0, 0, 0, 0]), Err(0x106));
    }

    #[test]
    fn exactly_forty_one_opcodes_are_known() {
        let known = (0..=u16::MAX)
            .filter(|code| {
                let [low, high] = code.to_le_bytes();
                decode([low, high, 0, 0, 0, 0, 0, 0]).is_ok()
            })
            .count();
        // Loads and stores, ALU with K and with X, NEG, TAX and TXA, jumps, RET.
        assert_eq!(known, 9 + 9 + 9 + 1 + 2 + 9 + 2);
    }
}
