# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build macOS artifacts: a Seatbelt profile and the parameters that it takes."""
