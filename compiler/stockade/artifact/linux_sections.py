# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the sections of Linux bundles; those that all bundles carry are among them.

Their numbers and their order stay as they are: new sections get new numbers.
"""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.artifact.limits import LIMITS
from stockade.artifact.rules import (
    ANSWER,
    ANY,
    FEATURE_BITS,
    NAME,
    PATH,
    PORT,
    STRING,
    TEXT,
    VARIABLE,
    ZERO,
    bits_of,
    index,
    one_of,
    slice_of,
)
from stockade.artifact.shape import Field, Section

_ALL = tuple(System)
_f = Field

LINUX_SECTIONS: tuple[Section, ...] = (
    Section(
        1,
        "strings",
        "",
        (),
        "every string once, each ended by a zero byte; the first is empty",
        low=1,
        systems=_ALL,
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
            _f("first_insn", "u32", slice_of("insns", 1, "INSTRUCTIONS"), ""),
            _f("insn_count", "u32", ANY, "length of the slice"),
            _f(
                "first_relocation",
                "u32",
                slice_of("relocations", 1, "INSTRUCTIONS"),
                "",
            ),
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
            _f("kind", "u32", one_of("relocation"), "fits the instruction"),
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
            _f("stream_kinds", "u32", bits_of("stream"), "allowed as 0, 1 and 2"),
            _f("program_class", "u32", index("classes"), "for program, loader, `#!`"),
            _f("concessions", "u32", bits_of("concession"), "what the policy gives up"),
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
            _f("first_variant", "u32", slice_of("variants", 1, "VARIANTS"), ""),
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
            _f("filter", "u32", index("filters"), ""),
            _f(
                "first_requirement",
                "u32",
                slice_of("requirements", 0, "REQUIREMENTS_PER_VARIANT"),
                "",
            ),
            _f("requirement_count", "u32", ANY, "length of the slice"),
            _f(
                "first_probe_ref",
                "u32",
                slice_of("probe_refs", 0, "PROBES_PER_VARIANT"),
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
            _f("flags", "u32", bits_of("requirement"), ""),
        ),
        "lines of `--check`, per variant",
        systems=_ALL,
    ),
    Section(
        11,
        "classes",
        "class",
        (
            _f("rights", "u64", ANY, "Landlock file rights; only handled ones count"),
            _f("name", "str", NAME, ""),
            _f("flags", "u32", bits_of("class"), ""),
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
            _f("class", "u32", index("classes"), ""),
            _f("flags", "u32", bits_of("grant"), ""),
        ),
        "path rules",
        high=LIMITS["GRANTS"],
    ),
    Section(
        13,
        "environment",
        "environment",
        (
            _f("kind", "u32", one_of("environment"), ""),
            _f("name", "str", VARIABLE, ""),
            _f("entry", "str", STRING, "`NAME=VALUE` for a set variable, else empty"),
        ),
        "variables, sorted by the bytes of the name, each once",
        high=LIMITS["ENVIRONMENT"],
        systems=_ALL,
    ),
    Section(
        14,
        "calls",
        "call",
        (
            _f("values", "u64[6]", ANY, "0 where the operand's kind needs none"),
            _f("nr", "u32", ANY, "call number"),
            _f("kind", "u8", one_of("call"), ""),
            _f("operands", "u8[6]", one_of("operand"), ""),
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
            _f("call", "u32", index("calls"), ""),
            _f("setup", "u32", index("calls", optional=True), "call made before"),
            _f("control_errno", "u16", ANSWER, "natural answer; 0 is success"),
            _f("expected_errno", "u16", ANSWER, "answer that proves the mechanism"),
        ),
        "tries of the enforcement check; equal probes are stored once",
    ),
    Section(
        16,
        "probe_refs",
        "probe_ref",
        (_f("probe", "u32", index("probes"), ""),),
        "probes of each variant",
    ),
    Section(
        17,
        "canary_folders",
        "canary_folder",
        (
            _f("path", "str", NAME, "absolute, normalised"),
            _f("kind", "u32", one_of("folder"), ""),
        ),
        "places to try for the canary, in order",
        high=LIMITS["CANARY_FOLDERS"],
    ),
    Section(
        18,
        "trusted",
        "trusted",
        (
            _f("base", "u32", one_of("trusted"), ""),
            _f("path", "str", TEXT, "as the base says"),
        ),
        "locations that no writable grant may reach",
        high=LIMITS["TRUSTED"],
        systems=_ALL,
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
        systems=_ALL,
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
