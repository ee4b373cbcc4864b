// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a classic BPF program on all calls at once: its answer as one function.
//!
//! Registers and scratch words hold functions of the call's bits. Jumps only go
//! forward, so one pass in order finds every (instruction, registers) that can come
//! up, and one pass back puts the answers together. Registers that nobody reads again
//! are forgotten, so paths that meet are one. What the kernel's versions compute
//! differently, or what would be too much work, is not provable, which refuses.

use std::collections::{BTreeSet, HashMap};

use crate::bdd::{Node, Shape, Store};
use crate::calculate::{calculate, compare, Unprovable};
use crate::meaning::variable;
use crate::order::{self, Order, OWN_PID};
use crate::program::{Insn, Operand, Operation};
use crate::traces::{live, ACCUMULATOR, INDEX};
use crate::word::{self, Word};

/// Sets of registers at one instruction; no program of the compiler has ten.
const MOST_STATES: usize = 256;
const DATA_BYTES: u32 = 64;

/// Registers and scratch words, as indices into `Run::words`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    a: u32,
    x: u32,
    scratch: [u32; 16],
}

/// How one instruction ends under one state; indices into `Run::visits`.
enum Outcome {
    Answer(Node),
    Next(usize),
    Choice(Node, usize, usize),
}

struct Run<'a> {
    store: &'a mut Store,
    order: &'a Order,
    expected: &'a BTreeSet<u32>,
    live: Vec<u32>,
    words: Vec<Word>,
    known_words: HashMap<Word, u32>,
    /// For each instruction the states it is reached with, and their visits.
    reached: Vec<Vec<(State, usize)>>,
    visits: usize,
}

/// The program's answer as a function of the call's bits.
///
/// Answers that are computed and not among `expected` are one: the greatest that is
/// not. So a comparison with a function of expected answers stays exact, and a word as
/// an answer does not take a node for each of its values.
pub(crate) fn answers(
    store: &mut Store,
    order: &Order,
    insns: &[Insn],
    expected: &BTreeSet<u32>,
) -> Result<Node, Unprovable> {
    let mut run = Run {
        store,
        order,
        expected,
        live: live(insns),
        words: Vec::new(),
        known_words: HashMap::new(),
        reached: vec![Vec::new(); insns.len()],
        visits: 0,
    };
    let zero = run.name(word::ZERO);
    run.arrive(0, State { a: zero, x: zero, scratch: [zero; 16] })?;
    let mut outcomes: Vec<Vec<(usize, Outcome)>> = Vec::with_capacity(insns.len());
    for (index, insn) in insns.iter().enumerate() {
        let states = run.reached.get(index).cloned().unwrap_or_default();
        let mut here = Vec::with_capacity(states.len());
        for (state, visit) in states {
            here.push((visit, run.step(index, *insn, state)?));
        }
        outcomes.push(here);
    }
    let mut answers = vec![None; run.visits];
    for (visit, outcome) in outcomes.into_iter().rev().flatten() {
        let answer_of = |at: usize| answers.get(at).copied().flatten();
        let answer = match outcome {
            Outcome::Answer(node) => Some(node),
            Outcome::Next(next) => answer_of(next),
            Outcome::Choice(test, yes, no) => match (answer_of(yes), answer_of(no)) {
                (Some(yes), Some(no)) => Some(run.store.choose(test, yes, no)?),
                _ => None,
            },
        };
        if let Some(slot) = answers.get_mut(visit) {
            *slot = answer;
        }
    }
    // The first visit is that of the first instruction.
    answers
        .first()
        .copied()
        .flatten()
        .ok_or(Unprovable::Instruction(0, "does not lead to an answer"))
}

