# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the stages in order."""
