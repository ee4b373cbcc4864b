# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give each path and port of a policy the name by which the profile takes it.

INVARIANT: names depend on nothing but the keys of a policy and how many paths and
ports each key has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from stockade.model.macos_artifact import Parameter, ParameterKind
from stockade.model.macos_paths import LINKS_IN_ROOT
from stockade.model.macos_set import (
    RESOLVER_SOCKET,
    listed_macos_folders,
    mapped_macos_paths,
    readable_macos_paths,
    writable_macos_devices,
)
from stockade.model.policy import Access, Ip, Policy
from stockade.model.project_files import protected_folders

_TERMINAL = "/dev/tty"


@dataclass(frozen=True)
class Parameters:
    """The values that a policy's profile takes, in groups of one use each."""

    policy: Policy

    @cached_property
    def read(self) -> tuple[Parameter, ...]:
        """Give the paths that may be read."""
        return _paths("READ", self._granted(Access.READ))

    @cached_property
    def execute(self) -> tuple[Parameter, ...]:
        """Give the paths with programs."""
        return _paths("EXEC", self._granted(Access.READ_EXEC))

    @cached_property
    def command(self) -> tuple[Parameter, ...]:
        """Give the listed programs."""
        return _paths("COMMAND", self._granted(Access.COMMAND))

    @cached_property
    def write(self) -> tuple[Parameter, ...]:
        """Give the writable paths that hold no protected files."""
        projects = set(protected_folders(self.policy))
        writable = self._granted(Access.READ_WRITE)
        return _paths("WRITE", (path for path in writable if path not in projects))

    @cached_property
    def project(self) -> tuple[Parameter, ...]:
        """Give the writable paths whose project files stay as they are."""
        return _paths("PROJECT", protected_folders(self.policy))

    @cached_property
    def written(self) -> tuple[Parameter, ...]:
        """Give every path of the policy once more, spelled as it is there."""
        groups = (self.read, self.execute, self.command, self.write, self.project)
        return tuple(
            Parameter(f"{one.name}_WRITTEN", ParameterKind.WRITTEN, one.value)
            for group in groups
            for one in group
        )

    @cached_property
    def library(self) -> tuple[Parameter, ...]:
        """Give the paths of the system set whose code may be loaded."""
        return _system("LIBRARY", mapped_macos_paths(self.policy))

    @cached_property
    def device(self) -> tuple[Parameter, ...]:
        """Give the devices of the system set that may be written."""
        return _system("DEVICE", writable_macos_devices(self.policy))

    @cached_property
    def system(self) -> tuple[Parameter, ...]:
        """Give what else of the system set may be read."""
        others = {one.value for one in (*self.library, *self.device)}
        return _system("SYSTEM", set(readable_macos_paths(self.policy)) - others)

    @cached_property
    def folder(self) -> tuple[Parameter, ...]:
        """Give the folders of the system set that may be listed and no more."""
        return _system("FOLDER", listed_macos_folders(self.policy))

    @cached_property
    def link(self) -> tuple[Parameter, ...]:
        """Give the links in the root folder."""
        return _system("LINK", LINKS_IN_ROOT)

    @cached_property
    def terminal(self) -> tuple[Parameter, ...]:
        """Give the device that stands for a program's own terminal."""
        return (Parameter("TERMINAL", ParameterKind.SYSTEM_PATH, _TERMINAL),)

    @cached_property
    def resolver(self) -> tuple[Parameter, ...]:
        """Give the socket of the system's resolver, where names are to resolve."""
        if self.policy.ip not in {Ip.CLIENT, Ip.ALL}:
            return ()
        return (Parameter("RESOLVER", ParameterKind.SYSTEM_PATH, RESOLVER_SOCKET),)

    @cached_property
    def outward(self) -> tuple[Parameter, ...]:
        """Give the ports of a private network that the program connects to."""
        if self.policy.ip is not Ip.PRIVATE:
            return ()
        ports = _ports("FORWARD", (one.port for one in self.policy.forward))
        if self.policy.egress:
            ports += _ports("EGRESS", (self.policy.egress.port,))
        return ports

    @cached_property
    def inward(self) -> tuple[Parameter, ...]:
        """Give the ports of a private network that the program listens on."""
        if self.policy.ip is not Ip.PRIVATE:
            return ()
        return _ports("EXPOSE", (one.port for one in self.policy.expose))

    @cached_property
    def program(self) -> tuple[Parameter, ...]:
        """Give the program, which only a start names."""
        return (Parameter("PROGRAM", ParameterKind.PROGRAM, ""),)

    def table(self) -> tuple[Parameter, ...]:
        """Give all of them, in the order in which the profile tells of them."""
        return (
            *(*self.program, *self.folder, *self.link, *self.library),
            *(*self.system, *self.device, *self.terminal),
            *(*self.read, *self.execute, *self.command, *self.write, *self.project),
            *(*self.written, *self.outward, *self.inward, *self.resolver),
        )

    def _granted(self, access: Access) -> Iterator[str]:
        return (one.path for one in self.policy.grants if one.access is access)


def _paths(group: str, paths: Iterable[str]) -> tuple[Parameter, ...]:
    return _numbered(group, ParameterKind.PATH, paths)


def _system(group: str, paths: Iterable[str]) -> tuple[Parameter, ...]:
    return _numbered(group, ParameterKind.SYSTEM_PATH, paths)


def _numbered(
    group: str, kind: ParameterKind, paths: Iterable[str]
) -> tuple[Parameter, ...]:
    """Name paths from shallow to deep, as rules must stand."""
    ordered = sorted(paths, key=lambda path: (path.rstrip("/").count("/"), path))
    return tuple(
        Parameter(f"{group}_{number}", kind, path)
        for number, path in enumerate(ordered)
    )


def _ports(group: str, ports: Iterable[int]) -> tuple[Parameter, ...]:
    # The only name of a host that a profile knows beside `*`; an address does not
    # compile. It stands for every address of this Mac.
    return tuple(
        Parameter(f"{group}_{number}", ParameterKind.PORT, f"localhost:{port}")
        for number, port in enumerate(sorted(ports))
    )
