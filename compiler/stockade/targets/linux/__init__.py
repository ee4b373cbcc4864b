# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build Linux artifacts: seccomp programs, Landlock tables and probes."""
