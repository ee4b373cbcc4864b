# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make small artifacts of macOS and Windows by hand, and a judge that obeys keys."""

from __future__ import annotations

from dataclasses import replace

from stockade.abi.targets import System
from stockade.driver.review import JUDGES
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import EnvironmentRow
from stockade.model.deviation import expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.environment import variables
from stockade.model.key_rows import key_rows, policy_of
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.policy import Policy
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    PathEntries,
    WindowsArtifact,
)
from stockade.review.judges import Decide
from stockade.review.subject import FlatSubject, Subject


def _environment(policy: Policy, system: System) -> tuple[EnvironmentRow, ...]:
    return tuple(
        EnvironmentRow(one.name, one.value) for one in variables(policy, system)
    )


def macos_subject(policy: Policy) -> Subject[MacosArtifact]:
    """Give a profile with one line and one parameter a path."""
    lines = ["(version 1)", "(deny default)"]
    parameters = []
    for number, grant in enumerate(policy.grants):
        name = f"P{number}"
        lines.append(f'(allow {grant.access} (subpath (param "{name}")))')
        parameters.append(Parameter(name, ParameterKind.PATH, grant.path))
    artifact = MacosArtifact(
        target="macos",
        policy_name="x",
        streams=(),
        process_rules=(),
        keys=key_rows(policy),
        profile="\n".join(lines) + "\n",
        parameters=tuple(parameters),
        environment=_environment(policy, System.MACOS),
        requirements=(),
        trusted=(),
        warnings=(),
    )
    return Subject(artifact, policy)


def windows_subject(policy: Policy) -> Subject[WindowsArtifact]:
    """Give one capability and one list of entries a path, named anew by each policy."""
    capabilities, entries = [], []
    for number, grant in enumerate(policy.grants):
        # A hash of the policy is part of the name.
        name = f"{len(policy.grants)}-{grant.access}-{number}"
        sid = f"S-1-15-3-1024-{len(policy.grants)}-{number}"
        capabilities.append(Capability(name, CapabilityKind.PATH, sid))
        entry = (f"(A;OICI;{grant.access};;;{sid})",)
        entries.append(
            PathEntries(grant.path, str(grant.access), name, entry, entry, ())
        )
    artifact = WindowsArtifact(
        target="windows",
        policy_name="x",
        streams=(),
        keys=key_rows(policy),
        container_name="Example.App",
        container_sid="S-1-15-2-1-2-3-4-5-6-7",
        capabilities=tuple(capabilities),
        program=(),
        entries=tuple(entries),
        private_folder=(),
        open_folders=(),
        job_limits=(),
        ui_limits=(),
        mitigations=(),
        handles=(),
        junctions="refuse",
        preflight=(),
        removal=(),
        environment=_environment(policy, System.WINDOWS),
        requirements=(),
        trusted=(),
        warnings=(),
    )
    return Subject(artifact, policy)


def by_keys(artifact: AnyArtifact) -> Decide:
    """Judge an artifact by the keys that it carries, as one that is made right is."""
    assert isinstance(artifact, MacosArtifact | WindowsArtifact)
    policy, system = policy_of(artifact.keys), System(artifact.target)
    return lambda request: expect(policy, system, request, DEVIATIONS[system])[0]


OBEDIENT = replace(JUDGES, decide=by_keys)
SUBJECTS = {System.MACOS: macos_subject, System.WINDOWS: windows_subject}


def subject_of(policy: Policy, system: System) -> FlatSubject:
    """Make the small artifact of a policy on a system."""
    return SUBJECTS[system](policy)
