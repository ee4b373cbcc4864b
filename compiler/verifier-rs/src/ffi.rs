// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The C interface, and the only unsafe code: pointers in, a status and a reason out.
//!
//! The declarations are in `compiler/stockade/proof/bpfverify.h`, which the Python
//! side reads; the number of `ABI` changes with any of them. A panic is caught and
//! reported as a failure, which refuses the program like any other status but 0.

#![allow(unsafe_code)]

use std::os::raw::c_char;
use std::panic::{catch_unwind, UnwindSafe};

use crate::cache;
use crate::compare::compare;
use crate::floor::{floor, Finding};
use crate::flow::longest_path;
use crate::prove::{prove, Counterexample, Verdict};
use crate::records::{
    pairs, stockade_bpfverify_change, stockade_bpfverify_counterexample,
    stockade_bpfverify_relocation,
};
use crate::structure::{check, Refusal};

const ABI: u32 = 4;

const ACCEPTED: i32 = 0;
const REFUSED: i32 = 1;
const FAILED: i32 = 2;
const MALFORMED: i32 = 3;

/// Room for numbers below 65,536, far more than there are calls.
const MOST_MAP_BYTES: usize = 1 << 13;

/// Where the caller wants the instruction index and the reason.
struct Report {
    index: *mut u32,
    why: *mut c_char,
    capacity: usize,
}

impl Report {
    /// Writes the reason, cut to the capacity and always ended by a zero byte.
    ///
    /// # Safety
    /// `index` and `why` are null or writable, `why` for `capacity` bytes.
    unsafe fn write(&self, index: u32, reason: &str) {
        if !self.index.is_null() {
            // SAFETY: not null, so writable by the contract above.
            unsafe { self.index.write(index) };
        }
        if self.why.is_null() || self.capacity == 0 {
            return;
        }
        let length = reason.len().min(self.capacity.saturating_sub(1));
        // SAFETY: `length + 1 <= capacity` bytes are writable by the contract above,
        // `length` bytes of `reason` are readable, and the two cannot overlap.
        unsafe {
            self.why.cast::<u8>().copy_from_nonoverlapping(reason.as_ptr(), length);
            self.why.add(length).write(0);
        }
    }
}

/// Runs a judgement on the caller's bytes and hands over its outcome.
///
/// # Safety
/// `prog` is readable for `len_bytes` bytes; `report` as for [`Report::write`].
unsafe fn judge<T>(
    prog: *const u8,
    len_bytes: usize,
    report: &Report,
    judgement: impl Fn(&[u8]) -> Result<T, Refusal> + UnwindSafe,
) -> (i32, Option<T>) {
    if prog.is_null() || isize::try_from(len_bytes).is_err() {
        // SAFETY: passed on from our caller.
        unsafe { report.write(0, "no program was handed over") };
        return (FAILED, None);
    }
    // SAFETY: not null, readable for `len_bytes` by contract, at most isize::MAX.
    let program = unsafe { std::slice::from_raw_parts(prog, len_bytes) };
    match catch_unwind(move || judgement(program)) {
        Ok(Ok(value)) => (ACCEPTED, Some(value)),
        Ok(Err(refusal)) => {
            // SAFETY: passed on from our caller.
            unsafe { report.write(refusal.index, &refusal.reason) };
            (REFUSED, None)
        }
        Err(_) => {
            // SAFETY: passed on from our caller.
            unsafe { report.write(0, "the verifier itself failed") };
            (FAILED, None)
        }
    }
}

/// The number of this interface; a caller that knows another one must not go on.
#[no_mangle]
pub extern "C" fn stockade_bpfverify_abi() -> u32 {
    ABI
}

/// Checks a program's structure: 0 accepted, 1 refused, 2 failed.
///
/// # Safety
/// `prog` is readable for `len_bytes` bytes, `ret_index` null or writable, `why`
/// null or writable for `why_cap` bytes.
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_check(
    prog: *const u8,
    len_bytes: usize,
    ret_index: *mut u32,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: ret_index, why, capacity: why_cap };
    // SAFETY: the contract of this function is that of `judge`.
    let (status, _) = unsafe { judge(prog, len_bytes, &report, check) };
    status
}

