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
    Junctions,
    KernelSurface,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    System,
    UnixSockets,
    Win32k,
)
from stockade.policy.conflicts import check_conflicts
from stockade.policy.environment import read_environment
from stockade.policy.format import KEYS
from stockade.policy.grants import read_grants, read_project_write
from stockade.policy.ports import read_ports
from stockade.policy.settings import Settings
from stockade.policy.support import check_support
from stockade.policy.systems import read_container_name, read_mach_services

_Word = TypeVar("_Word", bound=StrEnum)


def lower(settings: Settings, report: Report) -> Policy:
    """Return the policy of merged settings; raise PolicyRejected for any mistake."""
    supported = check_support(settings, report)
    check_conflicts(settings, report)
    grants = read_grants(supported, report)
    project_write = read_project_write(supported, grants, report)
    ports = read_ports(supported, report)
    passed, values = read_environment(supported, report)
    container = read_container_name(supported, report)
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
        project_files=ProjectFiles(_word(supported, "filesystem.project_files")),
        project_write=project_write,
        expose=ports.expose,
        forward=ports.forward,
        egress=ports.egress,
        relays=Relays(_word(supported, "macos.relays")),
        mach_services=read_mach_services(supported),
        appcontainer_name=container,
        win32k=Win32k(_word(supported, "windows.win32k")),
        junctions=Junctions(_word(supported, "windows.junctions")),
    )


def _written(kind: type[_Word], settings: Settings, path: str) -> _Word | None:
    """Give a key's value only where it is written."""
    setting = settings.get(path)
    return kind(setting.word) if setting else None


def _word(settings: Settings, path: str) -> str:
    setting = settings.get(path)
    return setting.word if setting else str(KEYS[path].default)
