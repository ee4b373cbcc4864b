# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge finished programs by means that share nothing with what made them."""
