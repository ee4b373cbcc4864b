# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile policies into what a small launcher needs to confine a program."""
