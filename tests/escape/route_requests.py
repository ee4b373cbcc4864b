# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say which request each route of the escape program makes, where it is just one.

`{a}` stands for the arena. A number of a process other than `own-pid` is another's,
a pointer is 0x10000, a descriptor 3.
"""

from __future__ import annotations

_TABLE = """
read {a}/outside/secret: read-openat read-open read-dotdot read-link read-own-root
    read-relative read-folder-descriptor read-reopen read-by-own-link
list {a}/outside: read-list
call openat2: read-openat2
call name_to_handle_at: read-handle
read /dev/shm/x: read-shared-memory-file
write {a}/outside/secret: write-openat write-append write-creat
write {a}/read/data: write-read-grant write-reopen
write {a}/exec/program: write-program
truncate {a}/outside/secret: write-truncate
truncate {a}/read/data: write-truncate-read-grant write-open-truncate
    write-open-truncate-legacy
call openat 0 0x10000 3: write-mode-three
call open 0x10000 3: write-mode-three-legacy
call openat 0 0x10000 0x100000003: write-mode-three-high
write /dev/shm/x: write-shared-memory-file
create-file {a}/outside: name-create name-move-out name-replace name-link-out
    name-nameless-out
create-folder {a}/outside: name-folder
remove-file {a}/outside: name-remove
remove-folder {a}/outside: name-remove-folder
create-link {a}/outside: name-symlink
create-file {a}/read: name-create-in-read-grant
create-file {a}/exec: name-move-to-exec-grant
create-link {a}/read: name-link-in-read-grant
create-fifo {a}/write: name-fifo name-rename-fifo
create-socket {a}/write: name-socket
call mknodat 0 0x10000 0o20600: name-device
call renameat2 0 0x10000 0 0x10000 4: name-whiteout
create-link {a}/write: name-link-in-write-grant name-rename-link name-exchange-link
    name-hard-link-link
call open 0x10000 0x41 0o4755: setid-open
call openat 0 0x10000 0x41 0o4755: setid-openat
call creat 0x10000 0o4755: setid-creat
call openat 0 0x10000 0x410001 0o4755: setid-nameless
call mknod 0x10000 0o104755: setid-mknod
call mknodat 0 0x10000 0o104755: setid-mknodat
call fchmod 3 0o4755: setid-fchmod
call fchmod 3 0x1000009ed: setid-fchmod-high
call chmod 0x10000 0o4755: setid-chmod
call fchmodat 0 0x10000 0o4755: setid-fchmodat
call fchmodat2 0 0x10000 0o4755: setid-fchmodat2
call chmod 0x10000 0o600: metadata-chmod metadata-own-link works-metadata-by-path
call chown 0x10000: metadata-chown
call lchown 0x10000: metadata-lchown
call utime 0x10000: metadata-utime
call utimes 0x10000: metadata-utimes
call futimesat 0 0x10000: metadata-futimesat
call fchmodat 0 0x10000 0o600: metadata-fchmodat
call fchownat 0 0x10000: metadata-fchownat
call utimensat 0 0x10000: metadata-utimensat
call fchownat 3 0x10000 0 0 0x1000: metadata-empty-chown
call fchmodat2 0 0x10000 0o600: metadata-fchmodat2
call fchmodat2 3 0x10000 0o600 0x1000: metadata-empty-chmod
call utimensat 3 0x10000 0 0x1000: metadata-empty-times
call fchown 3: metadata-fchown
call fchmod 3 0o600: works-metadata-by-descriptor limit-open-metadata
call setxattr 0x10000: metadata-setxattr works-attributes
call lsetxattr 0x10000: metadata-lsetxattr
call removexattr 0x10000: metadata-removexattr
call lremovexattr 0x10000: metadata-lremovexattr
call fsetxattr 3: metadata-fsetxattr
call fremovexattr 3: metadata-fremovexattr
call setxattrat 0 0x10000: metadata-setxattrat
call removexattrat 0 0x10000: metadata-removexattrat
call file_setattr 0 0x10000: metadata-file-setattr
call ioctl 3 0x40086602: metadata-flags
call ioctl 3 0x140086602: metadata-flags-high
call ioctl 3 0x401c5820: metadata-extended-flags
call ioctl 3 0x40087602: metadata-version
exec {a}/outside/program: exec-outside exec-relative exec-own-link
exec {a}/read/data: exec-read-grant
exec {a}/write/made: exec-written exec-nameless
call execveat 3 0x10000 0 0 0x1000: exec-descriptor
call execveat 3 0x10000 0 0 0x100001000: exec-descriptor-high
call memfd_create 0x10000 0: exec-memory exec-memory-path
call memfd_create 0x10000 0x10: exec-memory-explicit
call memfd_create 0x10000 12: exec-memory-huge
call unshare 0x10000000: namespace-unshare namespace-root namespace-mount
    namespace-detached-tree