/// Counts the instructions on the longest path; statuses as for the check.
///
/// # Safety
/// As for [`stockade_bpfverify_check`]; `ret_steps` is writable.
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_longest_path(
    prog: *const u8,
    len_bytes: usize,
    ret_steps: *mut u32,
    ret_index: *mut u32,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: ret_index, why, capacity: why_cap };
    // SAFETY: the contract of this function is that of `judge`.
    let (status, steps) = unsafe { judge(prog, len_bytes, &report, longest_path) };
    if let (Some(steps), false) = (steps, ret_steps.is_null()) {
        // SAFETY: not null, so writable by contract.
        unsafe { ret_steps.write(steps) };
    }
    status
}

/// The caller's array, or none for a null pointer or a length beyond the address space.
///
/// # Safety
/// `first` is null or readable for `count` records.
unsafe fn array<'a, T>(first: *const T, count: usize) -> Option<&'a [T]> {
    if first.is_null() {
        return if count == 0 { Some(&[]) } else { None };
    }
    let bytes = count.checked_mul(std::mem::size_of::<T>())?;
    isize::try_from(bytes).ok()?;
    // SAFETY: not null, readable for `count` by contract, at most isize::MAX bytes.
    Some(unsafe { std::slice::from_raw_parts(first, count) })
}

/// Hands over how a comparison ended.
///
/// # Safety
/// `ret` is null or writable; `report` as for [`Report::write`].
unsafe fn conclude(
    found: Option<&Counterexample>,
    ret: *mut stockade_bpfverify_counterexample,
    reason: &str,
    report: &Report,
) {
    if let (Some(found), false) = (found, ret.is_null()) {
        // SAFETY: not null, so writable by the contract above.
        unsafe { ret.write(stockade_bpfverify_counterexample::of(found)) };
    }
    // SAFETY: passed on from our caller.
    unsafe { report.write(0, reason) };
}

/// Compares a program with a claim: 0 proved, 1 disagrees, 2 failed, 3 malformed claim.
///
/// # Safety
/// `prog` and `claim` are readable for their bytes and `relocations` for its records;
/// `ret` is null or writable, `why` null or writable for `why_cap` bytes.
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_prove(
    prog: *const u8,
    len_bytes: usize,
    relocations: *const stockade_bpfverify_relocation,
    relocation_count: usize,
    claim: *const u8,
    claim_bytes: usize,
    ret: *mut stockade_bpfverify_counterexample,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: std::ptr::null_mut(), why, capacity: why_cap };
    // SAFETY: readable by the contract of this function.
    let parts = unsafe {
        (
            array(prog, len_bytes),
            array(relocations, relocation_count),
            array(claim, claim_bytes),
        )
    };
    let verdict = match parts {
        (Some(program), Some(relocations), Some(claim)) => {
            catch_unwind(move || prove(program, &pairs(relocations), claim))
        }
        _ => Ok(Verdict::Unprovable("no program was handed over".to_owned())),
    };
    let (status, found, reason) = match verdict {
        Ok(Verdict::Proved) => return ACCEPTED,
        Ok(Verdict::Disagrees(found)) => (REFUSED, Some(found), String::new()),
        Ok(Verdict::Unprovable(why)) => (FAILED, None, why),
        Ok(Verdict::Malformed(why)) => (MALFORMED, None, why),
        Err(_) => (FAILED, None, "the verifier itself failed".to_owned()),
    };
    // SAFETY: the contract of this function is that of `conclude`.
    unsafe { conclude(found.as_ref(), ret, &reason, &report) };
    status
}

/// Judges a program by what every policy refuses: 0 holds, 1 broken, 2 failed.
///
/// # Safety
/// As for [`stockade_bpfverify_prove`].
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_floor(
    prog: *const u8,
    len_bytes: usize,
    relocations: *const stockade_bpfverify_relocation,
    relocation_count: usize,
    audit_arch: u32,
    openings: u32,
    ret: *mut stockade_bpfverify_counterexample,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: std::ptr::null_mut(), why, capacity: why_cap };
    // SAFETY: readable by the contract of this function.
    let parts =
        unsafe { (array(prog, len_bytes), array(relocations, relocation_count)) };
    let finding = match parts {
        (Some(program), Some(relocations)) => {
            let relocations = pairs(relocations);
            catch_unwind(move || floor(program, &relocations, audit_arch, openings))
        }
        _ => Ok(Finding::Unprovable("no program was handed over".to_owned())),
    };
    let (status, found, reason) = match finding {
        Ok(Finding::Holds) => return ACCEPTED,
        Ok(Finding::Broken(found, why)) => (REFUSED, Some(found), why),
        Ok(Finding::Unprovable(why)) => (FAILED, None, why),
        Err(_) => (FAILED, None, "the verifier itself failed".to_owned()),
    };
    // SAFETY: the contract of this function is that of `conclude`.
    unsafe { conclude(found.as_ref(), ret, &reason, &report) };
    status
}

