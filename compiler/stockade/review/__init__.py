# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say for people what artifacts decide, and what changes between two of them."""
