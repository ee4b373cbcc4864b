// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes a claim: bytes that say what a program must answer to every call.
//!
//! A claim is data of the caller, so nothing in it is trusted: every count, index,
//! order and padding byte is checked, and what is not used must be zero. All numbers
//! are little-endian. A header of eight words (magic, the answer for architectures
//! that are not listed, and six counts), then the records in this order:
//!
//! ```text
//! arch   u32 audit architecture, default action, first span, spans
//! span   u32 low number, high number (inclusive), list
//! list   u32 first rule, rules, default action
//! rule   u32 first test, tests, action        the first rule that matches decides
//! test   u8 argument, negated, own pid, zero; u32 first range, ranges, zero; u64 mask
//! range  u64 low, high (inclusive)
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

/// `SCL1`, read as a little-endian word.
const MAGIC: u32 = 0x314c_4353;
const HEADER_WORDS: usize = 8;
const ARGUMENTS: u8 = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The answer on architectures that are not listed.
    pub(crate) other: u32,
    pub(crate) arches: Vec<Arch>,
    pub(crate) lists: Vec<List>,
}

impl Claim {
    /// All answers that the claim names.
    pub(crate) fn answers(&self) -> BTreeSet<u32> {
        let mut answers: BTreeSet<u32> =
            self.lists.iter().map(|list| list.other).collect();
        let rules = self.lists.iter().flat_map(|list| &list.rules);
        answers.extend(rules.map(|rule| rule.action));
        answers.extend(self.arches.iter().map(|arch| arch.other));
        answers.insert(self.other);
        answers
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arch {
    pub(crate) audit: u32,
    /// The answer to numbers in no span.
    pub(crate) other: u32,
    /// Sorted, apart, each with the index of its list.
    pub(crate) spans: Vec<(u32, u32, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) rules: Vec<Rule>,
    /// The answer when no rule matches.
    pub(crate) other: u32,
}

/// The action of calls for which all tests hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) tests: Vec<Test>,
    pub(crate) action: u32,
}

/// Whether the masked argument lies in a range or is the own process ID; or neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) argument: usize,
    pub(crate) negated: bool,
    pub(crate) own_pid: bool,
    pub(crate) mask: u64,
    /// Sorted, and none touches another.
    pub(crate) ranges: Vec<(u64, u64)>,
}

type Decoded<T> = Result<T, String>;

/// Decodes a whole claim; the error says what is wrong with it.
pub(crate) fn decode(bytes: &[u8]) -> Decoded<Claim> {
    let mut input = Input(bytes);
    let mut header = [0; HEADER_WORDS];
    for word in &mut header {
        *word = input.u32()?;
    }
    let [magic, other, arches, spans, lists, rules, tests, ranges] = header;
    if magic != MAGIC {
        return Err(format!("the claim begins with {magic:#010x}, not {MAGIC:#010x}"));
    }
    let arches = records(&mut input, arches, 16, arch)?;
    let spans = records(&mut input, spans, 12, span)?;
    let lists = records(&mut input, lists, 12, list)?;
    let rules = records(&mut input, rules, 12, list)?;
    let tests = records(&mut input, tests, 24, test)?;
    let ranges = records(&mut input, ranges, 16, range)?;
    if !input.0.is_empty() {
        return Err(format!("{} bytes follow the claim", input.0.len()));
    }
    let tests = in_order(tests, ranges.len(), "ranges", |(test, part)| {
        let mut own = part_of(&ranges, part).to_vec();
        own.sort_unstable();
        Ok(Test { ranges: merged(&own), ..test })
    })?;
    let rules = in_order(rules, tests.len(), "tests", |(part, action)| {
        Ok(Rule { tests: part_of(&tests, part).to_vec(), action })
    })?;
    let lists = in_order(lists, rules.len(), "rules", |(part, other)| {
        Ok(List { rules: part_of(&rules, part).to_vec(), other })
    })?;
    let arches = in_order(arches, spans.len(), "spans", |(audit, other, part)| {
        let spans = part_of(&spans, part).to_vec();
        sorted_spans(&spans, lists.len())?;
        Ok(Arch { audit, other, spans })
    })?;
    if !arches.windows(2).all(|pair| matches!(pair, [a, b] if a.audit < b.audit)) {
        return Err("the architectures are not in order".to_owned());
    }
    Ok(Claim { other, arches, lists })
}

