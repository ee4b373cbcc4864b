# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show which paths of Windows are taken, and how they are written afterwards."""

from __future__ import annotations

import pytest

from stockade.abi.targets import System
from stockade.diagnostics import Code, PolicyRejected
from stockade.model.path_family import places_on, policy_on
from stockade.model.policy import Access, Grant
from stockade.policy import read_placed, read_policy

HEAD = "version = 1\n[filesystem]\n"


def _grants(**lists: list[str]) -> tuple[Grant, ...]:
    text = "".join(f"{name} = {_array(paths)}\n" for name, paths in lists.items())
    return read_policy(HEAD + text, "policy.toml").grants


def _array(paths: list[str]) -> str:
    texts = (path.replace("\\", "\\\\").replace('"', '\\"') for path in paths)
    return "[" + ", ".join(f'"{one}"' for one in texts) + "]"


def _codes(**lists: list[str]) -> list[Code]:
    with pytest.raises(PolicyRejected) as caught:
        _grants(**lists)
    return [found.code for found in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("C:\\dir\\x", "C:\\dir\\x"),
        ("c:/dir/x", "C:\\dir\\x"),
        ("C:\\", "C:\\"),
        ("d:/", "D:\\"),
        ("C:\\\\dir\\.\\x\\\\", "C:\\dir\\x"),
        ("C:/Program Files (x86)/Ünïcode", "C:\\Program Files (x86)\\Ünïcode"),
        ("C:\\.hidden", "C:\\.hidden"),
        ("C:\\PROGRA~1", "C:\\PROGRA~1"),
        ("C:\\a'b{c}%d$;e", "C:\\a'b{c}%d$;e"),
        ("C:\\console\\nullable\\com10", "C:\\console\\nullable\\com10"),
    ],
)
def test_paths_are_normalised(written: str, path: str) -> None:
    """S1-286: a local path is taken."""
    assert _grants(read=[written]) == (Grant(path, Access.READ),)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("\\\\server\\share", Code.NOT_LOCAL),
        ("\\\\localhost\\C$", Code.NOT_LOCAL),
        ("\\\\?\\C:\\dir", Code.NOT_LOCAL),
        ("\\\\.\\C:", Code.NOT_LOCAL),
        ("\\\\", Code.NOT_LOCAL),
        ("\\dir", Code.NOT_ABSOLUTE),
        ("C:", Code.NOT_ABSOLUTE),
        ("C:dir", Code.NOT_ABSOLUTE),
        ("CC:\\dir", Code.NOT_ABSOLUTE),
        ("é:\\dir", Code.NOT_ABSOLUTE),
        ("C:\\dir\\..\\x", Code.PARENT_COMPONENT),
        ("C:/..", Code.PARENT_COMPONENT),
        ("C:\\dir\\x:y", Code.WINDOWS_NAME),
        ("C:\\C:\\x", Code.WINDOWS_NAME),
        ("C:\\dir.", Code.WINDOWS_NAME),
        ("C:\\dir \\x", Code.WINDOWS_NAME),
        ("C:\\...\\x", Code.WINDOWS_NAME),
        ("C:\\dir\\CON", Code.WINDOWS_NAME),
        ("C:\\nul.tar.gz", Code.WINDOWS_NAME),
        ("C:\\lpt9 .txt", Code.WINDOWS_NAME),
        ("C:\\CONIN$", Code.WINDOWS_NAME),
        ("C:\\com\u00b2", Code.WINDOWS_NAME),
        ("C:\\*", Code.WINDOWS_NAME),
        ("C:\\a?", Code.WINDOWS_NAME),
        ("C:\\a<b", Code.WINDOWS_NAME),
        ('C:\\a"b', Code.WINDOWS_NAME),
        ("C:\\a|b", Code.WINDOWS_NAME),
        ("C:\\" + "a" * 256, Code.PATH_TOO_LONG),
        ("C:\\" + "😀" * 128, Code.PATH_TOO_LONG),
        ("C:\\" + "a\\" * 2047, Code.PATH_TOO_LONG),
    ],
)
def test_paths_that_windows_would_read_otherwise(path: str, code: Code) -> None:
    """S1-286 S2-358: each for its own reason."""
    assert _codes(read=[path]) == [code]


