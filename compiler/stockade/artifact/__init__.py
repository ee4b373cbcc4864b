# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn an artifact into a bundle and back, through the launcher's own parser."""
