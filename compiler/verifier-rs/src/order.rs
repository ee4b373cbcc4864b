// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names the bits of a call and decides in which order diagrams test them.
//!
//! Any order is right; a good one is small. Architecture and number come first, then
//! argument after argument, the high word before the low one and high bits before low
//! ones, so that comparisons and sets of ranges take a few nodes a bit. Words that are
//! compared with each other (an argument and the own process ID) have their bits side
//! by side, since equality would otherwise take a node for every value.

/// Words of `struct seccomp_data`, by offset / 4, and the program's own process ID.
pub(crate) const WORDS: usize = 17;
pub(crate) const NUMBER: usize = 0;
pub(crate) const ARCH: usize = 1;
pub(crate) const POINTER_LOW: usize = 2;
pub(crate) const POINTER_HIGH: usize = 3;
pub(crate) const OWN_PID: usize = 16;
pub(crate) const ARGUMENTS: usize = 6;
const WORD_BITS: usize = 32;

/// Arguments are six; anything else has no word.
pub(crate) fn low_word(argument: usize) -> usize {
    argument.saturating_mul(2).saturating_add(4)
}

pub(crate) fn high_word(argument: usize) -> usize {
    low_word(argument).saturating_add(1)
}

const SEQUENCE: [usize; WORDS] = [
    ARCH,
    NUMBER,
    POINTER_HIGH,
    POINTER_LOW,
    5,
    4,
    7,
    6,
    9,
    8,
    11,
    10,
    13,
    12,
    15,
    14,
    OWN_PID,
];

/// Sets of words, as bits, that are compared with each other.
#[derive(Clone, Debug)]
pub(crate) struct Groups([u32; WORDS]);

impl Groups {
    pub(crate) fn new() -> Self {
        let mut sets = [0; WORDS];
        for (word, set) in sets.iter_mut().enumerate() {
            *set = bit(word);
        }
        Self(sets)
    }

    /// Makes one group of all that meet `words`.
    pub(crate) fn join(&mut self, words: u32) {
        let mut all = words;
        for set in self.0.iter().filter(|set| **set & words != 0) {
            all |= set;
        }
        for (word, set) in self.0.iter_mut().enumerate() {
            if all & bit(word) != 0 {
                *set = all;
            }
        }
    }

    fn of(&self, word: usize) -> u32 {
        self.0.get(word).copied().unwrap_or(0)
    }
}

/// The set of one word.
pub(crate) fn bit(word: usize) -> u32 {
    u32::try_from(word).ok().and_then(|by| 1_u32.checked_shl(by)).unwrap_or(0)
}

/// Which level of a diagram tests which bit of which word.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    levels: [[u32; WORD_BITS]; WORDS],
    places: Vec<(usize, usize)>,
}

impl Order {
    pub(crate) fn new(groups: &Groups) -> Self {
        let mut order = Self { levels: [[0; WORD_BITS]; WORDS], places: Vec::new() };
        for word in SEQUENCE {
            if groups.of(word) & !bit(OWN_PID) & later(word) != 0 {
                continue; // placed with the last of its group
            }
            if word == OWN_PID && groups.of(word) != bit(word) {
                continue;
            }
            order.place(groups.of(word));
        }
        order
    }

    fn place(&mut self, group: u32) {
        for at in (0..WORD_BITS).rev() {
            for word in (0..WORDS).filter(|word| group & bit(*word) != 0) {
                let level = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
                if let Some(slot) =
                    self.levels.get_mut(word).and_then(|levels| levels.get_mut(at))
                {
                    *slot = level;
                }
                self.places.push((word, at));
            }
        }
    }

    /// The levels of a word, lowest bit first.
    pub(crate) fn levels(&self, word: usize) -> [u32; WORD_BITS] {
        self.levels.get(word).copied().unwrap_or([u32::MAX; WORD_BITS])
    }

    /// Word and bit of a level.
    pub(crate) fn place_of(&self, level: u32) -> (usize, usize) {
        let place = usize::try_from(level).ok().and_then(|at| self.places.get(at));
        place.copied().unwrap_or((WORDS, 0))
    }
}

/// The words that come after one in the sequence.
fn later(word: usize) -> u32 {
    SEQUENCE
        .iter()
        .skip_while(|at| **at != word)
        .skip(1)
        .fold(0, |set, at| set | bit(*at))
}

#[cfg(test)]
mod tests {
    use super::{
        bit, high_word, low_word, Groups, Order, ARCH, NUMBER, OWN_PID, WORDS,
    };

    fn every_bit_has_its_level(order: &Order) {
        let mut seen = vec![false; WORDS * 32];
        for word in 0..WORDS {
            for (at, level) in order.levels(word).iter().enumerate() {
                assert_eq!(order.place_of(*level), (word, at));
                assert!(!std::mem::replace(&mut seen[*level as usize], true));
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn words_come_one_after_the_other() {
        let order = Order::new(&Groups::new());
        every_bit_has_its_level(&order);
        assert_eq!(order.levels(ARCH)[31], 0);
        assert_eq!(order.levels(NUMBER)[31], 32);
        assert!(order.levels(high_word(0))[0] < order.levels(low_word(0))[31]);
        assert!(order.levels(low_word(0))[0] < order.levels(high_word(1))[31]);
    }

    #[test]
    fn compared_words_lie_side_by_side() {
        let mut groups = Groups::new();
        groups.join(bit(low_word(0)) | bit(OWN_PID));
        groups.join(bit(low_word(2)) | bit(low_word(0)));
        let order = Order::new(&groups);
        every_bit_has_its_level(&order);
        let (a, b) = (order.levels(low_word(0)), order.levels(low_word(2)));
        let pid = order.levels(OWN_PID);
        for at in 0..32 {
            assert!(a[at].abs_diff(pid[at]) <= 2 && b[at].abs_diff(pid[at]) <= 2);
        }
        assert!(order.levels(high_word(2))[0] < a[31]);
        assert!(a[0] < order.levels(high_word(3))[31]);
    }

    #[test]
    fn every_pair_can_be_a_group() {
        for left in 0..WORDS {
            for right in 0..WORDS {
                let mut groups = Groups::new();
                groups.join(bit(left) | bit(right));
                every_bit_has_its_level(&Order::new(&groups));
            }
        }
    }
}
