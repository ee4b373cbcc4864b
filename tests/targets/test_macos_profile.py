# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the text of macOS profiles: what stands in it, and what never does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from macos_asked import asked, loaded

from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.model.policy import (
    Access,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
)
from stockade.model.project_files import ALL_PROJECT_NAMES
from stockade.proof.sbpl.place import ProfileRefusedError
from stockade.proof.sbpl.profile import read_profile
from stockade.render.text import sbpl_parameter, sbpl_string
from stockade.targets.macos.build import build
from stockade.targets.macos.parameters import Parameters
from stockade.targets.macos.profile import PATHS_IN_A_RULE, parts
from stockade.targets.macos.project_names import project_patterns

_LONGEST_PATH = 1023
_ODD = ('/a "b"', "/a\\b", "/a)(allow default", "/a;b", "/ä", "/a#|b")


def _built(policy: Policy) -> MacosArtifact:
    return build(policy, name="p", requirements=(), warnings=())


def _granting(*paths: str, access: Access = Access.READ_WRITE) -> Policy:
    return Policy(grants=tuple(Grant(path, access) for path in sorted(paths)))


def _rules(profile: str) -> list[str]:
    """Part a profile at the lines that open a rule."""
    text = "\n".join(one for one in profile.splitlines() if not one.startswith(";"))
    return [f"({rule}".rstrip() for rule in text.split("\n(")[1:]]


def test_every_policy_has_its_rules_in_this_order() -> None:
    """S2-329: grants come before what takes from them, by the same operations."""
    profile = _built(_granting("/w")).profile
    granted = profile.index("(allow file-clone file-ioctl file-link file-read*")
    taken = profile.index("(deny file-clone file-link file-write-create")
    assert granted < taken
    assert profile.rindex("(allow ") < profile.index("; What the grants above")


@pytest.mark.parametrize("path", _ODD)
def test_text_of_a_policy_is_never_in_the_profile(path: str) -> None:
    """S1-014, GL-186, S2-330: a path is a parameter's value, whatever is in it."""
    plain, odd = _built(_granting("/p")), _built(_granting(path))
    assert odd.profile == plain.profile
    assert path not in odd.profile
    assert path in [one.value for one in odd.parameters]


def test_equal_keys_and_numbers_give_equal_text() -> None:
    """The text is reviewed once for all policies that differ in paths alone."""
    one = replace(
        _granting("/a", "/b/c"),
        ip=Ip.PRIVATE,
        expose=(Expose("127.0.0.1:1", 80),),
        forward=(Forward(1, "h:1"), Forward(2, "h:2")),
        egress=Egress(9),
        project_files=ProjectFiles.PROTECTED,
        project_write=("/a",),
    )
    other = replace(
        one,
        grants=_granting("/x/y/z", "/q").grants,
        expose=(Expose("[::1]:1", 8080),),
        forward=(Forward(77, "h:1"), Forward(5, "h:2")),
        egress=Egress(7),
        project_write=("/x/y/z",),
    )
    assert _built(one).profile == _built(other).profile
    assert _built(one).parameters != _built(other).parameters


def test_every_parameter_is_defined_and_used() -> None:
    """S2-331: a name that nobody defines would silently be false."""
    policy = replace(
        Policy(grants=tuple(Grant(f"/{access}", access) for access in Access)),
        ip=Ip.PRIVATE,
        expose=(Expose("127.0.0.1:1", 80),),
        forward=(Forward(1, "h:1"),),
        egress=Egress(9),
        project_files=ProjectFiles.PROTECTED,
    )
    for one in (policy, replace(policy, ip=Ip.ALL), Policy()):
        artifact = _built(one)
        names = [parameter.name for parameter in artifact.parameters]
        assert len(names) == len(set(names))
        assert set(names) == set(re.findall(r'\(param "([^"]*)"\)', artifact.profile))


def test_no_address_stands_in_a_profile_or_parameter() -> None:
    """S2-333: only `localhost` and `*` compile."""
    policy = Policy(
        ip=Ip.PRIVATE, forward=(Forward(1, "h:1"),), expose=(Expose("[::1]:2", 3),)
    )
    artifact = _built(policy)
    ports = [one.value for one in artifact.parameters if one.kind is ParameterKind.PORT]
    assert ports == ["localhost:1", "localhost:3"]
    hosts = re.findall(r'\((?:local|remote) \w+ "([^"]*)"\)', _built(_all()).profile)
    assert hosts == ["*:*"] * 2
    assert not re.search(r"\d+\.\d+\.\d+", artifact.profile)


def _all() -> Policy:
    return Policy(ip=Ip.ALL)


