# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold one side of a comparison: an artifact, what it means, where it was written."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Generic, TypeAlias, TypeGuard, TypeVar

from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.place import Place, Places, grant_key
from stockade.model.policy import Grant, Policy
from stockade.model.windows_artifact import WindowsArtifact

Made_co = TypeVar("Made_co", bound=AnyArtifact, covariant=True)


@dataclass(frozen=True, slots=True)
class Subject(Generic[Made_co]):
    """An artifact beside the policy it claims to hold, with the paths of its system.

    Where only a bundle is at hand, no place is known.
    """

    artifact: Made_co
    policy: Policy
    places: Places = field(default_factory=Places)

    def key(self, name: str) -> Place:
        """Give the place of a field of the policy."""
        return self.places.keys.get(name, Place(name))

    def place(self, grant: Grant) -> Place:
        """Give the place of a path rule of the policy."""
        return self.places.grants.get(grant, Place(grant_key(grant.access)))


AnySubject: TypeAlias = Subject[AnyArtifact]
LinuxSubject: TypeAlias = Subject[Artifact]
# Of systems whose artifacts have one level and tell no kinds of hosts apart.
FlatSubject: TypeAlias = Subject[MacosArtifact] | Subject[WindowsArtifact]


def on_linux(subject: AnySubject) -> TypeGuard[LinuxSubject]:
    """Tell whether a subject is of Linux, which has kinds of hosts and filters."""
    return isinstance(subject.artifact, Artifact)


def is_flat(subject: AnySubject) -> TypeGuard[FlatSubject]:
    """Tell whether a subject is of a system whose requests a judge is asked about."""
    return isinstance(subject.artifact, MacosArtifact | WindowsArtifact)


def changed_fields(old: Policy, new: Policy) -> tuple[str, ...]:
    """List the fields in which two policies differ, in their order."""
    return tuple(
        one.name
        for one in fields(Policy)
        if getattr(old, one.name) != getattr(new, one.name)
    )


def taken_streams(subject: AnySubject) -> tuple[str, ...]:
    """List the kinds of sockets that a standard stream may be.

    A launcher that takes every IP socket takes a connected one as well.
    """
    kinds = subject.artifact.streams
    if "inet" in kinds and _CONNECTED not in kinds:
        return (*kinds, _CONNECTED)
    return kinds


_CONNECTED = "tcp-connected"
