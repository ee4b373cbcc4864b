# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Declare the launcher's parser for cffi, from the bundle's description.

INVARIANT: the members are not written by hand, so the binding cannot disagree with
the header that the parser was built from. Records stay bytes: `records` knows
their form, and the header asserts it.
"""

from __future__ import annotations

from stockade.artifact import layout

_FUNCTIONS = """
int stk_bundle_parse(const void *bytes, size_t length, uint32_t target,
                     struct stk_bundle *ret_bundle, size_t *ret_offset);
const char *stk_bundle_error_text(int error);
const char *stk_string(const struct stk_bundle *bundle, uint32_t offset);
uint32_t stk_crc32c(uint32_t crc, const void *bytes, size_t length);
uint32_t stk_crc32c_hardware(uint32_t crc, const void *bytes, size_t length);
uint32_t stk_crc32c_software(uint32_t crc, const void *bytes, size_t length);
_Bool stk_crc32c_has_hardware(void);
"""


def declarations() -> str:
    """Return the C declarations of a parsed bundle and of the functions."""
    members = "".join(
        f"const void *{section.name}; uint32_t {section.name}_count;"
        for section in layout.SECTIONS
    )
    return (
        "struct stk_bundle {const unsigned char *bytes; size_t length;"
        f"const void *header; {members}}};{_FUNCTIONS}"
    )
