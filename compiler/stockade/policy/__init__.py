# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read policies: text within limits, keys and values, meaning."""

from stockade.policy.read import read_file, read_placed, read_policy

__all__ = ["read_file", "read_placed", "read_policy"]