def test_no_rule_is_longer_than_the_kernel_takes() -> None:
    """S2-332: with 2,000 paths, and with paths as long and deep as they may be.

    The reader counts neighbours of one verdict as one rule, as some compilers do.
    """
    for count, length in ((2000, 40), (40, _LONGEST_PATH)):
        stem = "/x" * 48
        stem += "/" + "y" * (length - len(stem) - 5)
        for access in (Access.READ, Access.READ_EXEC, Access.READ_WRITE):
            policy = _granting(
                *(f"{stem}{number:04}" for number in range(count)), access=access
            )
            assert len(loaded(policy).rules) > count // PATHS_IN_A_RULE


def test_parts_of_a_list_are_kept_apart() -> None:
    """S2-332: without the rule between them they would be one rule to some."""
    policy = _granting(*(f"/{'x' * 1000}{number}" for number in range(40)))
    artifact = _built(policy)
    values = {one.name: one.value or "/p" for one in artifact.parameters}
    read_profile(artifact.profile, values, strict=True)
    joined = re.sub(r"\(\w+ [^()]*\n  \(never\)\)\n", "", artifact.profile)
    assert joined != artifact.profile
    with pytest.raises(ProfileRefusedError, match="no room in one rule"):
        read_profile(joined, values, strict=True)


def test_project_files_of_a_long_path_are_guarded() -> None:
    policy = replace(_granting("/" + "(." * 500), project_files=ProjectFiles.PROTECTED)
    path = policy.grants[0].path
    for name, allowed in ((".git", False), (".gitx", True)):
        kind = {"vnode_type": "REGULAR-FILE"}
        assert asked(policy, "file-write-create", f"{path}/{name}", **kind) is allowed


def test_no_part_is_empty() -> None:
    """A rule without a filter would be one on everything."""
    for count in (0, 1, PATHS_IN_A_RULE, PATHS_IN_A_RULE + 1):
        policy = _granting(*(f"/{number}" for number in range(count)))
        found = parts(Parameters(policy).write)
        assert all(found)
        assert sum(map(len, found)) == count
    for rule in _rules(_built(Policy()).profile):
        if rule.startswith("(allow file"):
            assert "param" in rule


def test_project_files_are_known_in_any_case() -> None:
    """GL-107, GL-108, GL-112, GL-121: letters that fold to ASCII are no way around."""
    whole = _patterns("/w")
    for name in ALL_PROJECT_NAMES:
        spellings = {
            name,
            name.upper(),
            name.title(),
            name.replace("s", "\u017f").replace("k", "\u212a"),
            "\u200c".join(name),
            f"{name}/below/it",
        }
        for spelling in spellings:
            assert whole.search(f"/w/{spelling}"), spelling


@pytest.mark.parametrize(
    "path",
    [
        "/w",
        "/w/x",
        "/w/.gitignore",
        "/w/.github/x",
        "/w/git",
        "/w/lefthook.md",
        "/w/.config/x.yml",
        "/w/sub/.git",
        "/w2/.git",
        "/w/husky",
        "/w/.envrc.sample",
    ],
)
def test_other_files_of_a_project_are_not_taken(path: str) -> None:
    """GL-123: only the top is covered, and only these names."""
    assert not _patterns("/w").search(path)


def _patterns(folder: str) -> re.Pattern[str]:
    ends = (one[1:-1] for one in project_patterns())
    return re.compile("|".join(f"^{re.escape(folder)}{end}" for end in ends))


def test_paths_are_named_from_shallow_to_deep() -> None:
    """S2-329: so that the deeper rule is the later one."""
    found = Parameters(_granting("/a/b/c", "/z", "/a/b")).write
    assert [one.value for one in found] == ["/z", "/a/b", "/a/b/c"]
    assert [one.name for one in found] == ["WRITE_0", "WRITE_1", "WRITE_2"]


def test_project_write_frees_exactly_its_folders() -> None:
    """GL-122."""
    policy = replace(
        _granting("/a", "/b"),
        project_files=ProjectFiles.PROTECTED,
        project_write=("/a",),
    )
    found = Parameters(policy)
    assert [one.value for one in found.write] == ["/a"]
    assert [one.value for one in found.project] == ["/b"]
    profile = _built(policy).profile
    assert 'regex-quote (param "PROJECT_0")' in profile
    assert 'regex-quote (param "WRITE_0")' not in profile


def test_strings_of_a_profile_are_quoted() -> None:
    """GL-186: backslash first, then the quote; controls are refused."""
    assert sbpl_string('a\\b"c') == '"a\\\\b\\"c"'
    for bad in ("a\nb", "a\0b", "a\x7fb", "a\udcffb"):
        with pytest.raises(ValueError, match="cannot stand in a profile"):
            sbpl_string(bad)
    for bad in ("", "a", 'A"', "A B", "1"):
        with pytest.raises(ValueError, match="not a name of a parameter"):
            sbpl_parameter(bad)
