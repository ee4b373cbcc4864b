# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expect of routes to files: their content, names, modes, and running them."""

from __future__ import annotations

from route import ABI_TRUNCATE, Route, rows

_READ = (
    *rows(
        "read-openat read-open read-dotdot read-link read-own-root read-relative"
        " read-folder-descriptor read-reopen read-list",
        "EACCES",
        covers="S2-383 S2-213",
    ),
    *rows("read-openat2", "ENOSYS", covers="S2-299"),
    *rows("read-handle", "EPERM", covers="S2-307 GL-073"),
    *rows(
        "read-victim-root read-victim-folder read-victim-descriptor",
        "EACCES",
        "alone",
        "default",
        "processes",
        covers="S2-381 GL-049",
    ),
    *rows("read-inherited read-inherited-folder", "EBADF", covers="S2-148 GL-025"),
    *rows(
        "read-by-new-link read-by-descriptor-link",
        "EXDEV",
        effect="outside-changed",
        covers="S2-241",
    ),
    Route(
        "read-by-empty-link",
        "EXDEV",
        effect="outside-changed",
        needs=("linux-6.10",),
        natural=("ENOENT",),
        same_as="read-by-descriptor-link",
        covers="S2-241",
    ),
    *rows(
        "read-by-rename read-by-exchange read-by-folder-rename",
        "EACCES",
        effect="outside-changed",
        covers="S2-383",
    ),
    *rows("read-shared-memory-file", "EACCES", covers="GL-056"),
)

_BY_TRUNCATION = ((0, "EPERM"), (ABI_TRUNCATE, "EACCES"))
_WRITE = (
    *rows(
        "write-openat write-append write-victim-descriptor write-creat",
        "EACCES",
        effect="outside-changed",
        covers="GL-058",
    ),
    *rows(
        "write-read-grant write-program write-reopen",
        "EACCES",
        effect="granted-changed",
        covers="GL-058",
    ),
    *rows("write-inherited", "EBADF", effect="outside-changed", covers="GL-025"),
    *rows("write-truncate", _BY_TRUNCATION, effect="outside-changed", covers="S2-295"),
    *rows(
        "write-truncate-read-grant write-open-truncate write-open-truncate-legacy",
        _BY_TRUNCATION,
        effect="granted-changed",
        covers="S2-295 GL-079",
    ),
    *rows(
        "write-mode-three write-mode-three-legacy",
        "EPERM",
        "alone",
        "default",
        "metadata",
        effect="outside-changed",
        covers="S2-252",
    ),
    Route(
        "write-mode-three-high",
        "EPERM",
        effect="outside-changed",
        same_as="write-mode-three",
        covers="S2-252",
    ),
    *rows("write-device write-shared-memory-file", "EACCES", covers="GL-056"),
    # The program is gone and says nothing; a file appears, or none.
    Route(
        "write-core",
        "none",
        ("alone", "default"),
        effect="outside-changed",
        needs=("core-files",),
        natural=("none",),
        outside="none",
        covers="S2-383",
    ),
)

_NAMES = (
    *rows(
        "name-create name-folder name-remove name-remove-folder name-symlink"
        " name-move-out name-replace name-link-out",
        "EACCES",
        effect="outside-changed",
        covers="GL-058",
    ),
    *rows("name-nameless-out", "EACCES", effect="outside-changed", covers="S2-383"),
    *rows(
        "name-create-in-read-grant name-move-to-exec-grant",
        "EACCES",
        effect="granted-changed",
        covers="GL-058",
    ),
    *rows("name-nameless", "EACCES", covers="GL-058"),
    *rows(
        "name-link-in-read-grant",
        "EACCES",
        "alone",
        "links",
        effect="granted-changed",
        covers="S2-242",
    ),
    *rows("read-by-own-link", "EACCES", "alone", effect="special-file"),
    # The link can be made; what it leads to is judged all the same.
    Route(
        "read-by-own-link",
        "EACCES",
        ("links",),
        effect="special-file",
        left="special-file",
        covers="S2-243",
    ),
    *rows("name-fifo name-socket", "EACCES", "links", effect="special-file"),
    *rows("name-device name-whiteout", "EPERM", "links", effect="special-file"),
    *rows("name-fifo", "EACCES", "services", effect="special-file", covers="S2-242"),
    *rows("name-link-read-grant", "EXDEV", effect="granted-changed", covers="S2-241"),
    *rows(
        "name-link-in-write-grant name-fifo name-socket",
        "EACCES",
        effect="special-file",
        covers="S2-235 S2-126",
    ),
    *rows(
        "name-rename-link name-rename-fifo name-exchange-link name-hard-link-link",
        "EACCES",
        effect="special-file",
        covers="S2-237",
    ),
    *rows("name-device name-whiteout", "EPERM", effect="special-file", covers="S2-239"),
)

