# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the arguments of one command into its options and operands.

An option is written whole, with its value in the next argument or after `=`. No
prefix stands for one, so a later option cannot change what a command line means.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stockade.cli.options import OPTIONS, Option
from stockade.cli.output import Refusal
from stockade.diagnostics import quote
from stockade.policy.suggest import suggestion


@dataclass(frozen=True, slots=True)
class Given:
    """One option as it was given; `position` counts arguments after the command."""

    option: Option
    value: str
    position: int


@dataclass(frozen=True, slots=True)
class Arguments:
    """The options of a command and, from `first_operand` on, its operands."""

    given: tuple[Given, ...]
    operands: tuple[str, ...]
    first_operand: int

    def values(self, name: str) -> list[str]:
        """Return the values of one option, in order."""
        return [one.value for one in self.given if one.option.name == name]

    def value(self, name: str) -> str | None:
        """Return the value of an option that is given at most once, or None."""
        values = self.values(name)
        return values[0] if values else None


@dataclass(slots=True)
class _Reader:
    command: str
    arguments: list[str]
    at: int = 0
    given: list[Given] = field(default_factory=list)

    def option(self) -> None:
        position = self.at
        argument = self.arguments[position]
        name, equals, value = argument.partition("=")
        option = _known(name, self.command)
        self.at += 1
        if not option.placeholder:
            if equals:
                raise Refusal(f"option `{name}` takes no value")
        elif not equals:
            value = self._next_value(name)
        if not option.repeatable and any(one.option is option for one in self.given):
            raise Refusal(f"option `{name}` is given twice")
        self.given.append(Given(option, value, position))

    def _next_value(self, name: str) -> str:
        if self.at == len(self.arguments):
            raise Refusal(f"option `{name}` needs a value")
        value = self.arguments[self.at]
        if value.startswith("--"):
            raise Refusal(
                f"option `{name}` needs a value and is followed by {quote(value)};"
                f" write {quote(f'{name}={value}')} if that is the value"
            )
        self.at += 1
        return value


def read_arguments(
    command: str, arguments: list[str], *, operands_anywhere: bool = False
) -> Arguments:
    """Read options up to `--` or the first operand; raise Refusal for a wrong one.

    With `operands_anywhere` options may also follow operands.
    """
    reader = _Reader(command, arguments)
    operands: list[str] = []
    while reader.at < len(arguments):
        argument = arguments[reader.at]
        if argument == "--":
            reader.at += 1
            break
        if argument.startswith("-") and argument != "-":
            reader.option()
        elif operands_anywhere:
            operands.append(argument)
            reader.at += 1
        else:
            break
    operands += arguments[reader.at :]
    return Arguments(tuple(reader.given), tuple(operands), reader.at)


def _known(name: str, command: str) -> Option:
    option = OPTIONS.get(name)
    if option is None:
        here = [one.name for one in OPTIONS.values() if command in one.commands]
        near = suggestion(name, here)
        advice = f"did you mean `{near}`?" if near else "see `stockade --help`"
        raise Refusal(f"unknown option {quote(name)}; {advice}")
    if command not in option.commands:
        owners = " and ".join(f"`{one}`" for one in option.commands)
        raise Refusal(f"option `{name}` is for {owners}, not for `{command}`")
    if not option.built:
        raise Refusal(f"option `{name}` is not supported yet")
    return option
