# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what a Windows artifact holds, as text; what it decides is tested in proof."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from stockade.abi import file_access as right
from stockade.abi.sid import NameNotDerivableError, capability_sid, container_sid
from stockade.model.artifact import EnvironmentRow
from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    Junctions,
    Policy,
    Symlinks,
    Win32k,
)
from stockade.model.windows_artifact import (
    CapabilityKind,
    JobLimit,
    Mitigation,
    PreflightKind,
    RemovalKind,
    UiLimit,
    WindowsArtifact,
)
from stockade.targets.windows.build import build

POLICY = Policy(
    appcontainer_name="example.app",
    grants=(
        Grant("C:\\app\\bin", Access.READ_EXEC),
        Grant("C:\\app\\data", Access.READ),
        Grant("D:\\out", Access.READ_WRITE),
    ),
)
_ENTRY = re.compile(r"\(([A-Z]*);([A-Z]*);0x([0-9a-f]+);;;(S-1-[0-9-]+)\)")


def built(policy: Policy) -> WindowsArtifact:
    """Build without lines, which a target only passes on."""
    return build(policy, name="example", requirements=(), warnings=())


def read_entry(text: str) -> tuple[str, str, int, str]:
    """Give type, flags, rights and SID of an entry."""
    found = _ENTRY.fullmatch(text)
    assert found, text
    return found[1], found[2], int(found[3], 16), found[4]


def all_entries(artifact: WindowsArtifact) -> list[str]:
    """List every entry that an artifact would have written."""
    found = [*artifact.program, *artifact.private_folder]
    for one in artifact.entries:
        found += [*one.folder, *one.file, *one.junction]
    return found


def test_every_path_has_a_capability_of_its_own() -> None:
    """S2-354: names stay within the alphabet and length of a container's."""
    artifact = built(POLICY)
    paths = [one for one in artifact.capabilities if one.kind is CapabilityKind.PATH]
    assert [one.path for one in artifact.entries] == [one.path for one in POLICY.grants]
    assert [one.capability for one in artifact.entries] == [one.name for one in paths]
    assert len({one.sid for one in artifact.capabilities}) == len(artifact.capabilities)
    for one in artifact.capabilities:
        assert re.fullmatch(r"[-_. A-Za-z0-9]{1,64}", one.name)
        assert one.sid == capability_sid(one.name)
    for one in artifact.entries:
        (own,) = (each.sid for each in paths if each.name == one.capability)
        for text in (*one.folder, *one.file, *one.junction):
            assert read_entry(text)[3] == own


def test_names_stay_short_with_as_many_paths_as_there_may_be() -> None:
    """S2-354: the longest number still fits."""
    grants = tuple(Grant(f"C:\\d{n:05}", Access.READ) for n in range(16_384))
    artifact = built(replace(POLICY, grants=grants))
    assert max(len(one.name) for one in artifact.capabilities) <= 64


@pytest.mark.parametrize(
    "change",
    [
        {"ip": Ip.ALL},
        {"appcontainer_name": "example.other"},
        {"set_values": (("A", "b"),)},
        {"grants": (Grant("C:\\app\\data", Access.READ),)},
    ],
)
def test_another_policy_has_other_capabilities(change: dict[str, object]) -> None:
    """S2-354: two policies, one path: different SIDs; one policy: the same."""
    other = built(replace(POLICY, **change))  # type: ignore[arg-type]

    def sids(artifact: WindowsArtifact) -> set[str]:
        return {
            one.sid
            for one in artifact.capabilities
            if one.kind is not CapabilityKind.NETWORK
        }

    assert sids(built(POLICY)) == sids(built(POLICY))
    assert not sids(other) & sids(built(POLICY))


def test_values_of_keys_cannot_stand_for_each_other() -> None:
    """S2-354: where one text ends and the next begins is hashed as well."""
    one = built(replace(POLICY, pass_names=("AB", "C")))
    other = built(replace(POLICY, pass_names=("A", "BC")))
    assert one.capabilities != other.capabilities


def test_no_entry_denies() -> None:
    """S2-348: what is not granted has no entry."""
    for access in Access:
        artifact = built(replace(POLICY, grants=(Grant("C:\\p", access),)))
        entries = all_entries(artifact)
        assert len(entries) >= 6
        assert {read_entry(text)[0] for text in entries} == {"A"}


