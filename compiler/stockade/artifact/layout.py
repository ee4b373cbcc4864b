# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the bundle once: limits, header, sections, records and fields.

The C header, the parser's field rules, the binding, the format page in `docs/`
and the writer are all made from this description and from `enumerations`, so
the two sides cannot drift. It holds data and no logic.
"""

from __future__ import annotations

from stockade.abi.features import FEATURES
from stockade.artifact.shape import Field, Rule, Section

MAGIC = b"STOCKADE"
VERSION = 0

# INVARIANT: both sides refuse what exceeds a limit; the launcher sizes its
# static tables from the same numbers.
LIMITS: dict[str, int] = {
    "BUNDLE_BYTES": 4 * 1024 * 1024,
    "VARIANTS": 64,
    "GRANTS": 16384,
    "PORTS": 256,
    "PATH_BYTES": 4095,
    # Bounds the time the parser spends on text that many records share.
    "TEXT_BYTES": 4095,
    # MAX_ARG_STRLEN of execve(2) without the zero byte.
    "ENTRY_BYTES": 131071,
    "INSTRUCTIONS": 4096,
    "ENVIRONMENT": 256,
    "PROBES_PER_VARIANT": 48,
    "LEVELS": 16,
    "CLASSES": 16,
    "REQUIREMENTS_PER_VARIANT": 32,
    "CANARY_FOLDERS": 8,
    "TRUSTED": 256,
    "FEATURES": 64,
    "WARNINGS": 64,
}

ANY = Rule("any")
ZERO = Rule("range")
STRING = Rule("string")
TEXT = Rule("text")
NAME = Rule("name")
PATH = Rule("path")
VARIABLE = Rule("variable")
FEATURE_BITS = Rule("bits", high=sum(FEATURES.values()))
PORT = Rule("range", high=65535)
# MAX_ERRNO of linux/err.h.
ANSWER = Rule("range", high=4095)

_f = Field


def _one_of(name: str) -> Rule:
    return Rule("one-of", name)


def _bits_of(name: str) -> Rule:
    return Rule("bits-of", name)


def _index(section: str, *, optional: bool = False) -> Rule:
    return Rule("index", section, high=int(optional))


def _slice(section: str, low: int, limit: str) -> Rule:
    return Rule("slice", section, low, LIMITS[limit])


HEADER: tuple[Field, ...] = (
    _f("magic", "u64", ANY, "the bytes `STOCKADE`"),
    _f("version", "u32", ANY, "0 until every planned section exists"),
    _f("target", "u32", _one_of("target"), "system and architecture"),
    _f("total_bytes", "u32", ANY, "length of the whole file"),
    _f("checksum", "u32", ANY, "CRC-32C of the file with this field left out"),
    _f("section_count", "u32", ANY, "entries of the section table that follows"),
    _f("reserved", "u32", ZERO, ""),
)

SECTION_ENTRY: tuple[Field, ...] = (
    _f("kind", "u32", ANY, "the section's number, rising from entry to entry"),
    _f("flags", "u32", _bits_of("entry"), ""),
    _f("offset", "u32", ANY, "from the start of the file, a multiple of 8"),
    _f("count", "u32", ANY, "records; bytes for `strings` and `data`"),
)

SECTIONS: tuple[Section, ...] = (
    Section(
        1,
        "strings",
        "",
        (),
        "every string once, each ended by a zero byte; the first is empty",
        low=1,
    ),
    Section(
        2,
        "data",
        "",
        (),
        "items that operands point to: length (u32), 4 zero bytes, the bytes, "
        "zero bytes up to a multiple of 8",
    ),
    Section(
        3,
        "insns",
        "insn",
        (
            _f("code", "u16", ANY, "operation of `struct sock_filter`"),
            _f("jt", "u8", ANY, "instructions to skip when true"),
            _f("jf", "u8", ANY, "instructions to skip when false"),
            _f("k", "u32", ANY, "constant"),
        ),
        "instructions of every filter, one filter after the other",
    ),
    Section(
        4,
        "filters",
        "filter",
        (
            _f("first_insn", "u32", _slice("insns", 1, "INSTRUCTIONS"), ""),
            _f("insn_count", "u32", ANY, "length of the slice"),
            _f("first_relocation", "u32", _slice("relocations", 1, "INSTRUCTIONS"), ""),
            _f("relocation_count", "u32", ANY, "length of the slice"),
        ),
        "one seccomp program each; equal programs are stored once",
        low=1,
        high=LIMITS["VARIANTS"],
    ),
    Section(
        5,
        "relocations",
        "relocation",
        (
            _f("insn", "u32", ANY, "instruction within its filter, rising"),
            _f("kind", "u32", _one_of("relocation"), "fits the instruction"),
        ),
        "constants that only the launcher knows",
    ),
    Section(
        6,
        "features",
        "feature",
        (
            _f("feature", "u64", FEATURE_BITS, "one bit of the feature set"),
            _f("when", "u64", FEATURE_BITS, "bits the host must have for this text"),
            _f("name", "str", NAME, ""),
            _f("reason", "str", NAME, "why a host may lack it"),
            _f("remedy", "str", NAME, "what to do about it"),
            _f("reserved", "u32", ZERO, ""),
        ),
        "text for a feature that the host lacks; the first record that fits wins",
        high=LIMITS["FEATURES"],
    ),
    Section(
        7,
        "settings",
        "settings",
        (
            _f("policy_name", "str", TEXT, ""),
            _f("witness_nr", "u32", ANY, "call number that proves the filter"),
            _f("stream_kinds", "u32", _bits_of("stream"), "allowed as 0, 1 and 2"),
            _f("program_class", "u32", _index("classes"), "for program, loader, `#!`"),
            _f(
                "concessions", "u32", _bits_of("concession"), "what the policy gives up"
            ),
        ),
        "exactly one record",
        low=1,
        high=1,
    ),
    Section(
        8,
        "levels",
        "level",
        (
            _f("name", "str", NAME, ""),
            _f("first_variant", "u32", _slice("variants", 1, "VARIANTS"), ""),
            _f("variant_count", "u32", ANY, "length of the slice"),
        ),
        "what the author wrote: `base`, then the fallback levels",
        low=1,
        high=LIMITS["LEVELS"],
    ),
    Section(
        9,
        "variants",
        "variant",
        (
            _f("must", "u64", FEATURE_BITS, "features the host must have"),
            _f("must_not", "u64", FEATURE_BITS, "features the host must lack"),
            _f("fs_required", "u64", ANY, "Landlock file rights that must be handled"),
            _f("fs_optional", "u64", ANY, "further ones, handled where supported"),
            _f("net_required", "u64", ANY, "Landlock port rights"),
            _f("net_optional", "u64", ANY, "further ones"),
            _f("scope_required", "u64", ANY, "Landlock scopes"),
            _f("scope_optional", "u64", ANY, "further ones"),
            _f("name", "str", NAME, ""),
            _f("filter", "u32", _index("filters"), ""),
            _f(
                "first_requirement",
                "u32",
                _slice("requirements", 0, "REQUIREMENTS_PER_VARIANT"),
                "",
            ),
            _f("requirement_count", "u32", ANY, "length of the slice"),
            _f(
                "first_probe_ref",
                "u32",
                _slice("probe_refs", 0, "PROBES_PER_VARIANT"),
                "",
            ),
            _f("probe_ref_count", "u32", ANY, "length of the slice"),
        ),
        "one way to hold a level on some hosts, best first within a level",
        low=1,
        high=LIMITS["VARIANTS"],
    ),
    Section(
        10,
        "requirements",
        "requirement",
        (
            _f("needs", "u64", FEATURE_BITS, "without these the line is UNAVAILABLE"),
            _f("name", "str", NAME, "stable name"),
            _f("title", "str", NAME, "what `--check` prints"),
            _f("mechanism", "str", NAME, "how this variant holds it"),
            _f("flags", "u32", _bits_of("requirement"), ""),
        ),
        "lines of `--check`, per variant",
    ),
    Section(
        11,
        "classes",
        "class",
        (
            _f("rights", "u64", ANY, "Landlock file rights; only handled ones count"),
            _f("name", "str", NAME, ""),
            _f("flags", "u32", _bits_of("class"), ""),
        ),
        "what a grant of each kind allows",
        low=1,
        high=LIMITS["CLASSES"],
    ),
    Section(
        12,
        "grants",
        "grant",
        (
            _f("path", "str", PATH, ""),
            _f("class", "u32", _index("classes"), ""),
            _f("flags", "u32", _bits_of("grant"), ""),
        ),
        "path rules",
        high=LIMITS["GRANTS"],
    ),
    Section(
        13,
        "environment",
        "environment",
        (
            _f("kind", "u32", _one_of("environment"), ""),
            _f("name", "str", VARIABLE, ""),
            _f("entry", "str", STRING, "`NAME=VALUE` for a set variable, else empty"),
        ),
        "variables, sorted by the bytes of the name, each once",
        high=LIMITS["ENVIRONMENT"],
    ),
    Section(
        14,
        "calls",
        "call",
        (
            _f("values", "u64[6]", ANY, "0 where the operand's kind needs none"),
            _f("nr", "u32", ANY, "call number"),
            _f("kind", "u8", _one_of("call"), ""),
            _f("operands", "u8[6]", _one_of("operand"), ""),
            _f("reserved", "u8", ZERO, ""),
            _f("padding", "u32", ZERO, ""),
        ),
        "calls that probes make; equal calls are stored once",
    ),
    Section(
        15,
        "probes",
        "probe",
        (
            _f("name", "str", NAME, ""),
            _f("requirement", "str", NAME, "stable name of the requirement it proves"),
            _f("mechanism", "str", NAME, ""),
            _f("call", "u32", _index("calls"), ""),
            _f("setup", "u32", _index("calls", optional=True), "call made before"),
            _f("control_errno", "u16", ANSWER, "natural answer; 0 is success"),
            _f("expected_errno", "u16", ANSWER, "answer that proves the mechanism"),
        ),
        "tries of the enforcement check; equal probes are stored once",
    ),
    Section(
        16,
        "probe_refs",
        "probe_ref",
        (_f("probe", "u32", _index("probes"), ""),),
        "probes of each variant",
    ),
    Section(
        17,
        "canary_folders",
        "canary_folder",
        (
            _f("path", "str", NAME, "absolute, normalised"),
            _f("kind", "u32", _one_of("folder"), ""),
        ),
        "places to try for the canary, in order",
        high=LIMITS["CANARY_FOLDERS"],
    ),
    Section(
        18,
        "trusted",
        "trusted",
        (
            _f("base", "u32", _one_of("trusted"), ""),
            _f("path", "str", TEXT, "as the base says"),
        ),
        "locations that no writable grant may reach",
        high=LIMITS["TRUSTED"],
    ),
    Section(
        19,
        "warnings",
        "warning",
        (
            _f("id", "str", NAME, "stable identifier"),
            _f("text", "str", NAME, ""),
        ),
        "lines of `--check` on standard error",
        high=LIMITS["WARNINGS"],
    ),
    Section(
        20,
        "ports",
        "port",
        (
            _f("rights", "u64", ANY, "Landlock port rights; only handled ones count"),
            _f("port", "u32", PORT, "0 is a port that the kernel chooses"),
            _f("reserved", "u32", ZERO, ""),
        ),
        "port rules",
        high=LIMITS["PORTS"],
    ),
)
