# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold every template: each lays out what `stockade.render` gives it, and no more."""
