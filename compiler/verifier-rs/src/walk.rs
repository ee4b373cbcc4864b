// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rebuilds functions node by node: with some bits fixed, or with other answers.

use crate::bdd::{Bounded, Node, NodeMap, Shape, Store};

impl Store {
    /// What is left of a function where `fixed` says the value of some levels.
    pub(crate) fn restrict(
        &mut self,
        node: Node,
        fixed: &dyn Fn(u32) -> Option<bool>,
    ) -> Bounded<Node> {
        self.rebuild(node, &mut NodeMap::default(), fixed, &Some)
    }

    /// The truth of a predicate on the answers.
    pub(crate) fn answers_that(
        &mut self,
        node: Node,
        holds: &dyn Fn(u32) -> bool,
    ) -> Bounded<Node> {
        let truth = |value| Some(u32::from(holds(value)));
        self.rebuild(node, &mut NodeMap::default(), &|_| None, &truth)
    }

    fn rebuild(
        &mut self,
        node: Node,
        done: &mut NodeMap<Node>,
        fixed: &dyn Fn(u32) -> Option<bool>,
        answer: &dyn Fn(u32) -> Option<u32>,
    ) -> Bounded<Node> {
        if let Some(found) = done.get(&node) {
            return Ok(*found);
        }
        let found = match self.shape(node) {
            Shape::Answer(value) => self.answer(answer(value).unwrap_or(value))?,
            Shape::Test { level, low, high } => match fixed(level) {
                Some(true) => self.rebuild(high, done, fixed, answer)?,
                Some(false) => self.rebuild(low, done, fixed, answer)?,
                None => {
                    let low = self.rebuild(low, done, fixed, answer)?;
                    let high = self.rebuild(high, done, fixed, answer)?;
                    self.test(level, low, high)?
                }
            },
        };
        done.insert(node, found);
        Ok(found)
    }
}