call unshare 0x400: namespace-files
call clone 0x10000011: namespace-clone
call clone 0x110000011: namespace-clone-high
call clone3 0x10000: namespace-clone3 child-clone3
call open_tree: namespace-tree
call setns 3: namespace-join
call ptrace 0x4206 4000: victim-seize
call ptrace 0x10 4000: victim-attach
call process_vm_readv 4000: victim-read
call process_vm_writev 4000: victim-write
call pidfd_getfd 3: victim-descriptor
call kcmp 4000 4001: victim-compare
call get_robust_list 4000: victim-robust-list
call move_pages 4000: victim-pages
call prlimit64 4000 7 0x10000: victim-limits
call prlimit64 4000 7 0x100010000: victim-limits-high
call prlimit64 4000 7 0 0x10000: limit-others
call setpriority 0 4000 5: victim-priority
call setpriority 1 4000 5: victim-priority-of-group
call ioprio_set 1 4000: victim-io-priority
call sched_setaffinity 4000: victim-affinity
call sched_setscheduler 4000: victim-scheduler
call sched_setattr 4000: victim-scheduler-attributes
signal USR1: signal-kill signal-thread signal-group-thread signal-queue
    signal-queue-thread signal-descriptor signal-kill-high signal-parent
signal TERM: signal-end signal-end-thread signal-end-queue signal-end-descriptor
call kill 0 10: signal-own-group
call kill 0xfffffffffffff000 10: signal-group
call kill 0xffffffffffffffff 10: signal-everyone
call fcntl 3 8 4000: signal-owner signal-owner-group
call fcntl 3 15: signal-owner-extended
call fcntl 0 4 0x2000: terminal-async
call ioctl 3 0x8901: signal-socket-owner
call ioctl 3 0x8902: signal-socket-group
call setpgid 0 4000: signal-join-group
call fcntl 3 1024: signal-lease
call fcntl 3 1026: signal-notify
spawn: child-fork child-vfork child-clone child-shared-memory child-from-thread
    works-children works-child-program
call clone 0x1000000000011: child-thread-bit-high
call clone 0x8011: child-sibling child-sibling-high
call shmat 3: ipc-memory
call shmget 1: ipc-memory-by-key
call msgsnd 3: ipc-queue
call semop 3: ipc-semaphore
call mq_open 0x10000: ipc-posix-queue ipc-posix-queue-make
call mq_unlink 0x10000: ipc-posix-queue-remove
call keyctl 11: ipc-key-read
call request_key 0x10000: ipc-key-request
call add_key 0x10000: ipc-key-add
env STOCKADE_ESCAPE_SECRET: ipc-environment
call ioctl 0 0x5412: terminal-type
call ioctl 0 0x100005412: terminal-type-high
call ioctl 0 0x540c: terminal-exclusive
call ioctl 0 0x5423: terminal-discipline
call ioctl 0 0x5414: terminal-size
call ioctl 0 0x5410: terminal-foreground
read /dev/pts/0: terminal-open terminal-reopen
device-request /dev/pts/0: terminal-own-device
connect 127.0.0.1:80: socket-tcp
connect [::1]:80: socket-tcp6
connect udp 127.0.0.1:80: socket-udp works-client-exchange
call socket 2 1 262: socket-mptcp client-bind-mptcp
call socket 0x100000002 1: socket-high
listen 0: socket-listen client-listen-unbound client-listen-unbound-six
call socket 16 3 0: socket-route
call ioctl 3 0x8912: socket-interfaces
call socket 2 2 1: socket-ping
call socket 2 2 136: socket-udp-lite
call socket 40 1: socket-vsock
call socket 16 3 4: socket-diagnosis
call socket 16 3 15: socket-events
connect unix {a}/outside/stream: socket-path socket-path-datagram
connect unix @arena: socket-abstract
call socketpair 1 2: socket-pair-datagram socket-pair-abstract
call socketpair 1 3: socket-pair-raw
call socketpair 1 1: works-socket-pair
call bind 3 0x10000 16: socket-pair-bind
call socket 1 1: socket-bind
bind 8080: client-bind client-bind-six
bind udp 8080: client-bind-udp client-bind-udp-six
bind 0: works-client-bind
call io_uring_setup 1: kernel-ring
call fanotify_init: kernel-watch
call userfaultfd: kernel-user-faults
call perf_event_open: kernel-performance
call syslog 3: kernel-log
call quotactl: kernel-quota
call i386:20: foreign-i386-getpid foreign-i386-open foreign-i386-chmod
    foreign-i386-socket foreign-i386-kill foreign-i386-fork
