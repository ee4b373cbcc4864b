// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Computes with 32-bit words whose bits are functions, as classic BPF does.
//!
//! All arithmetic is modulo 2^32 and all comparisons are unsigned, as in the kernel's
//! `___bpf_prog_run`. Words are arrays with the lowest bit first.

#[cfg(test)]
use crate::bdd::Shape;
use crate::bdd::{Bounded, Node, Store, FALSE, TRUE};

pub(crate) const BITS: usize = 32;

pub(crate) type Word = [Node; BITS];

pub(crate) const ZERO: Word = [FALSE; BITS];

pub(crate) fn constant(value: u32) -> Word {
    let mut word = ZERO;
    for (at, bit) in word.iter_mut().enumerate() {
        if value.checked_shr(narrow(at)).unwrap_or(0) & 1 == 1 {
            *bit = TRUE;
        }
    }
    word
}

/// The value of a word that is the same everywhere.
pub(crate) fn known(word: &Word) -> Option<u32> {
    word.iter().rev().try_fold(0_u32, |value, bit| match *bit {
        TRUE => Some(value.wrapping_shl(1) | 1),
        FALSE => Some(value.wrapping_shl(1)),
        _ => None,
    })
}

/// Applies a bitwise operation; `choose` knows how to make each of them.
pub(crate) fn bitwise(
    store: &mut Store,
    left: &Word,
    right: &Word,
    operation: fn(&mut Store, Node, Node) -> Bounded<Node>,
) -> Bounded<Word> {
    let mut word = ZERO;
    for ((bit, a), b) in word.iter_mut().zip(left).zip(right) {
        *bit = operation(store, *a, *b)?;
    }
    Ok(word)
}

pub(crate) fn xor(store: &mut Store, left: Node, right: Node) -> Bounded<Node> {
    let unlike = store.not(right)?;
    store.choose(left, unlike, right)
}

/// `left + right + carry`.
fn sum(store: &mut Store, left: &Word, right: &Word, mut carry: Node) -> Bounded<Word> {
    let mut word = ZERO;
    for ((bit, a), b) in word.iter_mut().zip(left).zip(right) {
        let half = xor(store, *a, *b)?;
        *bit = xor(store, half, carry)?;
        carry = store.choose(half, carry, *a)?;
    }
    Ok(word)
}

pub(crate) fn add(store: &mut Store, left: &Word, right: &Word) -> Bounded<Word> {
    sum(store, left, right, FALSE)
}

pub(crate) fn subtract(store: &mut Store, left: &Word, right: &Word) -> Bounded<Word> {
    let mut inverse = ZERO;
    for (bit, b) in inverse.iter_mut().zip(right) {
        *bit = store.not(*b)?;
    }
    sum(store, left, &inverse, TRUE)
}

pub(crate) fn multiply(store: &mut Store, left: &Word, right: &Word) -> Bounded<Word> {
    let mut product = ZERO;
    for (at, factor) in right.iter().enumerate() {
        let shifted = shift_left(left, narrow(at));
        let mut term = ZERO;
        for (bit, a) in term.iter_mut().zip(&shifted) {
            *bit = store.and(*factor, *a)?;
        }
        product = add(store, &product, &term)?;
    }
    Ok(product)
}

/// Long division by a constant that is not zero.
pub(crate) fn divide(store: &mut Store, word: &Word, divisor: u32) -> Bounded<Word> {
    let divisor = constant(divisor);
    let mut quotient = ZERO;
    let mut rest = ZERO;
    for (result, next) in quotient.iter_mut().zip(word).rev() {
        // The bit that leaves the word still counts: the rest is below the divisor,
        // so twice the rest has at most 33 bits.
        let out = rest.last().copied().unwrap_or(FALSE);
        rest = shift_left(&rest, 1);
        if let Some(lowest) = rest.first_mut() {
            *lowest = *next;
        }
        let less = greater(store, &divisor, &rest)?;
        let enough = store.not(less)?;
        *result = store.or(out, enough)?;
        let lowered = subtract(store, &rest, &divisor)?;
        for (bit, low) in rest.iter_mut().zip(&lowered) {
            *bit = store.choose(*result, *low, *bit)?;
        }
    }
    Ok(quotient)
}

pub(crate) fn shift_left(word: &Word, by: u32) -> Word {
    let mut shifted = ZERO;
    let skipped = usize::try_from(by).unwrap_or(BITS);
    for (bit, a) in shifted.iter_mut().skip(skipped).zip(word) {
        *bit = *a;
    }
    shifted
}

pub(crate) fn shift_right(word: &Word, by: u32) -> Word {
    let mut shifted = ZERO;
    let skipped = usize::try_from(by).unwrap_or(BITS);
    for (bit, a) in shifted.iter_mut().zip(word.iter().skip(skipped)) {
        *bit = *a;
    }
    shifted
}

// The lowest bit comes first below, because it is tested last: each step then puts
// one test on top of what is there.

pub(crate) fn equal(store: &mut Store, left: &Word, right: &Word) -> Bounded<Node> {
    let mut all = TRUE;
    for (a, b) in left.iter().zip(right) {
        let with = store.choose(*b, all, FALSE)?;
        let without = store.choose(*b, FALSE, all)?;
        all = store.choose(*a, with, without)?;
    }
    Ok(all)
}

pub(crate) fn greater(store: &mut Store, left: &Word, right: &Word) -> Bounded<Node> {
    let mut more = FALSE;
    for (a, b) in left.iter().zip(right) {
        let with = store.choose(*b, more, TRUE)?;
        let without = store.choose(*b, FALSE, more)?;
        more = store.choose(*a, with, without)?;
    }
    Ok(more)
}

pub(crate) fn any_common(
    store: &mut Store,
    left: &Word,
    right: &Word,
) -> Bounded<Node> {
    let mut any = FALSE;
    for (a, b) in left.iter().zip(right) {
        let with = store.choose(*b, TRUE, any)?;
        any = store.choose(*a, with, any)?;
    }
    Ok(any)
}

#[cfg(test)]
pub(crate) fn value_of(
    store: &Store,
    mut node: Node,
    bit_of: &dyn Fn(u32) -> bool,
) -> u32 {
    loop {
        match store.shape(node) {
            Shape::Answer(value) => return value,
            Shape::Test { level, low, high } => {
                node = if bit_of(level) { high } else { low };
            }
        }
    }
}

fn narrow(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
