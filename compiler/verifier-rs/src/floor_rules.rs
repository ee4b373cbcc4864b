// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists the calls that every policy refuses, by name and by their arguments.
//!
//! Constants are those of the kernel's UAPI headers (`linux/sched.h`, `linux/fcntl.h`,
//! `asm-generic/ioctls.h`, `linux/fs.h` and what the comments name); they are equal on
//! `x86_64` and aarch64. Only the low word of an `int` is looked at.

use crate::claim::Test;

/// Calls, by name, for which all tests together mean a refusal.
pub(crate) type Rule = (&'static str, Vec<Test>);

const LOW: u64 = 0xffff_ffff;
const BOTH: u64 = u64::MAX;

/// The argument under a mask is one of the values.
fn is(argument: usize, mask: u64, values: &[u64]) -> Test {
    let mut ranges: Vec<(u64, u64)> = values.iter().map(|one| (*one, *one)).collect();
    ranges.sort_unstable();
    Test { argument, negated: false, own_pid: false, mask, ranges }
}

/// The argument has one of the bits.
fn any(argument: usize, mask: u64) -> Test {
    Test { negated: true, ..is(argument, mask, &[0]) }
}

/// The argument has none of the bits.
fn none(argument: usize, mask: u64) -> Test {
    is(argument, mask, &[0])
}

/// Everything that is refused under every policy; with a wide kernel surface a little
/// less.
pub(crate) fn rules(wide: bool) -> Vec<Rule> {
    let mut rules: Vec<Rule> =
        WHOLE_CALLS.iter().map(|names| (*names, Vec::new())).collect();
    if !wide {
        rules.push((SURFACE, Vec::new()));
    }
    rules.extend(surface_rules());
    rules.extend(process_rules());
    rules.extend(file_rules());
    rules.push(("ioctl", vec![is(1, LOW, TERMINAL_REQUESTS)]));
    rules.push(("ioctl", vec![is(1, LOW, FILE_REQUESTS)]));
    rules
}

const WHOLE_CALLS: &[&str] = &[
    // Their flags or operations lie in memory, which no filter can read.
    "clone3 openat2 io_uring_setup io_uring_enter io_uring_register",
    // Namespaces, mounts, and file handles, which pass all path rules.
    "unshare setns mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick",
    "move_mount open_tree open_tree_attr mount_setattr",
    "name_to_handle_at open_by_handle_at",
    // Kernel code, power, clock, hardware, accounts, keys, shared state.
    "init_module finit_module delete_module create_module get_kernel_syms",
    "query_module kexec_load kexec_file_load swapon swapoff reboot",
    "settimeofday clock_settime clock_adjtime adjtimex iopl ioperm",
    "acct quotactl quotactl_fd add_key keyctl request_key",
    "sethostname setdomainname vhangup",
    "nfsservctl lookup_dcookie _sysctl sysfs uselib ustat",
    // Names in denied folders, and other processes' memory, past Landlock.
    "fanotify_init fanotify_mark process_mrelease",
    // Landlock does not see a queue's name made or removed.
    "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
];

/// Kernel surface, and what Landlock's ptrace scope keeps to the sandbox.
const SURFACE: &str = "bpf perf_event_open userfaultfd syslog modify_ldt ptrace \
     process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise";

/// What stays refused of the kernel surface, wide or not.
fn surface_rules() -> Vec<Rule> {
    vec![
        // BPF_OBJ_PIN and BPF_OBJ_GET reach objects by path.
        ("bpf", vec![is(0, LOW, &[6, 7])]),
        // Every process of a processor; PERF_FLAG_PID_CGROUP, those of a group.
        ("perf_event_open", vec![is(1, LOW, &[LOW])]),
        ("perf_event_open", vec![any(4, 4)]),
    ]
}

fn process_rules() -> Vec<Rule> {
    // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; CLONE_PARENT.
    let namespaces = 0x7e02_0000;
    let parent = 0x8000;
    let another = Test { negated: true, own_pid: true, ..is(0, LOW, &[0]) };
    vec![
        ("clone", vec![any(0, namespaces)]),
        ("clone", vec![any(0, parent)]),
        // New limits, by a pointer, for a process other than the own one.
        ("prlimit64", vec![any(2, BOTH), another]),
        // AT_EMPTY_PATH runs a descriptor, unless AT_EXECVE_CHECK only asks.
        ("execveat", vec![any(4, 0x1000), none(4, 0x1_0000)]),
    ]
}

fn file_rules() -> Vec<Rule> {
    let setid = 0o6000;
    // O_CREAT or __O_TMPFILE, without which the mode means nothing.
    let creates = 0x40_0040;
    let kind = 0o170_000;
    let devices = [0o020_000, 0o060_000];
    vec![
        // Access mode 3 gives a descriptor of a file that Landlock denies.
        ("open", vec![is(1, 3, &[3])]),
        ("openat", vec![is(2, 3, &[3])]),
        ("open", vec![any(1, creates), any(2, setid)]),
        ("openat", vec![any(2, creates), any(3, setid)]),
        ("creat mkdir mknod chmod fchmod", vec![any(1, setid)]),
        ("mkdirat mknodat fchmodat fchmodat2", vec![any(2, setid)]),
        ("mknod", vec![is(1, kind, &devices)]),
        ("mknodat", vec![is(2, kind, &devices)]),
        // RENAME_WHITEOUT makes a device node.
        ("renameat2", vec![any(4, 4)]),
        // F_SETLEASE, F_NOTIFY, F_SETDELEG.
        ("fcntl", vec![is(1, LOW, &[1024, 1026, 1040])]),
    ]
}

/// TIOCSTI, TIOCLINUX; TIOCEXCL, TIOCCONS, TIOCSETD, TIOCVHANGUP.
const TERMINAL_REQUESTS: &[u64] = &[0x5412, 0x541c, 0x540c, 0x541d, 0x5423, 0x5437];

const FILE_REQUESTS: &[u64] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x4100_9432, // FS_IOC_SETFSLABEL
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0xc050_6617, // FS_IOC_ADD_ENCRYPTION_KEY
    0xc040_6618, // FS_IOC_REMOVE_ENCRYPTION_KEY
    0xc040_6619, // FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS
    0xc018_9436, // FIDEDUPERANGE
    0x6609,      // EXT4_IOC_MIGRATE
    0x660c,      // EXT4_IOC_ALLOC_DA_BLKS
    0x6611,      // EXT4_IOC_SWAP_BOOT
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_940e, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_940f, // BTRFS_IOC_SNAP_DESTROY
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
    0x4008_941a, // BTRFS_IOC_SUBVOL_SETFLAGS
    0xc0c8_9425, // BTRFS_IOC_SET_RECEIVED_SUBVOL
];

