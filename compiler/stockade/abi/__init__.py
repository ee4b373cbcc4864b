# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold facts about kernels: numbers, names and the features they have."""
