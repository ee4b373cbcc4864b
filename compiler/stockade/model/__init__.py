# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what a policy means, for every stage to agree with."""
