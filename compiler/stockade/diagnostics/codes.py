# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number the mistakes that a policy can hold.

INVARIANT: a code keeps its meaning for good. One that is no longer given stays
here, so that its number is never taken again. `docs/diagnostics.md` has a section
for each, `tests/diagnostics/cases` at least one policy.
"""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """One kind of mistake."""

    # The text.
    TOO_LONG = "STK001"
    NOT_UTF8 = "STK002"
    BYTE_ORDER_MARK = "STK003"
    TOO_DEEP = "STK004"
    TOO_MANY_KEYS = "STK005"
    KEY_TOO_LONG = "STK006"
    TOO_MANY_VALUES = "STK007"
    NOT_TOML = "STK008"
    SCATTERED = "STK009"

    # Keys and values.
    UNKNOWN_KEY = "STK010"
    NOT_SUPPORTED_YET = "STK011"
    NO_VERSION = "STK012"
    OTHER_VERSION = "STK013"
    WRONG_TYPE = "STK014"
    UNKNOWN_VALUE = "STK015"
    MISSING_KEY = "STK016"
    NOT_IN_A_LEVEL = "STK017"
    CONFLICTING_KEYS = "STK018"

    # Paths.
    NOT_ABSOLUTE = "STK020"
    PARENT_COMPONENT = "STK021"
    CONTROL_CHARACTER = "STK022"
    PATH_TOO_LONG = "STK023"
    TOO_MANY_GRANTS = "STK024"
    WRITABLE_AND_EXECUTABLE = "STK025"
    INSIDE_WRITABLE = "STK026"
    NOT_LOCAL = "STK027"
    WINDOWS_NAME = "STK028"
    NOT_WRITABLE = "STK029"

    # The environment.
    VARIABLE_NAME = "STK030"
    VARIABLE_VALUE = "STK031"
    TOO_MANY_VARIABLES = "STK032"

    # Ports and names of other systems.
    NOT_A_PORT = "STK040"
    NOT_A_LOOPBACK_ADDRESS = "STK041"
    PORT_TAKEN = "STK042"
    CONTAINER_NAME = "STK043"