def test_files_of_a_writable_folder_are_never_executable() -> None:
    """S2-351: folders and files have entries of their own; S2-359: the private one."""
    artifact = built(POLICY)
    (written,) = (one for one in artifact.entries if one.access == "read_write")
    for entries in (written.folder, artifact.private_folder):
        rights = {flags: mask for _, flags, mask, _ in map(read_entry, entries)}
        assert set(rights) == {"", "CIIO", "OIIO"}
        assert rights[""] & right.TRAVERSE
        assert rights["CIIO"] & right.TRAVERSE
        assert rights["OIIO"] & right.WRITE_DATA
        assert not rights["OIIO"] & right.EXECUTE
        # The folder itself stays; what is below it may go.
        assert not rights[""] & right.DELETE
        assert rights["CIIO"] & rights["OIIO"] & right.DELETE
    for text in written.file:
        assert not read_entry(text)[2] & (right.EXECUTE | right.DELETE)


def test_no_entry_hands_on_a_right_to_change_entries() -> None:
    """S2-351: who could write the access list could make a file executable."""
    for text in all_entries(built(POLICY)):
        assert not read_entry(text)[2] & (right.WRITE_DAC | right.WRITE_OWNER)


def test_readable_folders_can_be_entered_and_their_files_not_executed() -> None:
    """S2-351: with read as well; read_exec executes below too."""
    by_access = {one.access: one for one in built(POLICY).entries}
    assert [read_entry(text)[1:3] for text in by_access["read"].folder] == [
        ("CI", 0x1200A9),
        ("OIIO", 0x120089),
    ]
    assert [read_entry(text)[1:3] for text in by_access["read"].file] == [
        ("", 0x120089)
    ]
    assert [read_entry(text)[1:3] for text in by_access["read_exec"].folder] == [
        ("OICI", 0x1200A9)
    ]


def test_a_path_with_two_accesses_gets_the_wider_one() -> None:
    """S2-354: one capability for a path, also in other letters."""
    grants = (
        Grant("C:\\P", Access.READ_EXEC),
        Grant("C:\\p", Access.READ),
    )
    (one,) = built(replace(POLICY, grants=grants)).entries
    assert (one.path, one.access) == ("C:\\P", "read_exec")


def test_junctions_get_an_entry_that_reaches_nothing_below() -> None:
    """S2-357: by the word of the policy."""
    for one in built(POLICY).entries:
        ((_, flags, mask, _),) = map(read_entry, one.junction)
        assert (flags, mask) == ("", right.FILE_GENERIC_READ)
    refused = built(replace(POLICY, junctions=Junctions.REFUSE))
    assert [one.junction for one in refused.entries] == [(), (), ()]
    assert refused.junctions == "refuse"
    kinds = {one.kind for one in refused.removal}
    assert RemovalKind.JUNCTION_ENTRIES not in kinds
    names = {one.name: one.kind for one in refused.preflight}
    assert names["junctions-refused"] is PreflightKind.REQUIRED


@pytest.mark.parametrize(
    ("ip", "names", "exempt"),
    [
        (Ip.NONE, [], False),
        (Ip.PRIVATE, [], False),
        (Ip.CLIENT, ["internetClient"], True),
        (
            Ip.ALL,
            ["internetClient", "internetClientServer", "privateNetworkClientServer"],
            True,
        ),
    ],
)
def test_network_is_by_capabilities(ip: Ip, names: list[str], exempt: bool) -> None:
    """S2-006, S2-021, S2-059, S2-342: none and private have none, and no exemption."""
    artifact = built(replace(POLICY, ip=ip))
    network = [
        one for one in artifact.capabilities if one.kind is CapabilityKind.NETWORK
    ]
    assert [one.name for one in network] == names
    assert [one.sid for one in network] == [
        f"S-1-15-3-{number}" for number in range(1, len(names) + 1)
    ]
    setup = [one.name for one in artifact.preflight if one.kind is PreflightKind.SETUP]
    assert setup == ["loopback-exemption" if exempt else "no-loopback-exemption"]


def test_children_are_denied_by_job_and_process() -> None:
    """S2-178: by the process attribute and a job of one; S2-361 S2-173: all ends."""
    alone = built(replace(POLICY, children=Children.NONE))
    assert JobLimit.ONE_PROCESS in alone.job_limits
    assert Mitigation.NO_CHILD_PROCESSES in alone.mitigations
    free = built(POLICY)
    assert JobLimit.KILL_ON_CLOSE in free.job_limits
    assert JobLimit.ONE_PROCESS not in free.job_limits
    assert Mitigation.NO_CHILD_PROCESSES not in free.mitigations


