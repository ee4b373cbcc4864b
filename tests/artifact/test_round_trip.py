# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An artifact comes back out of its bundle, through the launcher's parser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import PLAIN_FILTER, example
from surgery import entry

from stockade.artifact import parser
from stockade.artifact.canonical import canonical
from stockade.artifact.checksum import checksum_of
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import (
    ArtifactMalformed,
    BundleRefused,
    ParserMissing,
)
from stockade.artifact.parser import parse
from stockade.artifact.write import checked_bytes
from stockade.model.artifact import (
    Artifact,
    Call,
    CanaryFolder,
    EnvironmentRow,
    GrantRow,
    Operand,
    Relocation,
    RightsClass,
    Variant,
)

TARGETS = ("linux-x86_64", "linux-aarch64")


def with_variant(artifact: Artifact, **changes: object) -> Artifact:
    """Return the artifact with its first variant changed."""
    level = artifact.levels[0]
    first = replace(level.variants[0], **changes)  # type: ignore[arg-type]
    level = replace(level, variants=(first, *level.variants[1:]))
    return replace(artifact, levels=(level, *artifact.levels[1:]))


def variants(artifact: Artifact) -> list[Variant]:
    return [variant for level in artifact.levels for variant in level.variants]


@pytest.mark.parametrize("target", TARGETS)
def test_artifact_comes_back(target: str) -> None:
    artifact = example(target)
    assert decode(checked_bytes(artifact)) == canonical(artifact)


def test_artifact_without_optional_records_comes_back() -> None:
    bare = replace(
        example(),
        streams=(),
        features=(),
        levels=(
            replace(
                example().levels[0],
                variants=(
                    replace(
                        variants(example())[2], requirements=(), must=(), must_not=()
                    ),
                ),
            ),
        ),
        classes=(RightsClass("system", 0),),
        grants=(),
        ports=(),
        environment=(),
        canary_folders=(),
        trusted=(),
        warnings=(),
    )
    assert decode(checked_bytes(bare)) == canonical(bare)


def test_notes_and_unused_operands_are_dropped_and_names_ordered() -> None:
    variant = variants(example())[0]
    probe = replace(variant.probes[0], call=Call(1, (Operand(), Operand())))
    artifact = with_variant(example(), probes=(probe,), must=variant.must[::-1])
    back = variants(decode(encode(artifact)))[0]
    assert back.probes[0].call == Call(1, ())
    assert back.must == ("landlock-abi-6", "landlock-built")
    assert {insn.note for insn in back.filter.instructions} == {""}
    assert {insn.note for insn in variant.filter.instructions} != {""}


def test_canonical_form_is_a_fixed_point() -> None:
    once = canonical(example())
    assert canonical(once) == once
    assert encode(once) == encode(example())


def test_equal_records_are_stored_once() -> None:
    """Filters, calls, probes, data and strings that repeat take no further room."""
    artifact = example()
    data = encode(artifact)
    probes = {probe for variant in variants(artifact) for probe in variant.probes}
    calls = {probe.call for probe in probes}
    calls |= {probe.setup for probe in probes if probe.setup is not None}
    assert entry(data, "filters")[1] == 2
    assert entry(data, "probes")[1] == len(probes)
    assert entry(data, "calls")[1] == len(calls)
    # One address used by two calls, one file name: 8 and 4 bytes, each after 8.
    assert entry(data, "data")[1] == 8 + 8 + 8 + 8
    offset, count = entry(data, "strings")
    strings = data[offset : offset + count].split(b"\0")
    assert strings[0] == b""
    assert strings[-1] == b""
    assert len(set(strings[1:-1])) == len(strings[1:-1])


def test_filters_that_differ_in_one_constant_stay_apart() -> None:
    insns = list(PLAIN_FILTER.instructions)
    insns[1] = replace(insns[1], k=1)
    changed = replace(PLAIN_FILTER, instructions=tuple(insns))
    data = encode(with_variant(example(), filter=changed))
    assert entry(data, "filters")[1] == 3


def test_bytes_that_are_not_utf8_come_back() -> None:
    """Paths of a command line are bytes; none is lost or changed."""
    for number in range(0x80, 0x100):
        path = "/srv/" + bytes([number]).decode("utf-8", "surrogateescape")
        artifact = replace(
            example(), grants=(GrantRow(path, "read", optional=False, policy=True),)
        )
        data = checked_bytes(artifact)
        assert b"/srv/" + bytes([number]) + b"\0" in data


def test_checksum_is_the_one_in_the_header() -> None:
    data = encode(example())
    assert checksum_of(data) == int.from_bytes(data[20:24], "little")


def test_missing_parser_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_LIBRARY", "libabsent.so")
    with pytest.raises(ParserMissing, match=r"`libabsent.so` is missing .*`make build"):
        parser.library.__wrapped__()


