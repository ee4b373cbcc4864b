# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn settings into a policy, reporting every mistake of meaning in one go."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from stockade.diagnostics import Report
from stockade.model.policy import (
    Base,
    Children,
    Commands,
    Ioctls,
    Ip,
    Ipc,
    KernelSurface,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    System,
    UnixSockets,
)
from stockade.policy.conflicts import check_conflicts
from stockade.policy.environment import read_environment
from stockade.policy.format import KEYS
from stockade.policy.grants import read_grants
from stockade.policy.settings import Settings
from stockade.policy.support import check_support

_Word = TypeVar("_Word", bound=StrEnum)


def lower(settings: Settings, report: Report) -> Policy:
    """Return the policy of merged settings; raise PolicyRejected for any mistake."""
    supported = check_support(settings, report)
    check_conflicts(settings, report)
    grants = read_grants(supported, report)
    passed, values = read_environment(supported, report)
    report.raise_if_errors()
    return Policy(
        system=System(_word(supported, "filesystem.system")),
        grants=grants,
        symlinks=Symlinks(_word(supported, "filesystem.symlinks")),
        commands=Commands.LISTED if "commands.allow" in supported else Commands.ANY,
        ip=Ip(_word(supported, "network.ip")),
        unix_sockets=UnixSockets(_word(supported, "network.unix_sockets")),
        sockets=Sockets(_word(supported, "network.sockets")),
        signals=Signals(_word(supported, "process.signals")),
        children=Children(_word(supported, "process.children")),
        environment_base=Base(_word(supported, "environment.base")),
        pass_names=passed,
        set_values=values,
        path_metadata=PathMetadata(_word(supported, "linux.path_metadata")),
        self_check=_written(SelfCheck, supported, "process.self_check"),
        others=Others(_word(supported, "process.others")),
        ipc=_written(Ipc, supported, "process.ipc"),
        memory_files=_written(MemoryFiles, supported, "process.memory_files"),
        ioctls=Ioctls(_word(supported, "linux.ioctls")),
        kernel_surface=_written(KernelSurface, supported, "linux.kernel_surface"),
    )


def _written(kind: type[_Word], settings: Settings, path: str) -> _Word | None:
    """Give a key's value only where it is written."""
    setting = settings.get(path)
    return kind(setting.word) if setting else None


def _word(settings: Settings, path: str) -> str:
    setting = settings.get(path)
    return setting.word if setting else str(KEYS[path].default)
