# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn prepared views into text; the only room that imports jinja2."""
