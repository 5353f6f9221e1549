"""Notebooks without a browser: find them, check their parameters, execute them with papermill."""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import papermill
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from nbformat import ValidationError
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from aeadlab import front_end, paths, progress
from aeadlab.bench.profile import find_profile
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.records import check_folder

# Sockets in the file system: what the notebook says is nobody else's on this machine.
_KERNEL = Config({"KernelManager": {"transport": "ipc"}})


@dataclass(frozen=True)
class Outcome:
    """What executing a notebook gave.

    Attributes
    ----------
    error
        The failing cell's traceback, or None.
    files
        The executed notebook, its page, and the figures and records that it made.
    """

    seconds: float
    error: str | None
    files: list[Path]


def folder() -> Path:
    """Where the notebooks are: in the checkout, else in the current folder."""
    checkout = paths.checkout()
    return (checkout or Path.cwd()) / "notebooks"


def find(names: Sequence[str]) -> list[Path]:
    """The notebooks named: a path, a file name or how it starts, or ``all``.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none; the message names the nearest.
    """
    known = {path.stem: path for path in sorted(folder().glob("*.ipynb"))}
    found: list[Path] = []
    for name in names:
        if name == "all":
            found += known.values()
        elif Path(name).is_file():
            found.append(Path(name))
        elif stem := _matching(name.removesuffix(".ipynb"), known):
            found.append(known[stem])
        else:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none'} in {folder()}"
            raise UnknownNameError(f"no notebook is called {name!r}; {hint}")
    return list(dict.fromkeys(found))


def _matching(name: str, known: Mapping[str, Path]) -> str | None:
    """The stem that is `name`, or the only one that starts with it: ``01`` will do."""
    if name in known:
        return name
    starting = [stem for stem in known if stem.startswith(name)]
    return starting[0] if len(starting) == 1 else None


def execute(notebook: Path, parameters: Mapping[str, Any], output: Path | None = None) -> Outcome:
    """Execute a notebook and keep it, with a page to read.

    Parameters
    ----------
    parameters
        For its ``parameters`` cell; each must be there.
    output
        Folder for everything that it makes; None means the results folder.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is no notebook, a parameter does not exist, or the folder cannot be written or is the notebook's own.
    """
    try:
        known = papermill.inspect_notebook(str(notebook))
    except (AttributeError, ValueError, ValidationError) as failure:
        raise ArgumentError(f"{notebook} is not a notebook: {str(failure)[:100]}") from failure
    for name in parameters:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none'}"
            raise ArgumentError(f"{notebook.name} has no parameter {name!r}; {hint}")
    if "profile" in parameters:
        find_profile(str(parameters["profile"]))
    output = (paths.results() if output is None else output).absolute()
    executed = output / "notebooks" / notebook.name
    if executed.resolve() == notebook.resolve():
        raise ArgumentError(f"output folder {output} would replace {notebook} by its executed copy: choose another")
    check_folder(executed.parent)
    start = time.time()
    error = None
    # The kernel is a process of its own: this is how it learns where its results go, and who looks on.
    surroundings = {paths.RESULTS: str(output), front_end.WIDGETS: "0"}
    if sys.stderr.isatty():
        surroundings[progress.TERMINAL] = os.ttyname(sys.stderr.fileno())
    try:
        with _environment(surroundings):
            papermill.execute_notebook(
                str(notebook), str(executed), dict(parameters), progress_bar=False, config=_KERNEL
            )
    except (PapermillExecutionError, DeadKernelError) as failure:
        error = str(failure)
    page, _ = HTMLExporter().from_filename(str(executed))  # type: ignore[no-untyped-call]
    executed.with_suffix(".html").write_text(page, encoding="utf-8")
    files = [p for p in sorted(output.rglob("*")) if p.is_file() and p.parent != executed.parent]
    new = [p for p in files if p.stat().st_mtime >= start]
    return Outcome(time.time() - start, error, [executed, executed.with_suffix(".html"), *new])


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
