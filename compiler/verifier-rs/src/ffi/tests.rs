// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks what the interface does with missing parts, full buffers and panics.

use super::{judge, Report, ACCEPTED, FAILED, REFUSED};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

const RETURN: [u8; 8] = [6, 0, 0, 0, 0, 0, 0, 0];

fn reason(buffer: &[c_char]) -> Vec<u8> {
    buffer.iter().take_while(|c| **c != 0).map(|c| c.to_le_bytes()[0]).collect()
}

#[test]
fn reasons_are_cut_and_ended() {
    let mut index = 9;
    let mut buffer: [c_char; 6] = [1; 6];
    let why = buffer.as_mut_ptr();
    let status = unsafe {
        super::stockade_bpfverify_check(RETURN.as_ptr(), 7, &mut index, why, 6)
    };
    assert_eq!((status, index), (REFUSED, 0));
    assert_eq!(reason(&buffer), b"7 byt");
}

#[test]
fn missing_buffers_are_left_alone() {
    let status = unsafe {
        super::stockade_bpfverify_check(RETURN.as_ptr(), 7, null_mut(), null_mut(), 0)
    };
    assert_eq!(status, REFUSED);
    let mut steps = 0;
    let status = unsafe {
        super::stockade_bpfverify_longest_path(
            RETURN.as_ptr(),
            8,
            &mut steps,
            null_mut(),
            null_mut(),
            0,
        )
    };
    assert_eq!((status, steps), (ACCEPTED, 1));
}

#[test]
fn no_program_is_a_failure() {
    let status = unsafe {
        super::stockade_bpfverify_check(null(), 8, null_mut(), null_mut(), 0)
    };
    assert_eq!(status, FAILED);
}

#[test]
fn missing_parts_prove_nothing() {
    let mut map = [0xff];
    let (program, length) = (RETURN.as_ptr(), RETURN.len());
    let (none, why) = (null(), null_mut());
    let status = unsafe {
        super::stockade_bpfverify_prove(
            program,
            length,
            none,
            1,
            program,
            length,
            null_mut(),
            why,
            0,
        )
    };
    assert_eq!(status, FAILED);
    let status = unsafe {
        super::stockade_bpfverify_floor(
            none.cast(),
            length,
            none,
            0,
            0,
            0,
            null_mut(),
            why,
            0,
        )
    };
    assert_eq!(status, FAILED);
    let status = unsafe {
        super::stockade_bpfverify_cacheable(
            program,
            length,
            0,
            map.as_mut_ptr(),
            1,
            why,
            0,
        )
    };
    assert_eq!((status, map), (ACCEPTED, [0]));
}

#[test]
fn a_panic_is_a_failure() {
    let report = Report { index: null_mut(), why: null_mut(), capacity: 0 };
    let panicking = |_: &[u8]| -> Result<(), _> { panic!("as a test") };
    let (status, _) = unsafe { judge(RETURN.as_ptr(), 8, &report, panicking) };
    assert_eq!(status, FAILED);
}
