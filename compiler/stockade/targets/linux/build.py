# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build a Linux artifact: every variant's filter, rights and probes, and the tables."""

from __future__ import annotations

from stockade.abi.arch import LinuxTarget
from stockade.model.artifact import (
    Artifact,
    CanaryFolder,
    EnvironmentRow,
    Feature,
    Filter,
    Level,
    TrustedLocation,
    Variant,
    WarningLine,
)
from stockade.model.call_rules import rules_in_force
from stockade.model.calls import CallRule
from stockade.model.decide import WITNESS_NUMBER, rules_by_call
from stockade.model.environment import variables
from stockade.model.plan import VariantPlan
from stockade.model.policy import Access, Ip, Policy, Signals, UnixSockets
from stockade.model.quiet_keys import concessions
from stockade.model.request import Situation
from stockade.model.trusted_places import (
    TRUSTED_HOME_VARIABLES,
    TRUSTED_IN_HOME,
    TRUSTED_VARIABLES,
)
from stockade.targets.linux.landlock import (
    PROGRAM_CLASS,
    classes,
    grant_rows,
    port_rows,
)
from stockade.targets.linux.probes import probes
from stockade.targets.linux.seccomp import compile_filter, table_calls

_CANARY_FOLDERS = (
    CanaryFolder("/dev/shm"),  # noqa: S108 - a place to try, nothing written by name
    CanaryFolder("/tmp"),  # noqa: S108
    CanaryFolder("/var/tmp"),  # noqa: S108
    CanaryFolder("/run/user/", "user"),
)


def build(  # noqa: PLR0913 - one argument per section that comes from elsewhere
    target: LinuxTarget,
    policy: Policy,
    *,
    name: str,
    plans: tuple[VariantPlan, ...],
    features: tuple[Feature, ...],
    warnings: tuple[WarningLine, ...],
) -> Artifact:
    """Assemble the artifact of a policy without fallback levels.

    Raises ProgramTooLongError when a filter exceeds what the kernel takes.
    """
    filters = _Filters(target, policy)
    variants = tuple(_variant(filters, policy, plan) for plan in plans)
    return Artifact(
        target=target.name,
        policy_name=name,
        witness_nr=WITNESS_NUMBER,
        streams=_streams(policy),
        concessions=concessions(policy),
        program_class=PROGRAM_CLASS,
        features=features,
        levels=(Level("base", variants),),
        classes=classes(policy),
        grants=grant_rows(policy),
        ports=port_rows(policy),
        environment=_environment(policy),
        canary_folders=_CANARY_FOLDERS,
        trusted=_trusted(policy),
        warnings=warnings,
    )


class _Filters:
    """The filters of one policy: variants under equal rules have the same one."""

    def __init__(self, target: LinuxTarget, policy: Policy) -> None:
        self.target = target
        self._policy = policy
        self._made: dict[tuple[CallRule, ...], Filter] = {}

    def filter(self, landlock_abi: int) -> Filter:
        """Compile the rules in force on one Landlock ABI, once."""
        rules = rules_in_force(self._policy, landlock_abi)
        if rules not in self._made:
            grouped = rules_by_call(self._policy, landlock_abi)
            calls = table_calls(self.target, grouped)
            self._made[rules] = compile_filter(self.target, calls, WITNESS_NUMBER)
        return self._made[rules]


def _variant(filters: _Filters, policy: Policy, plan: VariantPlan) -> Variant:
    rights = plan.handled
    return Variant(
        name=plan.name,
        must=plan.must,
        must_not=plan.must_not,
        fs_required=rights.fs_required,
        fs_optional=rights.fs_optional,
        net_required=rights.net_required,
        net_optional=rights.net_optional,
        scope_required=rights.scope_required,
        scope_optional=rights.scope_optional,
        filter=filters.filter(plan.landlock_abi),
        requirements=plan.requirements,
        probes=probes(policy, Situation(filters.target.arch, plan.landlock_abi)),
    )


def _streams(policy: Policy) -> tuple[str, ...]:
    """List the sockets and terminals that a standard stream may be.

    A stream keeps the rights it was opened with, so only what the program could
    make itself is let in; a connected Unix stream is how a parent passes a pipe.
    """
    kinds = ["unix-connected"]
    if policy.unix_sockets is UnixSockets.ALL:
        kinds.append("unix-any")
    # A connected datagram socket still gets datagrams from others.
    if policy.ip is Ip.CLIENT:
        kinds += ["tcp-connected", "route-netlink"]
    if policy.ip is Ip.ALL:
        kinds += ["inet", "route-netlink"]
    if policy.signals is Signals.ANY:
        kinds.append("pty-master")
    return tuple(kinds)


def _environment(policy: Policy) -> tuple[EnvironmentRow, ...]:
    return tuple(EnvironmentRow(one.name, one.value) for one in variables(policy))


def _trusted(policy: Policy) -> tuple[TrustedLocation, ...]:
    if not any(grant.access is Access.READ_WRITE for grant in policy.grants):
        return ()
    return (
        *(TrustedLocation("home", path) for path in TRUSTED_IN_HOME),
        *(TrustedLocation("variable", name) for name in TRUSTED_VARIABLES),
        *(TrustedLocation("variable-home", name) for name in TRUSTED_HOME_VARIABLES),
    )
