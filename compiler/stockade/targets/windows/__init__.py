# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a policy into what a Windows launcher applies: a container and its entries."""