def test_parser_wants_the_target_it_was_asked_for() -> None:
    """S2-378 A bundle for another architecture is refused."""
    data = encode(example("linux-aarch64"))
    assert parse(data, "linux-aarch64").target == "linux-aarch64"
    with pytest.raises(BundleRefused, match="another system"):
        parse(data, "linux-x86_64")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": "linux-riscv64"}, "unknown target `linux-riscv64`"),
        ({"streams": ("carrier-pigeon",)}, "unknown stream `carrier-pigeon`"),
        ({"program_class": "nobody"}, "class `nobody`"),
        ({"classes": (*example().classes, RightsClass("read", 1))}, "class `read`"),
        ({"canary_folders": (CanaryFolder("/tmp", "x"),)}, "unknown folder `x`"),
        ({"policy_name": "a\0b"}, "zero byte"),
        ({"witness_nr": -1}, "settings"),
        ({"witness_nr": 1 << 32}, "settings"),
        ({"policy_name": "\ud800"}, "surrogates not allowed"),
        ({"policy_name": "line\nbreak"}, "malformed text"),
        ({"environment": (EnvironmentRow("", None),)}, "environment variable"),
        ({"environment": (EnvironmentRow("A=B", "c"),)}, "environment variable"),
        ({"environment": example().environment[::-1]}, "not sorted"),
        ({"features": example().features[:2]}, "no text"),
        ({"levels": ()}, "too many or too few"),
    ],
)
def test_mistakes_of_earlier_stages_are_named(
    change: dict[str, object], words: str
) -> None:
    """The encoder or the parser stops what no launcher could use."""
    with pytest.raises(ArtifactMalformed, match=words):
        checked_bytes(replace(example(), **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"must": ("landlock-abi-99",)}, "unknown feature `landlock-abi-99`"),
        ({"must": ("landlock-abi-1",), "must_not": ("landlock-abi-1",)}, "contradict"),
        ({"fs_required": -1}, "variants"),
        ({"fs_required": 1 << 64}, "variants"),
        ({"name": ""}, "malformed text"),
        ({"requirements": ()}, "requirement that is not there"),
        ({"filter": replace(PLAIN_FILTER, relocations=())}, "whole pieces"),
        (
            {"filter": replace(PLAIN_FILTER, relocations=(Relocation(2, "own-pid"),))},
            "relocation",
        ),
        (
            {"filter": replace(PLAIN_FILTER, relocations=(Relocation(3, "witness"),))},
            "relocation",
        ),
        (
            {"filter": replace(PLAIN_FILTER, relocations=(Relocation(2, "x"),))},
            "unknown relocation `x`",
        ),
    ],
)
def test_mistakes_in_a_variant_are_named(change: dict[str, object], words: str) -> None:
    with pytest.raises(ArtifactMalformed, match=words):
        checked_bytes(with_variant(example(), **change))


_DATA = Operand("data", data=b"x")


@pytest.mark.parametrize(
    ("call", "setup", "words"),
    [
        (Call(1, (Operand("x"),)), None, "unknown operand `x`"),
        (Call(1, (), "x"), None, "unknown call `x`"),
        (Call(1, (Operand("data"),)), None, "without data"),
        (Call(1, (replace(_DATA, value=1),)), None, "both a value and data"),
        (Call(1, (Operand("own-pid", data=b"x"),)), None, "both a value and data"),
        (Call(1, (Operand("own-pid", 1),)), None, "operand does not fit"),
        (Call(1, (Operand("immediate", 1 << 64),)), None, "calls"),
        (Call(1, (Operand("immediate", -1),)), None, "calls"),
        (Call(1, (Operand("immediate", 1),), "fork"), None, "operand does not fit"),
        (Call(1, (Operand("setup-result"),)), None, "call cannot be made"),
        (Call(1, ()), Call(2, (Operand("setup-result"),)), "call cannot be made"),
    ],
)
def test_mistakes_in_a_call_are_named(
    call: Call, setup: Call | None, words: str
) -> None:
    probe = replace(variants(example())[0].probes[0], call=call, setup=setup)
    with pytest.raises(ArtifactMalformed, match=words):
        checked_bytes(with_variant(example(), probes=(probe,)))


def test_compat_call_is_for_x86_64_only() -> None:
    probe = replace(variants(example())[0].probes[0], call=Call(20, (), "compat"))
    checked_bytes(with_variant(example("linux-x86_64"), probes=(probe,)))
    with pytest.raises(ArtifactMalformed, match="call cannot be made"):
        checked_bytes(with_variant(example("linux-aarch64"), probes=(probe,)))


def test_probe_whose_answers_are_equal_is_refused() -> None:
    probe = replace(variants(example())[0].probes[0], expected_errno=0)
    with pytest.raises(ArtifactMalformed, match="contradict"):
        checked_bytes(with_variant(example(), probes=(probe,)))