#[cfg(test)]
mod tests {
    use super::rules;
    use crate::linux_calls::{CALLS, HIGHEST, NONE};

    #[test]
    fn every_name_is_that_of_a_call() {
        for (names, _) in rules(false) {
            for name in names.split_ascii_whitespace() {
                assert!(CALLS.iter().any(|call| call.0 == name), "{name}");
            }
        }
    }

    #[test]
    fn numbers_and_widths_are_plausible() {
        let x86_64 = CALLS.iter().map(|call| call.1);
        let aarch64 = CALLS.iter().map(|call| call.2);
        for numbers in [x86_64.collect::<Vec<u32>>(), aarch64.collect()] {
            let mut numbers = numbers;
            numbers.retain(|number| *number != NONE);
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), count);
            assert_eq!(numbers.last(), Some(&HIGHEST));
        }
        // Landlock's calls have the same numbers everywhere; so has all that is newer.
        for (name, x86_64, aarch64, narrow) in CALLS {
            assert!(*x86_64 < 424 || x86_64 == aarch64 || *x86_64 == NONE, "{name}");
            assert!(*narrow < 64, "{name}");
        }
        let ioctl = CALLS.iter().find(|call| call.0 == "ioctl");
        assert_eq!(ioctl, Some(&("ioctl", 16, 29, 0b011)));
        let socket = CALLS.iter().find(|call| call.0 == "socket");
        assert_eq!(socket, Some(&("socket", 41, 198, 0b111)));
    }
}
