# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fetch kernels from the machine's own Debian mirror without installing anything.

Lists, cache and status of apt live in a folder of their own. The mirrors, the
proxy and the like come from the machine's apt configuration, and the installed
archive keyring verifies every list, so this adds no trust and names no host.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernel_rows import Suite

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = ("apt-get", "apt-cache", "apt-config", "dpkg", "dpkg-deb")

# The kernel moved out of /boot between 6.19 and 7.3.
VMLINUZ = re.compile(r"^\./(boot/vmlinuz-[^/]+|usr/lib/modules/[^/]+/vmlinuz)$")


class UnavailableError(Exception):
    """Something that the matrix needs cannot be had; rows are skipped, not failed."""


def run_tool(
    *argv: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Return what a program prints.

    Raises UnavailableError with the last line of its complaint.
    """
    done = subprocess.run(
        argv, env=env, cwd=cwd, check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        shown = next((ln for ln in reversed(lines) if ln.startswith("E:")), lines[-1])
        raise UnavailableError(f"`{argv[0]} {argv[1]}` failed: {shown}")
    return done.stdout


def machine_mirrors() -> dict[bool, str]:
    """Return the archive of the machine's own sources, keyed by "is security"."""
    mirrors: dict[bool, str] = {}
    listing = run_tool(
        "apt-get", "indextargets", "--format", "$(ORIGIN)\t$(RELEASE)\t$(REPO_URI)"
    )
    for line in listing.splitlines():
        origin, release, uri = line.split("\t")
        if origin == "Debian":
            mirrors.setdefault(release.endswith("-security"), uri)
    return mirrors


def carried_configuration() -> str:
    """Return the machine's `Acquire` settings, such as a proxy, as apt prints them.

    The index targets stay out: lists for desktops are of no use here.
    """
    dump = run_tool("apt-config", "dump")
    return "\n".join(
        line
        for line in dump.splitlines()
        if line.startswith("Acquire::") and not line.startswith("Acquire::IndexTargets")
    )


@dataclass(frozen=True, slots=True)
class PrivateApt:
    """Apt with its state below `root`; nothing of the machine's is written."""

    root: Path
    suites: tuple[Suite, ...]

    def environment(self) -> dict[str, str]:
        """Return an environment in which apt reads only the private configuration."""
        return os.environ | {"APT_CONFIG": str(self.root / "apt.conf"), "LC_ALL": "C"}

    def update(self) -> None:
        """Write configuration and sources afresh and fetch the lists."""
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise UnavailableError(f"`{missing[0]}` is not installed")
        mirrors = machine_mirrors()
        if not mirrors:
            raise UnavailableError(
                "no Debian mirror known to apt; run `apt-get update`"
            )
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in ("lists/partial", "archives/partial", "preferences"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "status").touch()
        (self.root / "apt.conf").write_text(self._configuration(), encoding="utf-8")
        sources = "\n".join(self._sources(mirrors))
        (self.root / "sources.list").write_text(sources + "\n", encoding="utf-8")
        run_tool("apt-get", "-q", "update", env=self.environment())

    def newest(self, pattern: str) -> str:
        """Return the newest package whose name matches, by Debian's version order."""
        names = run_tool("apt-cache", "pkgnames", env=self.environment()).split()
        found = [name for name in names if re.search(pattern, name)]
        if not found:
            raise UnavailableError(f"no package matches `{pattern}`")
        return max(found, key=functools.cmp_to_key(_compare_versions))

    def download(self, *packages: str) -> list[Path]:
        """Fetch package files, checked against the signed lists."""
        folder = self.root / "archives"
        before = set(folder.glob("*.deb"))
        run_tool(
            "apt-get", "-q", "download", *packages, env=self.environment(), cwd=folder
        )
        new = set(folder.glob("*.deb")) - before
        if len(new) != len(packages):
            raise UnavailableError(f"`{packages[0]}` or another one was not fetched")
        return sorted(new)

    def _configuration(self) -> str:
        # Without the two /dev/null, a file of container images that switches the
        # package cache off makes every call eight times slower, and hooks of the
        # machine would run. The sandbox user cannot reach a clone below /root.
        return f"""{carried_configuration()}
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "{self.root}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{self.root}/preferences";
Dir::State "{self.root}";
Dir::State::lists "{self.root}/lists";
Dir::State::status "{self.root}/status";
Dir::Cache "{self.root}";
Dir::Cache::archives "{self.root}/archives";
APT::Architectures {{ "amd64"; "arm64"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
"""

    def _sources(self, mirrors: dict[bool, str]) -> Iterable[str]:
        signed = f" signed-by={KEYRING}" if Path(KEYRING).exists() else ""
        for suite in self.suites:
            uri = mirrors.get(suite.security)
            if uri is None:
                raise UnavailableError(f"no mirror known to apt for `{suite.name}`")
            arches = ",".join(suite.architectures)
            yield f"deb [arch={arches}{signed}] {uri} {suite.name} main"


def _compare_versions(left: str, right: str) -> int:
    """Order two names of one package family by the version inside them."""
    versions = [re.sub(r"^\D*", "", name) for name in (left, right)]
    older = ["dpkg", "--compare-versions", versions[0], "lt", versions[1]]
    return -1 if subprocess.run(older, check=False).returncode == 0 else 1


def unpack_kernel(package: Path, target: Path) -> None:
    """Write the one kernel image of a package; the package is not installed."""
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE
    ) as unpacking:
        assert unpacking.stdout is not None
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
            for member in archive:
                if VMLINUZ.match(member.name) and member.isfile():
                    image = archive.extractfile(member)
                    assert image is not None
                    with target.open("wb") as out:
                        shutil.copyfileobj(image, out)
        if unpacking.wait() != 0 or not target.exists():
            raise UnavailableError(f"no kernel image in `{package.name}`")


def unpack_tree(package: Path, target: Path) -> None:
    """Unpack a whole package below a folder; its scripts are not run."""
    target.mkdir(parents=True, exist_ok=True)
    run_tool("dpkg-deb", "--extract", str(package), str(target))