call 0x40000002: foreign-x32-open foreign-x32-socket foreign-x32-kill
read {a}/read/data: works-read
list {a}/read: works-list
write {a}/write/file: works-write works-truncate
truncate {a}/write/file: works-truncate-path
create-file {a}/write: works-create works-nameless works-rename works-hard-link
remove-file {a}/write: works-remove-host-link
move {a}/write: works-rename-across
write /dev/null: works-devices
exec {a}/exec/program: works-exec
call clone 0x3d0f00: works-threads
call tkill own-pid 10: works-raise
call kill own-pid 10: works-kill-self
call tkill 4000 10: works-thread-signal
call prlimit64 0 7 0x10000: works-own-limits
call prlimit64 own-pid 7 0x10000: works-own-limits-by-number
call setpgid 0 0: works-own-group
call memfd_create 0x10000 8: works-sealed-memory
call newfstatat: limit-stat
call chdir 0x10000: limit-folder
call readlinkat 0 0x10000: limit-link-target
call flock 3: limit-lock
call inotify_add_watch 3: limit-watch
"""

_NO_REQUEST = """
a link of /proc that the kernel follows only for one who may debug the process:
    read-victim-root read-victim-folder read-victim-descriptor write-victim-descriptor
    victim-link-target victim-memory-file victim-environment victim-maps
    victim-badness victim-namespace
descriptors above 2 are closed by the start: read-inherited read-inherited-folder
    write-inherited works-descriptors
two paths whose rights are compared: read-by-new-link read-by-descriptor-link
    read-by-empty-link read-by-rename read-by-exchange read-by-folder-rename
    name-link-read-grant limit-hard-link limit-folder-of-links
what a device itself answers: write-device
what the kernel does for a program that has ended: write-core
a file without a name is given one: name-nameless
a second file that the kernel executes: exec-script exec-interpreter
an answer of Landlock or seccomp about themselves: kernel-loosen-filter
    kernel-loosen-listener kernel-loosen-domain kernel-exec-again
what a child does after it was started: child-inherits
several calls after each other: works-abort works-terminal works-debugger
    terminal-modes limit-process-numbers
Unix sockets that listen: client-listen-local client-listen-local-packets
"""


def _read(table: str) -> dict[str, str]:
    entries: list[str] = []
    for line in table.strip().splitlines():
        if line.startswith(" "):
            entries[-1] += " " + line.strip()
        else:
            entries.append(line)
    found = {}
    for entry in entries:
        words, _, names = entry.rpartition(": ")
        found |= dict.fromkeys(names.split(), words)
    return found


# A call that passes the filter under these policies, and is denied behind it: by
# Landlock's ptrace scope and by what the kernel asks of debuggers, by the rights on
# the file of a queue, and by the rule on descriptors that the next call meets.
BEHIND_THE_FILTER: dict[str, tuple[str, ...]] = {
    "wide": (
        *("victim-seize", "victim-attach", "victim-read", "victim-write"),
        *("victim-descriptor", "victim-compare"),
    ),
    "alone": ("victim-robust-list", "victim-pages"),
    "default": ("victim-robust-list", "victim-pages"),
    "memory": ("exec-memory",),
}

# By route: the request as words, and why there is none.
REQUESTS = _read(_TABLE)
NO_REQUEST = _read(_NO_REQUEST)
