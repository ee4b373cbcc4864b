# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Arrange surroundings step by step, and run a program in them.

    python3 enter.py STEPS USER COMMAND...

STEPS is a JSON list of steps, each a list of a name and arguments. Each step looks
whether it had the effect that it is named for: surroundings that could not be
arranged are an error here (status 70), never surroundings without effect. Steps up
to `become` run as whoever called, the others as USER. Needs nothing but Python
itself, since it runs where the project may be out of reach.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent))

import process_steps
import sandbox_steps
import system_steps

UNARRANGED = 70
_STEPS = {**system_steps.STEPS, **sandbox_steps.STEPS, **process_steps.STEPS}


def main(words: list[str]) -> NoReturn:
    """Take every step, then become the command."""
    steps, user, *command = words
    for name, *arguments in json.loads(steps):
        try:
            _STEPS[name](*(int(user) if word == "USER" else word for word in arguments))
        except (AssertionError, OSError) as error:
            sys.stderr.write(f"cannot arrange {name} {arguments}: {error!r}\n")
            sys.stderr.flush()
            os._exit(UNARRANGED)
    process_steps.start(command)


if __name__ == "__main__":
    main(sys.argv[1:])