def test_win32k_is_denied_where_the_policy_says_so() -> None:
    """S2-363 S1-127: the mitigation is there with `deny` alone."""
    assert Mitigation.NO_WIN32K not in built(POLICY).mitigations
    denied = built(replace(POLICY, win32k=Win32k.DENY))
    assert Mitigation.NO_WIN32K in denied.mitigations


def test_code_that_a_program_wrote_is_refused_by_its_label() -> None:
    """S2-351: an access list that the program gave its own file does not help."""
    assert Mitigation.NO_LOW_LABEL_IMAGES in built(POLICY).mitigations


def test_user_interface_limits_leave_handles() -> None:
    """S2-364: one limit breaks PowerShell, every other one is there."""
    assert built(POLICY).ui_limits == tuple(UiLimit)
    assert "handles" not in [limit.value for limit in UiLimit]


def test_three_handles_are_inherited() -> None:
    """S2-362: and no other."""
    assert built(POLICY).handles == (
        "standard-input",
        "standard-output",
        "standard-error",
    )


def test_two_variables_are_added() -> None:
    """S2-366 S1-311: where the policy does not name them, in any letters."""
    rows = built(replace(POLICY, pass_names=("PATH",))).environment
    assert rows == (
        EnvironmentRow("LOCALAPPDATA", None),
        EnvironmentRow("PATH", None),
        EnvironmentRow("SystemRoot", None),
    )
    named = built(replace(POLICY, set_values=(("SYSTEMROOT", "C:\\W"),))).environment
    assert named == (
        EnvironmentRow("LOCALAPPDATA", None),
        EnvironmentRow("SYSTEMROOT", "C:\\W"),
    )


def test_hosts_are_checked_before_anything_is_changed() -> None:
    """S2-355 S2-358 S2-365 S2-367: what refuses a start; S2-349 S2-364: read back.

    S1-224 S1-225 S2-341: what a host gives reason to warn of.
    """
    found: dict[PreflightKind, set[str]] = {}
    for one in built(POLICY).preflight:
        found.setdefault(one.kind, set()).add(one.name)
    assert found[PreflightKind.REQUIRED] == {
        "windows-version",
        "firewall-fix",
        "not-emulated",
        "same-sids",
        "name-free",
        "local-paths",
        "entries-allowed",
        "writable-not-executable",
    }
    assert found[PreflightKind.READ_BACK] == {"entries", "token", "process"}
    assert found[PreflightKind.WARNING] == {"session-zero", "junction-closed"}


def test_a_removal_names_all_that_was_written_and_nothing_else() -> None:
    """S2-346 S1-171: each entry by its SID; S2-347 S1-172: the program's by name."""
    artifact = built(POLICY)
    written = {read_entry(text)[3] for text in all_entries(artifact)}
    assert {one.sid for one in artifact.removal} == written
    entries = [
        one.subject for one in artifact.removal if one.kind is RemovalKind.ENTRIES
    ]
    assert entries == [one.path for one in POLICY.grants]
    kinds = [one.kind for one in artifact.removal]
    for kind in (
        RemovalKind.PROGRAM_ENTRIES,
        RemovalKind.LOOPBACK_EXEMPTION,
        RemovalKind.PROFILE,
    ):
        assert kinds.count(kind) == 1


def test_symbolic_links_change_no_entry() -> None:
    """S1-101 S2-245: what is opened is the same under both words."""
    allowed = built(replace(POLICY, symlinks=Symlinks.ALLOW))
    for one, other in zip(built(POLICY).entries, allowed.entries, strict=True):
        mine = [read_entry(text)[:3] for text in (*one.folder, *one.file)]
        theirs = [read_entry(text)[:3] for text in (*other.folder, *other.file)]
        assert mine == theirs


def test_a_container_has_a_name() -> None:
    """S2-338: without one there is nothing to derive; S2-339 is the reader's."""
    artifact = built(POLICY)
    assert artifact.container_sid == container_sid("example.app")
    with pytest.raises(NameNotDerivableError):
        built(replace(POLICY, appcontainer_name=""))


def test_trusted_places_stand_beside_a_writable_path() -> None:
    """S1-324: startup folders, PowerShell's, WindowsApps, the product's own state."""
    places = {(one.base, one.path) for one in built(POLICY).trusted}
    for path in (
        "",
        ".ssh",
        "AppData\\Local\\Microsoft\\WindowsApps",
        "AppData\\Local\\stockade",
        "AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup",
        "Documents\\PowerShell",
    ):
        assert ("home", path) in places
    readable = replace(POLICY, grants=POLICY.grants[:2])
    assert built(readable).trusted == ()
