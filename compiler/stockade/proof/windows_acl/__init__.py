# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decide as Windows does by lists of entries; docs/acl.md says what is unproved."""
