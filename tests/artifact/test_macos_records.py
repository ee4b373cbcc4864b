# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the parser takes in macOS bundles, record by record; refusals have a control."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from system_examples import macos_example

from stockade.artifact import layout
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed, BundleRefused
from stockade.artifact.parser import parse
from stockade.artifact.write import checked_bytes
from stockade.model.artifact import Requirement, TrustedLocation
from stockade.model.key_rows import KeyRow
from stockade.model.macos_artifact import Parameter, ParameterKind, ProcessRule

WHOLE = macos_example()


def comes_back(**changes: object) -> bool:
    """Tell whether the changed artifact comes back out of its bundle as it was."""
    changed = replace(WHOLE, **changes)  # type: ignore[arg-type]
    return decode(checked_bytes(changed)) == changed


def is_refused(**changes: object) -> str:
    """Return why the parser refuses the bundle of the changed artifact."""
    changed = replace(WHOLE, **changes)  # type: ignore[arg-type]
    with pytest.raises(BundleRefused) as caught:
        parse(encode(changed))
    return caught.value.text


def test_artifact_without_optional_records_comes_back() -> None:
    empty = dict.fromkeys(
        ("streams", "process_rules", "keys", "parameters", "environment"), ()
    )
    assert comes_back(**empty, requirements=(), trusted=(), warnings=())


@pytest.mark.parametrize("profile", ["x", "(version 1)\n" * 5000, "\n", "~ !"])
def test_profiles_of_printable_lines_come_back(profile: str) -> None:
    assert comes_back(profile=profile)


@pytest.mark.parametrize(
    "profile", ["", "a\tb", "a\r\n", "\x7f", "\x1b[2J", "\u00fc", "\udcff", "a\x1fb"]
)
def test_profiles_with_anything_else_are_refused(profile: str) -> None:
    """S2-331 control bytes and what is not ASCII never reach the system's compiler."""
    assert "printable ASCII" in is_refused(profile=profile)


def test_profile_with_a_zero_byte_is_no_artifact() -> None:
    with pytest.raises(ArtifactMalformed, match="zero byte"):
        encode(replace(WHOLE, profile="(version 1)\0(allow default)"))


@pytest.mark.parametrize("name", ["A", "_", "a0", "PATH_0_WRITTEN", "x" * 4095])
def test_names_of_parameters_come_back(name: str) -> None:
    assert comes_back(parameters=(Parameter(name, ParameterKind.PROGRAM, ""),))


@pytest.mark.parametrize("name", ["", "0", "a-b", 'a"', "a b", "a)", "\u00e4", "a\n"])
def test_names_of_parameters_are_identifiers(name: str) -> None:
    rows = (Parameter(name, ParameterKind.PROGRAM, ""),)
    assert "name of a parameter" in is_refused(parameters=rows)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterKind.PATH, "/"),
        (ParameterKind.PATH, '/a"b\\c(d)/\udcff'),
        (ParameterKind.WRITTEN, "/tmp"),
        (ParameterKind.SYSTEM_PATH, "/usr"),
        (ParameterKind.PORT, "localhost:1"),
        (ParameterKind.PORT, "localhost:65535"),
        (ParameterKind.PROGRAM, ""),
    ],
)
def test_values_that_fit_their_kind_come_back(kind: ParameterKind, value: str) -> None:
    assert comes_back(parameters=(Parameter("A", kind, value),))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterKind.PATH, ""),
        (ParameterKind.PATH, "srv"),
        (ParameterKind.PATH, "/srv/../etc"),
        (ParameterKind.PATH, "/srv/"),
        (ParameterKind.WRITTEN, "C:\\srv"),
        (ParameterKind.SYSTEM_PATH, "//usr"),
        (ParameterKind.PORT, ""),
        (ParameterKind.PORT, "localhost:"),
        (ParameterKind.PORT, "localhost:0"),
        (ParameterKind.PORT, "localhost:080"),
        (ParameterKind.PORT, "localhost:65536"),
        (ParameterKind.PORT, "localhost:123456"),
        (ParameterKind.PORT, f"localhost:{2**32 + 80}"),
        (ParameterKind.PORT, "localhost:80 "),
        (ParameterKind.PORT, "localhost:80a"),
        (ParameterKind.PORT, "localhost:*"),
        (ParameterKind.PORT, "127.0.0.1:80"),
        (ParameterKind.PORT, "*:80"),
        (ParameterKind.PROGRAM, "/bin/sh"),
    ],
)
def test_values_of_another_kind_are_refused(kind: ParameterKind, value: str) -> None:
    """S2-333 a port has one spelling, and no address stands there."""
    rows = (Parameter("A", kind, value),)
    found = is_refused(parameters=rows)
    assert "does not fit its kind" in found or "absolute" in found


@pytest.mark.parametrize("between", [0, 3])
def test_a_name_stands_once(between: int) -> None:
    """S2-331 which value counts is never open."""
    twice = [Parameter("A", ParameterKind.PROGRAM, "")] * 2
    twice[1:1] = [Parameter(f"B{n}", ParameterKind.PROGRAM, "") for n in range(between)]
    assert "does not fit its kind" in is_refused(parameters=tuple(twice))
    assert comes_back(parameters=tuple(twice[1:]))


def test_name_that_is_another_string_too_comes_back() -> None:
    """The string of a name may have been stored before, out of the usual order."""
    rows = (
        Parameter("Z", ParameterKind.PROGRAM, ""),
        Parameter("LANG", ParameterKind.PROGRAM, ""),
        Parameter("ip", ParameterKind.PROGRAM, ""),
    )
    assert comes_back(parameters=rows, keys=(KeyRow("ip", "all"),))


@pytest.mark.parametrize("name", ["", "a b", "grant:read", "\u00fc", "a\n", "a/b"])
def test_names_of_keys_are_words(name: str) -> None:
    assert "word" in is_refused(keys=(KeyRow(name, "x"),))
    assert comes_back(keys=(KeyRow("grant.read_exec", "x\ny"),))


def test_rules_of_the_process_come_back_in_one_order() -> None:
    rules = tuple(ProcessRule)
    assert comes_back(process_rules=rules)
    turned = replace(WHOLE, process_rules=rules[::-1])
    assert encode(turned) == encode(replace(WHOLE, process_rules=rules))


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        (Requirement("a", "b", "c", ("seccomp-filter",)), "feature has no text"),
        (Requirement("a", "b", "c", (), show_rights=True), "unknown bits"),
    ],
)
def test_features_and_rights_are_linux(requirement: Requirement, words: str) -> None:
    assert words in is_refused(requirements=(requirement,))
    assert comes_back(requirements=(Requirement("a", "b", "c", ()),))


@pytest.mark.parametrize("path", ["", "etc", "C:\\Windows"])
def test_trusted_places_are_paths_of_the_system(path: str) -> None:
    assert "absolute" in is_refused(trusted=(TrustedLocation("absolute", path),))


def test_longest_value_of_a_key_is_a_variable() -> None:
    value = "A=" + "v" * 131069
    assert comes_back(keys=(KeyRow("set_values", value),))
    with patch.dict(layout.LIMITS, ENTRY_BYTES=1 << 20):
        assert "malformed text" in is_refused(keys=(KeyRow("a", f"{value}v"),))
