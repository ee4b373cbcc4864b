// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Follows every path of a program: what is reached, what is set, how long it takes.
//!
//! Jumps only go forward, so one pass in order sees all predecessors of an
//! instruction before it, and one pass backwards all its successors. The rules are
//! stricter than the kernel's, which accepts unreachable instructions and clears
//! both registers first: here each of the two is a sign of a compiler's mistake.

use crate::insn::{Insn, Op, Source};
use crate::structure::{parse, Refusal};

/// Which registers hold a value that the program itself put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    a: bool,
    x: bool,
}

/// Indices that can follow; none after a return.
pub(crate) fn successors(index: usize, insn: Insn) -> [Option<usize>; 2] {
    let after = |skip: usize| index.checked_add(1)?.checked_add(skip);
    match insn.op {
        Op::ReturnConstant | Op::ReturnAccumulator => [None, None],
        Op::Jump => [usize::try_from(insn.k).ok().and_then(after), None],
        Op::Branch(_) => [after(usize::from(insn.jt)), after(usize::from(insn.jf))],
        _ => [after(0), None],
    }
}

/// Refuses instructions that no path reaches and registers read before a load.
pub(crate) fn check(insns: &[Insn]) -> Result<(), Refusal> {
    let mut states: Vec<Option<Known>> = vec![None; insns.len()];
    if let Some(first) = states.first_mut() {
        *first = Some(Known { a: false, x: false });
    }
    for (index, insn) in insns.iter().enumerate() {
        let Known { a, x } =
            states.get(index).copied().flatten().ok_or_else(|| {
                Refusal::new(index, "no path reaches this instruction")
            })?;
        let (reads_a, reads_x) = reads(insn.op);
        if reads_a && !a {
            return Err(Refusal::new(index, "reads the accumulator before a load"));
        }
        if reads_x && !x {
            return Err(Refusal::new(index, "reads the index register before a load"));
        }
        let (sets_a, sets_x) = sets(insn.op);
        let known = Known { a: a || sets_a, x: x || sets_x };
        for next in successors(index, *insn).into_iter().flatten() {
            if let Some(state) = states.get_mut(next) {
                *state = Some(join(*state, known));
            }
        }
    }
    Ok(())
}

/// What holds whichever way an instruction was reached.
fn join(earlier: Option<Known>, now: Known) -> Known {
    let earlier = earlier.unwrap_or(now);
    Known { a: earlier.a && now.a, x: earlier.x && now.x }
}

fn reads(op: Op) -> (bool, bool) {
    match op {
        Op::Alu(source)
        | Op::Divide(source)
        | Op::Shift(source)
        | Op::Branch(source) => (true, source == Source::X),
        Op::Store | Op::Negate | Op::ToIndex | Op::ReturnAccumulator => (true, false),
        Op::StoreIndex | Op::FromIndex => (false, true),
        Op::LoadData
        | Op::LoadConstant
        | Op::LoadIndexConstant
        | Op::LoadScratch
        | Op::LoadIndexScratch
        | Op::Jump
        | Op::ReturnConstant => (false, false),
    }
}

fn sets(op: Op) -> (bool, bool) {
    match op {
        Op::LoadData | Op::LoadConstant | Op::LoadScratch | Op::FromIndex => {
            (true, false)
        }
        Op::LoadIndexConstant | Op::LoadIndexScratch | Op::ToIndex => (false, true),
        _ => (false, false),
    }
}

/// Counts the instructions executed on the longest path, the return included.
///
/// Paths that no input takes count as well: this is a bound, met by programs
/// whose branches are independent.
///
/// # Errors
/// The refusal of `check`, since only an accepted program has a longest path.
pub fn longest_path(program: &[u8]) -> Result<u32, Refusal> {
    let insns = parse(program)?;
    let mut steps = vec![0_u32; insns.len()];
    for (index, insn) in insns.iter().enumerate().rev() {
        let longest = successors(index, *insn)
            .into_iter()
            .flatten()
            .filter_map(|next| steps.get(next).copied())
            .max()
            .unwrap_or(0);
        if let Some(step) = steps.get_mut(index) {
            *step = longest.saturating_add(1);
        }
    }
    Ok(steps.first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::longest_path;
    use crate::structure::check;

    fn program(insns: &[[u8; 8]]) -> Vec<u8> {
        insns.concat()
    }

    const LOAD: [u8; 8] = [0x20, 0, 0, 0, 0, 0, 0, 0];
    const RETURN: [u8; 8] = [0x06, 0, 0, 0, 0, 0, 0xff, 0x7f];

    fn reason(insns: &[[u8; 8]]) -> String {
        let refusal = check(&program(insns)).expect_err("accepted");
        format!("{}: {}", refusal.index, refusal.reason)
    }

    #[test]
    fn unreachable_instructions_are_refused() {
        assert!(reason(&[RETURN, RETURN]).starts_with("1: no path"));
        let jump_over = [0x05, 0, 0, 0, 1, 0, 0, 0];
        assert!(reason(&[jump_over, LOAD, RETURN]).starts_with("1: no path"));
    }

    #[test]
    fn registers_are_loaded_before_they_are_read() {
        let compare = [0x15, 0, 0, 0, 7, 0, 0, 0];
        let compare_x = [0x1d, 0, 0, 0, 0, 0, 0, 0];
        let to_index = [0x07, 0, 0, 0, 0, 0, 0, 0];
        assert!(reason(&[compare, RETURN]).starts_with("0: reads the acc"));
        assert!(reason(&[LOAD, compare_x, RETURN]).starts_with("1: reads the index"));
        let good = program(&[LOAD, to_index, compare_x, RETURN]);
        assert_eq!(check(&good), Ok(()));
    }

    #[test]
    fn a_load_on_one_arm_is_not_enough() {
        let branch_x = [0x15, 0, 1, 0, 7, 0, 0, 0];
        let load_x = [0x01, 0, 0, 0, 9, 0, 0, 0];
        let add_x = [0x0c, 0, 0, 0, 0, 0, 0, 0];
        let one_arm = [LOAD, branch_x, load_x, add_x, RETURN];
        assert!(reason(&one_arm).starts_with("3: reads the index"));
    }

    #[test]
    fn longest_path_takes_the_longer_arm() {
        let branch = [0x15, 0, 1, 0, 7, 0, 0, 0];
        let straight = program(&[LOAD, branch, LOAD, RETURN]);
        assert_eq!(longest_path(&straight), Ok(4));
        let early = program(&[LOAD, branch, RETURN, RETURN]);
        assert_eq!(longest_path(&early), Ok(3));
        assert!(longest_path(&program(&[LOAD])).is_err());
    }
}
