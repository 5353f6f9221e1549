"""Execution of notebooks with papermill, without a browser."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import papermill
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from nbformat import ValidationError
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from aeadlab import paths
from aeadlab.bench.profile import find_profile
from aeadlab.display import front_end, progress
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.paths import check_folder


class _KernelManager(AsyncKernelManager):
    """Starts a kernel whose text on stderr is discarded: after Ctrl-C it prints tracebacks of its closed sockets.

    Errors of cells are not affected, because the kernel sends them as messages.
    """

    async def _async_start_kernel(self, **arguments: Any) -> None:
        await super()._async_start_kernel(**arguments, stderr=subprocess.DEVNULL)

    start_kernel = _async_start_kernel


_CONFIG = Config(
    {
        # Sockets in the file system, since other users of this machine could connect to TCP ports of the kernel.
        "KernelManager": {"transport": "ipc"},
        # A graceful end would let Ctrl-C wait for the cell that is running.
        "NotebookClient": {"kernel_manager_class": _KernelManager, "shutdown_kernel": "immediate"},
    }
)


@dataclass(frozen=True)
class Outcome:
    """The result of executing a notebook."""

    name: str
    """File name of the notebook without suffix."""
    seconds: float
    error: str | None
    """Traceback of the failed cell, or None."""
    files: list[Path]
    """The executed notebook, its HTML page, and the figures and records that it wrote."""

    def as_text(self) -> str:
        """Return a line with the result, the traceback if any, and a line for each file."""
        head = f"{'failed' if self.error else 'done'}: {self.name} in {self.seconds:.0f} s"
        return "\n".join([head, *([self.error] if self.error else []), *(f"  {path}" for path in self.files)])


def folder() -> Path:
    """Return the folder of the notebooks: in the checkout, otherwise in the current folder."""
    return (paths.checkout() or Path.cwd()) / "notebooks"


def find(names: Sequence[str]) -> list[Path]:
    """Return the notebooks of these names: paths, file names, unique prefixes of file names, or ``all``."""
    known = {path.stem: path for path in sorted(folder().glob("*.ipynb"))}
    notebooks: list[Path] = []
    for name in names:
        if name == "all":
            notebooks += known.values()
        elif Path(name).is_file():
            notebooks.append(Path(name))
        elif (stem := name.removesuffix(".ipynb")) in known:
            notebooks.append(known[stem])
        elif len(matches := [path for other, path in known.items() if other.startswith(stem)]) == 1:
            notebooks += matches
        else:
            listed = f"there are {', '.join(known) or 'none'} in {folder()}"
            raise UnknownNameError(f"no notebook is called {name!r}; {hint(name, known, listed)}")
    return list(dict.fromkeys(notebooks))


def execute_all(names: Sequence[str], parameters: Mapping[str, Any], output: Path | None = None) -> Iterator[Outcome]:
    """Execute the notebooks of `find` one after another; one that fails does not stop the others.

    Parameters and errors are those of `find` and `execute`.
    """
    for notebook in find(names):
        yield execute(notebook, parameters, output)


def execute(notebook: Path, parameters: Mapping[str, Any], output: Path | None = None) -> Outcome:
    """Execute a notebook, and keep the executed copy with an HTML page.

    Parameters
    ----------
    parameters
        Values for the cell tagged ``parameters``, which must define each name.
    output
        Folder for all files that it writes; None means the results folder.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the file is not a notebook, a parameter does not exist, or the folder cannot be written or is the
        notebook's own.
    aeadlab.errors.UnknownNameError
        If there is no such profile.
    """
    _check_parameters(notebook, parameters)
    output = (paths.results() if output is None else output).absolute()
    executed = output / "notebooks" / notebook.name
    if executed.resolve() == notebook.resolve():
        raise ArgumentError(f"output folder {output} would replace {notebook} by its executed copy: choose another")
    check_folder(executed.parent)
    start = time.time()
    error = None
    # The kernel is another process, which reads the results folder and the user's terminal from its environment.
    # A module in the current folder must not take the place of an installed one.
    variables = {paths.RESULTS: str(output), front_end.WIDGETS: "0", "PYTHONSAFEPATH": "1"}
    if sys.stderr.isatty():
        variables[progress.TERMINAL] = os.ttyname(sys.stderr.fileno())
    try:
        with _environment(variables):
            papermill.execute_notebook(notebook, executed, dict(parameters), progress_bar=False, config=_CONFIG)
    except (PapermillExecutionError, DeadKernelError) as failure:
        error = str(failure)
    page, _ = HTMLExporter().from_filename(str(executed))  # type: ignore[no-untyped-call]
    executed.with_suffix(".html").write_text(page, encoding="utf-8")
    files = [p for p in sorted(output.rglob("*")) if p.is_file() and p.parent != executed.parent]
    new = [p for p in files if p.stat().st_mtime >= start]
    return Outcome(notebook.stem, time.time() - start, error, [executed, executed.with_suffix(".html"), *new])


def _check_parameters(notebook: Path, parameters: Mapping[str, Any]) -> None:
    try:
        known = papermill.inspect_notebook(str(notebook))
    except (AttributeError, ValueError, ValidationError) as failure:
        raise ArgumentError(f"{notebook} is not a notebook: {str(failure)[:100]}") from failure
    for name in parameters:
        if name not in known:
            listed = f"it has {', '.join(known) or 'none'}"
            raise ArgumentError(f"{notebook.name} has no parameter {name!r}; {hint(name, known, listed)}")
    if "profile" in parameters:
        find_profile(str(parameters["profile"]))


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the duration of the context."""
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
