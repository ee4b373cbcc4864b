# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a policy into requirements and the variants that hold them."""
