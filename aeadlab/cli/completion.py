"""Completion of command lines in bash, zsh and fish with `argcomplete`, which runs the command for each suggestion."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from argcomplete.completers import BaseCompleter

SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_ARGCOMPLETE"
"""The variable with which argcomplete's functions of a shell run the command."""


class PrintCompletion(argparse.Action):
    """``--print-completion SHELL`` prints the function that a shell evaluates, and exits."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the function of the shell that is given."""
        from argcomplete.shell_integration import shellcode

        print(shellcode([parser.prog], shell=str(values)), flush=True)
        parser.exit()


def complete(parser: argparse.ArgumentParser) -> None:
    """Print the suggestions and exit if a shell requests them; otherwise return at once."""
    if _VARIABLE in os.environ:
        import argcomplete

        completer = cast("BaseCompleter", suggestions)
        argcomplete.autocomplete(parser, always_complete_options=False, default_completer=completer)


def suggestions(prefix: str, action: argparse.Action, **_: object) -> Iterable[str]:
    """Return the names that may follow, by the option or argument; files where no names are expected."""
    if source := _SOURCES.get(str(action.metavar)) or _SOURCES.get(action.dest):
        return source(prefix)
    from argcomplete.completers import FilesCompleter

    files: Iterable[str] = FilesCompleter()(prefix)
    return files


def _implementations(prefix: str) -> Iterable[str]:
    """Return algorithms and libraries, and after a slash the implementations of the library."""
    from aeadlab.catalogue import load

    described = [implementation.description for implementation in load()]
    if "/" in prefix:
        return [d.name for d in described]
    return dict.fromkeys((*(f"{d.library}/" for d in described), *(d.algorithm for d in described)))


def _libraries(_: str) -> Iterable[str]:
    return [name.removesuffix("/") for name in _implementations("") if name.endswith("/")]


def _algorithms(_: str) -> Iterable[str]:
    return [name for name in _implementations("") if not name.endswith("/")]


def _studies(_: str) -> Mapping[str, str]:
    from aeadlab.studies import all_studies

    return {name: study.question for name, study in all_studies().items()}


def _records(prefix: str) -> Iterable[str]:
    from argcomplete.completers import FilesCompleter

    from aeadlab import paths

    # The package records loads the statistics, which take a second.
    folders = [paths.results() / "records", *([paths.reference_records()] if paths.checkout() else [])]
    stored = [str(path) for folder in folders for path in sorted(folder.glob("*.parquet"))]
    return [*stored, *FilesCompleter(("parquet",))(prefix)]


def _records_or_studies(prefix: str) -> Iterable[str]:
    return [*_studies(prefix), *_records(prefix)]


def _positions(prefix: str) -> Iterable[str]:
    return ["latest", "previous", *_records(prefix)]


def _sides(prefix: str) -> Iterable[str]:
    return [*_positions(prefix), *_implementations(prefix)]


def _notebooks(_: str) -> Iterable[str]:
    from aeadlab import paths

    folder = paths.checkout()
    return ["all", *(path.stem for path in folder.glob("notebooks/*.ipynb"))] if folder else ["all"]


def _profiles(_: str) -> Iterable[str]:
    from aeadlab.bench.profile import PROFILES

    return list(PROFILES)


def _masks(_: str) -> Mapping[str, str]:
    from aeadlab.bench.masks.masks import MASKS

    return {name: mask.meaning for name, mask in MASKS.items()}


def _venues(_: str) -> Iterable[str]:
    from aeadlab.figures.style import VENUES

    return list(VENUES)


def _documents(_: str) -> Iterable[str]:
    from aeadlab.verdicts.published import DOCUMENTS

    return list(DOCUMENTS)


def _columns(_: str) -> Iterable[str]:
    from aeadlab.dimensions import NAMES

    return ["kind", *NAMES]


_SOURCES: Final[Mapping[str, Callable[[str], Iterable[str]]]] = {
    **dict.fromkeys(("names", "implementation", "allow", "reference"), _implementations),
    **dict.fromkeys(("a", "b"), _sides),
    **dict.fromkeys(("study", "studies"), _studies),
    "RECORD": _positions,
    "RECORD|STUDY": _records_or_studies,
    "record": _records,
    "library": _libraries,
    "algorithm": _algorithms,
    "notebooks": _notebooks,
    "profile": _profiles,
    "mask": _masks,
    "venue": _venues,
    "document": _documents,
    "by": _columns,
    **dict.fromkeys(("size", "block_size"), lambda _: ("1400", "16K", "64K", "1M", "64M", "1G")),
    **dict.fromkeys(("threads", "samples", "seed", "budget", "seconds", "host", "cluster", "parameter"), lambda _: ()),
}
"""By the metavariable or else the attribute of an option or argument, the function from what was typed to the names."""
