# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read macOS sandbox profiles (SBPL) and decide operations as published facts say.

INVARIANT: nothing here is shared with the code that writes profiles, and nothing was
ever compared with a Mac by this project: see docs/sbpl.md for what each rule rests on.
"""