/// What is left to read.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn bytes<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let found = self.0.get(..N).and_then(|head| <[u8; N]>::try_from(head).ok());
        self.0 = self.0.get(N..).unwrap_or(&[]);
        found.ok_or_else(|| "the claim ends early".to_owned())
    }

    fn u32(&mut self) -> Decoded<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Decoded<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// Two words: the first of some records, and how many.
    fn part(&mut self) -> Decoded<Range<usize>> {
        let (first, count) = (index(self.u32()?), index(self.u32()?));
        Ok(first..first.saturating_add(count))
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Reads records of a size; a count beyond the bytes ends before memory is taken.
fn records<T>(
    input: &mut Input,
    count: u32,
    size: usize,
    read: fn(&mut Input) -> Decoded<T>,
) -> Decoded<Vec<T>> {
    if index(count).saturating_mul(size) > input.0.len() {
        return Err("the claim ends early".to_owned());
    }
    (0..count).map(|_| read(input)).collect()
}

fn arch(input: &mut Input) -> Decoded<(u32, u32, Range<usize>)> {
    Ok((input.u32()?, input.u32()?, input.part()?))
}

fn span(input: &mut Input) -> Decoded<(u32, u32, usize)> {
    Ok((input.u32()?, input.u32()?, index(input.u32()?)))
}

fn list(input: &mut Input) -> Decoded<(Range<usize>, u32)> {
    Ok((input.part()?, input.u32()?))
}

fn test(input: &mut Input) -> Decoded<(Test, Range<usize>)> {
    let [argument, negated, own_pid, unused] = input.bytes()?;
    let part = input.part()?;
    let zero = input.u32()?;
    let mask = input.u64()?;
    if argument >= ARGUMENTS || negated > 1 || own_pid > 1 || unused != 0 || zero != 0 {
        return Err(format!("a test of argument {argument} has unknown flags"));
    }
    let test = Test {
        argument: usize::from(argument),
        negated: negated == 1,
        own_pid: own_pid == 1,
        mask,
        ranges: Vec::new(),
    };
    Ok((test, part))
}

fn range(input: &mut Input) -> Decoded<(u64, u64)> {
    let (low, high) = (input.u64()?, input.u64()?);
    if low > high {
        return Err(format!("the range from {low:#x} to {high:#x} is empty"));
    }
    Ok((low, high))
}

/// A record that refers to a part of other records.
trait Refers {
    fn part(&self) -> &Range<usize>;
}

impl<T> Refers for (T, Range<usize>) {
    fn part(&self) -> &Range<usize> {
        &self.1
    }
}

impl Refers for (Range<usize>, u32) {
    fn part(&self) -> &Range<usize> {
        &self.0
    }
}

impl Refers for (u32, u32, Range<usize>) {
    fn part(&self) -> &Range<usize> {
        &self.2
    }
}

/// Resolves records whose parts must cover `length` others in order, each once: no
/// record is without meaning, and a claim's size bounds what it makes us do.
fn in_order<R: Refers, T>(
    records: Vec<R>,
    length: usize,
    what: &str,
    resolve: impl Fn(R) -> Decoded<T>,
) -> Decoded<Vec<T>> {
    let mut next = 0;
    let mut resolved = Vec::with_capacity(records.len());
    for record in records {
        if record.part().start != next || record.part().end > length {
            return Err(format!("the {what} are not used in order"));
        }
        next = record.part().end;
        resolved.push(resolve(record)?);
    }
    if next != length {
        return Err(format!("some {what} are not used"));
    }
    Ok(resolved)
}

fn part_of<T>(records: &[T], part: Range<usize>) -> &[T] {
    // Within the records: `in_order` has seen to it.
    records.get(part).unwrap_or(&[])
}

/// Joins sorted ranges that overlap or touch.
fn merged(sorted: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::with_capacity(sorted.len());
    for (low, high) in sorted {
        match ranges.last_mut() {
            Some((_, end)) if end.checked_add(1).map_or(true, |next| *low <= next) => {
                *end = (*end).max(*high);
            }
            _ => ranges.push((*low, *high)),
        }
    }
    ranges
}

fn sorted_spans(spans: &[(u32, u32, usize)], lists: usize) -> Decoded<()> {
    for (low, high, list) in spans {
        if low > high || *list >= lists {
            return Err(format!("the span from {low:#x} to {high:#x} is not one"));
        }
    }
    if !spans.windows(2).all(|pair| matches!(pair, [a, b] if a.1 < b.0)) {
        return Err("the spans are not in order".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
