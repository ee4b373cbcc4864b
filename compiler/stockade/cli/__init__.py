# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Be the command line: the one room that prints and that looks at its surroundings."""
