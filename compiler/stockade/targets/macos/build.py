# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build a macOS artifact: the profile, its parameters, and what the launcher does."""

from __future__ import annotations

from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.environment import variables
from stockade.model.key_rows import key_rows
from stockade.model.macos_artifact import MacosArtifact, ProcessRule
from stockade.model.policy import (
    Access,
    Children,
    Ip,
    Policy,
    Signals,
    UnixSockets,
)
from stockade.model.trusted_places import (
    TRUSTED_HOME_VARIABLES,
    TRUSTED_IN_HOME,
    TRUSTED_IN_MACOS_HOME,
    TRUSTED_VARIABLES,
)
from stockade.targets.macos.parameters import Parameters
from stockade.targets.macos.profile import write_profile

_TARGET = "macos"


def build(
    policy: Policy,
    *,
    name: str,
    requirements: tuple[Requirement, ...],
    warnings: tuple[WarningLine, ...],
) -> MacosArtifact:
    """Assemble the artifact of a policy that holds paths of this system alone."""
    parameters = Parameters(policy)
    return MacosArtifact(
        target=_TARGET,
        policy_name=name,
        streams=_streams(policy),
        process_rules=_process_rules(policy),
        keys=key_rows(policy),
        profile=write_profile(policy, parameters),
        parameters=parameters.table(),
        environment=tuple(
            EnvironmentRow(one.name, one.value) for one in variables(policy)
        ),
        requirements=requirements,
        trusted=_trusted(policy),
        warnings=warnings,
    )


def _streams(policy: Policy) -> tuple[str, ...]:
    """List the sockets and terminals that a standard stream may be.

    A profile asks nothing about what is open already, so only what the program could
    make itself is let in; a connected Unix stream is how a parent passes a pipe.
    """
    kinds = ["unix-connected"]
    if policy.unix_sockets is UnixSockets.ALL:
        kinds.append("unix-any")
    if policy.ip is Ip.CLIENT:
        kinds.append("tcp-connected")
    if policy.ip is Ip.ALL:
        kinds.append("inet")
    if policy.signals is Signals.ANY:
        kinds.append("pty-master")
    return tuple(kinds)


def _process_rules(policy: Policy) -> tuple[ProcessRule, ...]:
    rules = [ProcessRule.REFUSE_ROOT, ProcessRule.CLOSE_DESCRIPTORS]
    if policy.children is Children.CONTAINED:
        rules.append(ProcessRule.SUPERVISE)
    return tuple(rules)


def _trusted(policy: Policy) -> tuple[TrustedLocation, ...]:
    if not any(grant.access is Access.READ_WRITE for grant in policy.grants):
        return ()
    places = (*TRUSTED_IN_HOME, *TRUSTED_IN_MACOS_HOME)
    return (
        *(TrustedLocation("home", path) for path in sorted(places)),
        *(TrustedLocation("variable", name) for name in TRUSTED_VARIABLES),
        *(TrustedLocation("variable-home", name) for name in TRUSTED_HOME_VARIABLES),
    )
