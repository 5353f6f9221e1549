"""The parser of command lines, whose errors are one line with the nearest name."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from aeadlab.display.nearest import hint
from aeadlab.display.printable import printable
from aeadlab.errors import UnknownNameError

_INVALID_ARGUMENTS = 2


class _HelpFormatter(argparse.HelpFormatter):
    """Lines of help that end between words, so that the name of a study such as one-tag stays whole."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """A parser that prints no usage before an error; the parsers of the verbs are of this class, too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"formatter_class": _HelpFormatter, **kwargs})

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with status 2."""
        self.exit(_INVALID_ARGUMENTS, f"{self.prog}: {printable(message)}; `{self.prog} --help` lists the arguments\n")

    # The overload of the standard library is for a namespace of another type.
    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments, of which none may be left over."""
        parsed, extra = super().parse_known_args(args, namespace)
        if extra:
            self.error(self._unknown(extra[0]))
        return parsed, extra

    # Called for each value, which may be a name of the lab.
    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except UnknownNameError as error:
            self.exit(_INVALID_ARGUMENTS, f"{self.prog}: {printable(str(error))}\n")

    def _unknown(self, word: str) -> str:
        if not word.startswith("-"):
            return f"unexpected argument {word!r}"
        options = [name for action in self._actions for name in action.option_strings]
        near = hint(word.partition("=")[0], options, "an option expected")
        return f"unknown option {word}; {near}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            near = hint(str(value), choices, f"choose from {', '.join(choices)}")
            noun = action.metavar if isinstance(action.metavar, str) else action.dest
            raise argparse.ArgumentError(None, f"no {noun.lower()} {value!r}; {near}")