def test_longest_names_are_taken() -> None:
    """The edges of what the test above refuses."""
    paths = ["C:\\" + "a" * 255, "C:\\" + "😀" * 127, "C:\\" + "a\\" * 2046]
    assert len(_grants(read=paths)) == 3


def test_control_characters_are_refused() -> None:
    with pytest.raises(PolicyRejected) as caught:
        read_policy(HEAD + 'read = ["C:\\\\a\\nb"]\n', "policy.toml")
    assert [one.code for one in caught.value.diagnostics] == [Code.CONTROL_CHARACTER]


@pytest.mark.parametrize(
    ("lists", "codes"),
    [
        ({"read_write": ["C:\\a"], "read_exec": ["c:/A"]},
         [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["C:\\a\\B"], "read_exec": ["C:\\A"]},
         [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["C:\\a"], "read_exec": ["C:\\A\\b"]},
         [Code.WRITABLE_AND_EXECUTABLE]),
        ({"read_write": ["C:\\"], "read": ["C:\\a"]}, [Code.INSIDE_WRITABLE]),
        ({"read_write": ["C:\\a", "C:\\A\\b"]}, [Code.INSIDE_WRITABLE]),
        ({"read_write": ["C:\\a"], "read": ["C:\\ab"], "read_exec": ["D:\\a"]}, []),
        ({"read_write": ["C:\\a"], "read_exec": ["/c/a", "/C:/a"]}, []),
        ({"read_write": ["/"], "read": ["C:\\a"]}, []),
    ],
)  # fmt: skip
def test_overlaps(lists: dict[str, list[str]], codes: list[Code]) -> None:
    """S1-287, S1-288, S1-291, S1-292: in any case of the letters."""
    if codes:
        assert _codes(**lists) == codes
    else:
        _grants(**lists)


def test_one_path_in_two_cases_keeps_its_first_spelling() -> None:
    found = _grants(read=["C:\\Dir", "c:\\dir"], read_write=["C:\\DIR"])
    assert found == (
        Grant("C:\\Dir", Access.READ),
        Grant("C:\\Dir", Access.READ_WRITE),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C:\\stra\u00dfe", "C:\\strasse"),
        ("C:\\\u212a", "C:\\k"),
        ("C:\\\u017f", "C:\\s"),
        ("C:\\\u00b5", "C:\\\u03bc"),
        ("C:\\\u1f80", "C:\\\u1f88"),
        ("C:\\\U00010400", "C:\\\U00010428"),
    ],
)
def test_what_may_be_one_file_or_two_is_refused(one: str, other: str) -> None:
    """What is granted on one must not reach the other, nor be left out of it."""
    assert _codes(read=[one], read_exec=[other]) == [Code.WINDOWS_NAME]
    assert _codes(read=[other, one]) == [Code.WINDOWS_NAME]
    for path in (one, other):
        assert len(_grants(read=[path, path])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C:\\\u00fcn\u00ef", "C:\\\u00dcN\u00cf"),
        ("C:\\\u03b1\u0436", "C:\\\u0391\u0416"),
    ],
)
def test_letters_of_europe_have_one_upper_case(one: str, other: str) -> None:
    assert _grants(read=[one, other]) == (Grant(one, Access.READ),)


def test_case_counts_elsewhere() -> None:
    """S2-337: what only a Mac would read as one path is no mistake everywhere."""
    assert len(_grants(read_write=["/a"], read_exec=["/A"])) == 2


def test_places_follow_the_spelling_of_a_system() -> None:
    """What a Mac calls `/private/tmp` was written as `/tmp`, at a line of its own."""
    text = HEAD + "read = [\n'/tmp/x',\n'C:\\x',\n'/private/tmp/x']\n"
    policy, places = read_placed(text.encode(), "p.toml")
    for system, path, line in (
        (System.LINUX, "/tmp/x", 4),
        (System.MACOS, "/private/tmp/x", 4),
        (System.WINDOWS, "C:\\x", 5),
    ):
        grants = policy_on(policy, system).grants
        own = places_on(places, system)
        assert [one.path for one in grants][-1:] == [path]
        assert own.grants[grants[-1]].where == f"p.toml:{line}"
        assert set(own.grants) == set(grants)
        assert own.keys == places.keys