_SETID = (
    *rows(
        "setid-open setid-openat setid-creat setid-nameless setid-mknod setid-mknodat"
        " setid-fchmod setid-chmod setid-fchmodat",
        "EPERM",
        "alone",
        "default",
        "metadata",
        effect="setid-file",
    ),
    Route(
        "setid-fchmodat2",
        "EPERM",
        ("alone", "metadata"),
        effect="setid-file",
        needs=("linux-6.6",),
        natural=("ENOSYS",),
    ),
    Route("setid-fchmod-high", "EPERM", effect="setid-file", same_as="setid-fchmod"),
)


def _since(name: str, kernel: str, covers: str) -> Route:
    return Route(
        name,
        "EPERM",
        effect="outside-changed",
        needs=(kernel,),
        natural=("ENOSYS",),
        covers=covers,
    )


def _attributes(names: str, effect: str) -> tuple[Route, ...]:
    return tuple(
        Route(
            name,
            "EPERM",
            effect=effect,
            needs=("user-attributes",),
            natural=("EOPNOTSUPP",),
            covers="S2-248 S2-249 S2-258",
        )
        for name in names.split()
    )


_METADATA = (
    *rows(
        "metadata-chmod metadata-chown metadata-lchown metadata-utime metadata-utimes"
        " metadata-futimesat metadata-fchmodat metadata-fchownat metadata-utimensat",
        "EPERM",
        effect="outside-changed",
        covers="S2-248 S2-384",
    ),
    *rows(
        "metadata-own-link metadata-empty-chown",
        "EPERM",
        effect="outside-changed",
        covers="S2-255",
    ),
    _since("metadata-fchmodat2", "linux-6.6", covers="S2-248"),
    _since("metadata-empty-chmod", "linux-6.6", covers="S2-255"),
    # utimensat takes an empty path since 5.8.
    *rows("metadata-empty-times", "EPERM", effect="outside-changed", covers="S2-255"),
    *rows("metadata-fchown", "EPERM", effect="granted-changed", covers="S2-249"),
    *rows(
        "metadata-chmod metadata-chown metadata-utimes metadata-fchmodat"
        " metadata-fchownat metadata-utimensat metadata-empty-times",
        "EPERM",
        "strict",
        effect="outside-changed",
        covers="GL-060 GL-061",
    ),
    *rows(
        "metadata-fchown limit-open-metadata",
        "EPERM",
        "strict",
        effect="granted-changed",
        covers="GL-060 GL-061",
    ),
    *rows("works-metadata-by-descriptor", "EPERM", "strict", covers="GL-060"),
    *_attributes(
        "metadata-setxattr metadata-lsetxattr metadata-removexattr"
        " metadata-lremovexattr",
        "outside-changed",
    ),
    *_attributes("metadata-fsetxattr metadata-fremovexattr", "granted-changed"),
    _since("metadata-setxattrat", "linux-6.13", covers="S2-248"),
    _since("metadata-removexattrat", "linux-6.13", covers="S2-248"),
    _since("metadata-file-setattr", "linux-6.17", covers="S2-248"),
    *(
        Route(
            name,
            "EPERM",
            ("alone", "default", "metadata"),
            effect="granted-changed",
            needs=("file-flags",),
            natural=("broken", "ENOTTY"),
            same_as=same_as,
            covers="S2-253",
        )
        for name, same_as in (
            ("metadata-flags", ""),
            ("metadata-flags-high", "metadata-flags"),
            ("metadata-extended-flags", ""),
            ("metadata-version", ""),
        )
    ),
)

_MEMORY = ("executable-memory-files",)
_EXEC = (
    *rows(
        "exec-outside exec-read-grant exec-written exec-nameless exec-script"
        " exec-interpreter exec-relative exec-own-link",
        "EACCES",
        covers="S2-180 S2-215",
    ),
    *rows("exec-descriptor", "EPERM", covers="S2-180"),
    Route("exec-descriptor-high", "EPERM", same_as="exec-descriptor"),
    *(
        Route(
            name,
            "ENOSYS",
            ("alone", "default"),
            needs=_MEMORY,
            natural=("EACCES",),
            covers="S2-180",
        )
        for name in ("exec-memory", "exec-memory-path")
    ),
    # By its path it runs; see `routes_granted`.
    Route(
        "exec-memory",
        "EPERM",
        ("memory",),
        needs=_MEMORY,
        natural=("EACCES",),
        covers="GL-168",
    ),
    Route(
        "exec-memory-explicit",
        "ENOSYS",
        needs=("linux-6.3",),
        natural=("EINVAL",),
        same_as="exec-memory-path",
    ),
    Route(
        "exec-memory-huge",
        "ENOSYS",
        needs=("linux-6.3",),
        natural=("EINVAL",),
        covers="S2-180",
    ),
)

FILES: tuple[Route, ...] = (*_READ, *_WRITE, *_NAMES, *_SETID, *_METADATA, *_EXEC)
