# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare what the profile's templates print, and print them.

INVARIANT: nothing of a policy but its words and the number of its paths and ports
reaches the text.
"""

from __future__ import annotations

from stockade.model.macos_artifact import Parameter
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    Ipc,
    MemoryFiles,
    Policy,
    Relays,
    Signals,
    Symlinks,
    UnixSockets,
)
from stockade.render.environment import packaged
from stockade.render.text import SbplText, sbpl_parameter, sbpl_string
from stockade.targets.macos.parameters import Parameters
from stockade.targets.macos.project_names import folder_pattern, project_patterns

# A rule takes 65,535 serialized bytes at most (NixOS/nix#4119), a path 1,023. Some
# compilers of Apple's join rules of one verdict that stand next to each other, so
# between parts stands one of the other verdict, which never holds. Each path takes two
# patterns, and three kinds of part may become neighbours.
PATHS_IN_A_RULE = 10
# Here each folder above a path is a pattern: `plan.support` refuses more than 50.
WAYS_IN_A_RULE = 2

Part = tuple[SbplText, ...]


def write_profile(policy: Policy, parameters: Parameters) -> str:
    """Write the profile of a policy."""
    return packaged(SbplText).render(
        "macos/profile.sb.j2",
        **_groups(parameters),
        **_words(policy),
        project_patterns=project_patterns(),
        folder_pattern=folder_pattern(),
        mach_services=tuple(sbpl_string(name) for name in policy.mach_services),
    )


def _groups(parameters: Parameters) -> dict[str, tuple[Part, ...]]:
    loaded = (*parameters.read, *parameters.execute)
    writable = (*parameters.write, *parameters.project)
    listed = parameters.policy.commands is Commands.LISTED
    return {
        "folders": parts(parameters.folder),
        "links": parts(parameters.link),
        "libraries": parts(parameters.library),
        "system": parts(parameters.system),
        "devices": parts(parameters.device),
        "terminal": parts(parameters.terminal),
        "program": parts(parameters.program),
        "loaded": parts(loaded),
        "executed": parts(() if listed else parameters.execute),
        "commands": parts(parameters.command),
        "writable": parts(writable),
        "projects": parts(parameters.project),
        "ways": parts(
            (*loaded, *parameters.command, *writable, *parameters.written),
            WAYS_IN_A_RULE,
        ),
        "outward": parts(parameters.outward),
        "inward": parts(parameters.inward),
        "resolver": parts(parameters.resolver),
    }


def parts(
    parameters: tuple[Parameter, ...], size: int = PATHS_IN_A_RULE
) -> tuple[Part, ...]:
    """Split parameters so that each part fits one rule; no part is empty.

    A rule without a path would be one on every path.
    """
    names = tuple(sbpl_parameter(one.name) for one in parameters)
    return tuple(names[first : first + size] for first in range(0, len(names), size))


def _words(policy: Policy) -> dict[str, bool]:
    return {
        "ip_client": policy.ip is Ip.CLIENT,
        "ip_all": policy.ip is Ip.ALL,
        "ipv4_alone": policy.relays is Relays.IPV4,
        "unix_sockets": policy.unix_sockets is UnixSockets.ALL,
        "symlinks": policy.symlinks is Symlinks.ALLOW,
        "any_signal": policy.signals is Signals.ANY,
        "terminating": policy.signals is Signals.TERMINATE,
        "own_group": policy.signals in {Signals.TERMINATE, Signals.ISOLATED},
        "forks": policy.children is not Children.NONE,
        "spawns": policy.children is Children.ALLOWED,
        "contained": policy.children is Children.CONTAINED,
        "shared_ipc": policy.ipc is Ipc.SHARED,
        "generated_code": policy.memory_files is MemoryFiles.ALLOWED,
    }
