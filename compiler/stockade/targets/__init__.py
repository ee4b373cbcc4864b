# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build artifacts, one package per kind of system."""