/// Marks the calls that the kernel will let pass by its bitmap: 0 done, 2 failed.
///
/// # Safety
/// `prog` is readable for `len_bytes` bytes, `ret_map` writable for `map_bytes`, `why`
/// null or writable for `why_cap` bytes.
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_cacheable(
    prog: *const u8,
    len_bytes: usize,
    audit_arch: u32,
    ret_map: *mut u8,
    map_bytes: usize,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: std::ptr::null_mut(), why, capacity: why_cap };
    let length = map_bytes.min(MOST_MAP_BYTES);
    // SAFETY: readable by the contract of this function.
    let marked = match unsafe { array(prog, len_bytes) } {
        Some(program) => catch_unwind(move || {
            let mut map = vec![0; length];
            cache::mark(program, audit_arch, &mut map).map(|()| map)
        }),
        None => Ok(Err("no program was handed over".to_owned())),
    };
    let reason = match marked {
        Ok(Ok(map)) if map.len() == map_bytes && !ret_map.is_null() => {
            // SAFETY: not null, writable for `map_bytes` by contract, and no part of
            // our own vector.
            unsafe { ret_map.copy_from_nonoverlapping(map.as_ptr(), map.len()) };
            return ACCEPTED;
        }
        Ok(Ok(_)) => "the map is missing or too long".to_owned(),
        Ok(Err(why)) => why,
        Err(_) => "the verifier itself failed".to_owned(),
    };
    // SAFETY: passed on from our caller.
    unsafe { report.write(0, &reason) };
    FAILED
}

/// Finds the calls that two programs answer differently: 0 none, 1 some, 2 failed.
///
/// # Safety
/// Programs and relocations are readable for their bytes and records; `ret` is writable
/// for `capacity` records, `ret_count` is writable, `why` null or writable for
/// `why_cap` bytes.
#[no_mangle]
pub unsafe extern "C" fn stockade_bpfverify_compare(
    old: *const u8,
    old_bytes: usize,
    old_relocations: *const stockade_bpfverify_relocation,
    old_relocation_count: usize,
    new: *const u8,
    new_bytes: usize,
    new_relocations: *const stockade_bpfverify_relocation,
    new_relocation_count: usize,
    ret: *mut stockade_bpfverify_change,
    capacity: usize,
    ret_count: *mut usize,
    why: *mut c_char,
    why_cap: usize,
) -> i32 {
    let report = Report { index: std::ptr::null_mut(), why, capacity: why_cap };
    // SAFETY: readable by the contract of this function.
    let parts = unsafe {
        (
            array(old, old_bytes),
            array(old_relocations, old_relocation_count),
            array(new, new_bytes),
            array(new_relocations, new_relocation_count),
        )
    };
    let found = match parts {
        (Some(old), Some(from), Some(new), Some(to)) => {
            catch_unwind(move || compare((old, &pairs(from)), (new, &pairs(to))))
        }
        _ => Ok(Err("no program was handed over".to_owned())),
    };
    let reason = match found {
        Ok(Ok(changes)) if !ret_count.is_null() && !ret.is_null() => {
            // SAFETY: not null, so writable by contract.
            unsafe { ret_count.write(changes.len()) };
            for (at, change) in changes.iter().enumerate().take(capacity) {
                // SAFETY: not null, and `at` is below the capacity.
                unsafe { ret.add(at).write(stockade_bpfverify_change::of(change)) };
            }
            return if changes.is_empty() { ACCEPTED } else { REFUSED };
        }
        Ok(Ok(_)) => "no room was handed over".to_owned(),
        Ok(Err(why)) => why,
        Err(_) => "the verifier itself failed".to_owned(),
    };
    // SAFETY: passed on from our caller.
    unsafe { report.write(0, &reason) };
    FAILED
}

#[cfg(test)]
mod tests;
