# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make policies that macOS can hold: named ones for each key, and any at random."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from stockade.abi.targets import System
from stockade.model.overlap import overlaps
from stockade.model.path_family import folded
from stockade.model.policy import (
    Access,
    Base,
    Children,
    Commands,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Ipc,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    Signals,
    Symlinks,
    UnixSockets,
)
from stockade.model.policy import System as SystemSet
from stockade.plan.support import unbuilt

GRANTS = (
    Grant("/Users/me/Tools", Access.READ_EXEC),
    Grant("/Users/me/data", Access.READ),
    Grant("/Users/me/data/out", Access.READ_WRITE),
    Grant("/tmp/work", Access.READ_WRITE),
)
_PLAIN = Policy(grants=GRANTS)
_COMMAND = Grant("/bin/cat", Access.COMMAND)
_PRIVATE = replace(
    _PLAIN,
    ip=Ip.PRIVATE,
    signals=Signals.ISOLATED,
    expose=(Expose("127.0.0.1:9000", 8080), Expose("[::1]:9001", 8081)),
    forward=(Forward(5432, "db.example:5432"),),
    egress=Egress(3128),
)
# One policy for every word that macOS tells from the others.
NAMED: dict[str, Policy] = {
    "nothing granted": Policy(),
    "plain": _PLAIN,
    "network client": replace(_PLAIN, ip=Ip.CLIENT),
    "whole network": replace(_PLAIN, ip=Ip.ALL),
    "private network": _PRIVATE,
    "private network of IPv4": replace(_PRIVATE, relays=Relays.IPV4),
    "unix sockets": replace(_PLAIN, unix_sockets=UnixSockets.ALL),
    "unix sockets of a client": replace(
        _PLAIN, unix_sockets=UnixSockets.ALL, ip=Ip.CLIENT
    ),
    "links": replace(_PLAIN, symlinks=Symlinks.ALLOW),
    "terminating signals": replace(_PLAIN, signals=Signals.TERMINATE),
    "isolated signals": replace(_PLAIN, signals=Signals.ISOLATED),
    "no children": replace(_PLAIN, signals=Signals.SELF, children=Children.NONE),
    "contained children": replace(
        _PLAIN, signals=Signals.ISOLATED, children=Children.CONTAINED
    ),
    "listed commands": replace(
        _PLAIN, commands=Commands.LISTED, grants=(_COMMAND, *GRANTS)
    ),
    "services": replace(
        _PLAIN, ip=Ip.ALL, mach_services=("com.apple.SecurityServer", "org.example.a")
    ),
    "metadata": replace(_PLAIN, path_metadata=PathMetadata.ALLOW),
    "shared objects": replace(_PLAIN, ipc=Ipc.SHARED),
    "memory files": replace(_PLAIN, memory_files=MemoryFiles.ALLOWED),
    "others fixed": replace(_PLAIN, others=Others.FIXED),
    "protected projects": replace(
        _PLAIN, project_files=ProjectFiles.PROTECTED, project_write=("/tmp/work",)
    ),
    "variables": replace(
        _PLAIN,
        environment_base=Base.LOCALE,
        pass_names=("HOME",),
        set_values=(("A", "b"),),
    ),
    "all of the disk": Policy(
        system=SystemSet.NONE, grants=(Grant("/", Access.READ_EXEC),)
    ),
    "odd names": Policy(
        grants=tuple(
            Grant(f"/odd/{name}", access)
            for name, access in zip(
                ('a "b"', "a\\b", "a)(allow default", "ä b", "#|c", "A.b+[c]*"),
                (Access.READ, Access.READ_WRITE) * 3,
                strict=True,
            )
        )
    ),
}

_NAMES = st.sampled_from(["a", "b", "B", "a b", 'q"', "back\\", "x.y+", "é", "-"])
_ROOTS = st.sampled_from(["/srv", "/tmp", "/Users/me", "/System/Volumes/Data/opt", ""])
_PATHS = st.builds(
    lambda root, names: f"{root}/{'/'.join(names)}",
    _ROOTS,
    st.lists(_NAMES, min_size=1, max_size=3),
)
_PORTS = st.integers(1, 65535)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Make a policy that a reader could have made and that macOS can hold."""
    policy = Policy(
        grants=draw(_grants()),
        ip=draw(st.sampled_from(Ip)),
        unix_sockets=draw(st.sampled_from(UnixSockets)),
        symlinks=draw(st.sampled_from(Symlinks)),
        signals=draw(st.sampled_from(Signals)),
        children=draw(st.sampled_from(Children)),
        others=draw(st.sampled_from(Others)),
        path_metadata=draw(st.sampled_from(PathMetadata)),
        ipc=draw(st.sampled_from([None, *Ipc])),
        memory_files=draw(st.sampled_from([None, *MemoryFiles])),
        project_files=draw(st.sampled_from(ProjectFiles)),
    )
    if policy.signals is Signals.SELF:
        policy = replace(policy, children=Children.NONE)
    if policy.children is not Children.ALLOWED:
        policy = replace(policy, unix_sockets=UnixSockets.NONE)
    if policy.children is Children.CONTAINED:
        policy = replace(policy, signals=Signals.ISOLATED)
    if policy.ip is Ip.PRIVATE:
        ports = draw(st.lists(_PORTS, min_size=3, max_size=3, unique=True))
        policy = replace(
            policy,
            relays=draw(st.sampled_from(Relays)),
            expose=(Expose("127.0.0.1:1", ports[0]),),
            forward=(Forward(ports[1], "h.example:1"),),
            egress=draw(st.sampled_from([None, Egress(ports[2])])),
        )
        if policy.signals not in (Signals.ISOLATED, Signals.SELF):
            policy = replace(policy, signals=Signals.ISOLATED)
    assert not unbuilt(policy, System.MACOS)
    return policy


@st.composite
def _grants(draw: st.DrawFn) -> tuple[Grant, ...]:
    accesses = (Access.READ, Access.READ_EXEC, Access.READ_WRITE)
    found: list[Grant] = []
    for path in draw(st.lists(_PATHS, max_size=5, unique=True)):
        grant = Grant(path, draw(st.sampled_from(accesses)))
        more = sorted([*found, grant])
        if not list(overlaps(more, lambda one: folded(one, System.MACOS))):
            found = more
    return tuple(found)