impl Run<'_> {
    fn name(&mut self, word: Word) -> u32 {
        if let Some(found) = self.known_words.get(&word) {
            return *found;
        }
        let name = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(word);
        self.known_words.insert(word, name);
        name
    }

    // Names come from `name` only; a panic refuses the program, zero might accept it.
    #[allow(clippy::indexing_slicing)]
    fn word(&self, name: u32) -> Word {
        self.words[usize::try_from(name).unwrap_or(usize::MAX)]
    }

    /// Notes that an instruction is reached with a state, and names the visit.
    fn arrive(&mut self, index: usize, mut state: State) -> Result<usize, Unprovable> {
        let live = self.live.get(index).copied().unwrap_or(0);
        if live & ACCUMULATOR == 0 {
            state.a = 0;
        }
        if live & INDEX == 0 {
            state.x = 0;
        }
        for (at, name) in state.scratch.iter_mut().enumerate() {
            if live & order::bit(at) == 0 {
                *name = 0;
            }
        }
        let outside = Unprovable::Instruction(index, "is not in the program");
        let states = self.reached.get_mut(index).ok_or(outside)?;
        if let Some((_, visit)) = states.iter().find(|(known, _)| *known == state) {
            return Ok(*visit);
        }
        if states.len() >= MOST_STATES {
            return Err(Unprovable::Budget);
        }
        let visit = self.visits;
        states.push((state, visit));
        self.visits = visit.saturating_add(1);
        Ok(visit)
    }

    fn step(
        &mut self,
        index: usize,
        insn: Insn,
        mut state: State,
    ) -> Result<Outcome, Unprovable> {
        let after = index.saturating_add(1);
        match insn.operation {
            Operation::Return(value) => Ok(Outcome::Answer(self.store.answer(value)?)),
            Operation::ReturnAccumulator => {
                let word = self.word(state.a);
                if let Some(value) = word::known(&word) {
                    return Ok(Outcome::Answer(self.store.answer(value)?));
                }
                Ok(Outcome::Answer(self.computed(&word)?))
            }
            Operation::Skip(count) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let next = self.arrive(after.saturating_add(count), state)?;
                Ok(Outcome::Next(next))
            }
            Operation::Branch(test, operand) => {
                let left = self.word(state.a);
                let right = self.operand(operand, state)?;
                let node = compare(self.store, test, &left, &right)?;
                let jump = |by: u8| after.saturating_add(usize::from(by));
                if let Shape::Answer(taken) = self.store.shape(node) {
                    let by = if taken == 0 { insn.jf } else { insn.jt };
                    return Ok(Outcome::Next(self.arrive(jump(by), state)?));
                }
                let yes = self.arrive(jump(insn.jt), state)?;
                let no = self.arrive(jump(insn.jf), state)?;
                Ok(Outcome::Choice(node, yes, no))
            }
            _ => {
                self.compute(index, insn.operation, &mut state)?;
                Ok(Outcome::Next(self.arrive(after, state)?))
            }
        }
    }

    /// Runs an instruction that only changes registers.
    fn compute(
        &mut self,
        index: usize,
        operation: Operation,
        state: &mut State,
    ) -> Result<(), Unprovable> {
        match operation {
            Operation::LoadData(offset) => {
                let at = usize::try_from(offset / 4).unwrap_or(usize::MAX);
                let word = variable(self.store, self.order, at)?;
                state.a = self.name(word);
            }
            Operation::Load(value) => state.a = self.name(word::constant(value)),
            Operation::LoadLength => state.a = self.name(word::constant(DATA_BYTES)),
            Operation::LoadIndex(value) => state.x = self.name(word::constant(value)),
            Operation::LoadIndexLength => {
                state.x = self.name(word::constant(DATA_BYTES));
            }
            Operation::LoadScratch(at) => state.a = *scratch(state, index, at)?,
            Operation::LoadIndexScratch(at) => state.x = *scratch(state, index, at)?,
            Operation::Store(at) => *scratch(state, index, at)? = state.a,
            Operation::StoreIndex(at) => *scratch(state, index, at)? = state.x,
            Operation::ToIndex => state.x = state.a,
            Operation::FromIndex => state.a = state.x,
            Operation::Negate => {
                let word = self.word(state.a);
                let negative = word::subtract(self.store, &word::ZERO, &word)?;
                state.a = self.name(negative);
            }
            Operation::Calculate(arithmetic, operand) => {
                let left = self.word(state.a);
                let right = self.operand(operand, *state)?;
                let result = calculate(self.store, index, arithmetic, &left, &right)?;
                state.a = self.name(result);
            }
            // Jumps and returns end in `step`.
            _ => return Err(Unprovable::Instruction(index, "is not understood")),
        }
        Ok(())
    }

    /// A word as an answer.
    fn computed(&mut self, word: &Word) -> Result<Node, Unprovable> {
        let mut other = u32::MAX;
        while self.expected.contains(&other) {
            other = other.wrapping_sub(1);
        }
        let mut node = self.store.answer(other)?;
        for value in self.expected {
            let same = word::equal(self.store, word, &word::constant(*value))?;
            let answer = self.store.answer(*value)?;
            node = self.store.choose(same, answer, node)?;
        }
        Ok(node)
    }

    fn operand(&mut self, operand: Operand, state: State) -> Result<Word, Unprovable> {
        match operand {
            Operand::Constant(value) => Ok(word::constant(value)),
            Operand::Index => Ok(self.word(state.x)),
            Operand::OwnPid => Ok(variable(self.store, self.order, OWN_PID)?),
        }
    }
}

/// A scratch word; the structure check has seen that there are sixteen.
fn scratch(state: &mut State, index: usize, at: u32) -> Result<&mut u32, Unprovable> {
    let word = usize::try_from(at).ok().and_then(|at| state.scratch.get_mut(at));
    word.ok_or(Unprovable::Instruction(index, "uses a scratch word that is not there"))
}

#[cfg(test)]
mod tests;
