"""Execution of notebooks with papermill, without a browser."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import papermill
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from nbformat import ValidationError
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from aeadlab import paths
from aeadlab.bench.profile import check_notebook_profile
from aeadlab.display import front_end
from aeadlab.display.nearest import hint
from aeadlab.display.progress import PROGRESS, Work, read_work
from aeadlab.display.progress_line import ProgressLine
from aeadlab.errors import ArgumentError
from aeadlab.paths import check_folder
from aeadlab.resuming import Unfinished


class _KernelManager(AsyncKernelManager):
    """Starts a kernel whose text on stderr is discarded: after Ctrl-C it prints tracebacks of its closed sockets.

    Errors of cells are not affected, because the kernel sends them as messages.
    """

    async def _async_start_kernel(self, **arguments: Any) -> None:
        await super()._async_start_kernel(**arguments, stderr=subprocess.DEVNULL)

    start_kernel = _async_start_kernel


_SOCKET_BYTES: Final = 107
"""The longest path of a socket on Linux (unix(7)); with a longer one the sockets stay at their default place."""


def _config(folder: Path, on_cell: Callable[..., None]) -> Config:
    """Return the settings of a kernel with sockets in `folder`, and of its client; `on_cell` is called before cells."""
    prefix = str(folder / "kernel")
    place = {"ip": prefix} if len(os.fsencode(f"{prefix}-1")) <= _SOCKET_BYTES else {}
    return Config(
        {
            # Sockets in the file system, since other users of this machine could connect to TCP ports of the kernel. By
            # default they are in the current folder, where they stay after an interrupt while the kernel starts.
            "KernelManager": {"transport": "ipc", **place},
            # A graceful end would let Ctrl-C wait for the cell that is running.
            "NotebookClient": {
                "kernel_manager_class": _KernelManager,
                "shutdown_kernel": "immediate",
                "on_cell_start": on_cell,
            },
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
    resumed: bool = False
    """Whether an interrupted command executed it."""

    @property
    def page(self) -> Path | None:
        """The HTML page of the executed notebook."""
        return next((path for path in self.files if path.suffix == ".html"), None)

    @property
    def records(self) -> list[Path]:
        """The records that it stored, the oldest first."""
        paths = [path for path in self.files if path.suffix == ".parquet" and path.parent.name == "records"]
        return sorted(paths, key=lambda path: path.stat().st_mtime_ns)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome for JSON."""
        return {"name": self.name, "seconds": self.seconds, "error": self.error, "files": [*map(str, self.files)]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the outcome that an interrupted command stored with `as_dict`."""
        return cls(stored["name"], stored["seconds"], stored["error"], [*map(Path, stored["files"])], resumed=True)

    def as_text(self, remark: str = "") -> str:
        """Return a line with the result and a remark, and the traceback if any."""
        result = "failed" if self.error else "done before the interrupt" if self.resumed else "done"
        head = f"{result}: {self.name} in {self.seconds:.0f} s{remark}"
        return "\n".join([head, *([self.error] if self.error else [])])


def execute_all(
    notebooks: Sequence[Path],
    parameters: Mapping[str, Any],
    output: Path | None = None,
    line: ProgressLine | None = None,
) -> Iterator[Outcome]:
    """Execute notebooks one after another; one that fails does not stop the others.

    After an interrupt, the same call returns the outcomes of the completed notebooks, and executes the others. Other
    parameters, and errors, are those of `execute`.
    """
    contents = {str(notebook): hashlib.sha256(notebook.read_bytes()).hexdigest() for notebook in notebooks}
    command = {"run": contents, "parameters": dict(parameters), "output": str(_folder(output))}
    with Unfinished(command) as unfinished:
        for number, notebook in enumerate(notebooks, start=1):
            if line is not None:
                line.place = f"notebook {number}/{len(notebooks)}" if len(notebooks) > 1 else ""
            if stored := unfinished.done.get(str(notebook)):
                yield Outcome.from_dict(stored)
                continue
            outcome = execute(notebook, parameters, output, line)
            if outcome.error is None:
                unfinished.add(str(notebook), outcome.as_dict())
            yield outcome


def execute(
    notebook: Path, parameters: Mapping[str, Any], output: Path | None = None, line: ProgressLine | None = None
) -> Outcome:
    """Execute a notebook, and keep the executed copy with an HTML page.

    Parameters
    ----------
    parameters
        Values for the cell tagged ``parameters``, which must define each name.
    output
        Folder for all files that it writes; None means the results folder.
    line
        Shows the number of the cell, and the progress of its work.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the file is not a notebook, a parameter does not exist, or the folder cannot be written or is the
        notebook's own.
    aeadlab.errors.UnknownNameError
        If there is no such profile.
    """
    _check_parameters(notebook, parameters)
    output = _folder(output)
    executed = output / "notebooks" / notebook.name
    if executed.resolve() == notebook.resolve():
        raise ArgumentError(f"output folder {output} would replace {notebook} by its executed copy: choose another")
    check_folder(executed.parent)
    start = time.time()
    error = None
    # The kernel is another process, which reads the results folder from its environment.
    # A module in the current folder must not take the place of an installed one.
    variables = {paths.RESULTS: str(output), front_end.WIDGETS: "0", "PYTHONSAFEPATH": "1"}
    try:
        with _progress_of_kernel(notebook, line) as (file, on_cell), _environment(variables | {PROGRESS: str(file)}):
            papermill.execute_notebook(
                notebook, executed, dict(parameters), progress_bar=False, config=_config(file.parent, on_cell)
            )
    except (PapermillExecutionError, DeadKernelError) as failure:
        error = str(failure)
    page, _ = HTMLExporter().from_filename(str(executed))  # type: ignore[no-untyped-call]
    executed.with_suffix(".html").write_text(page, encoding="utf-8")
    files = [p for p in sorted(output.rglob("*")) if p.is_file() and p.parent != executed.parent]
    new = [p for p in files if p.stat().st_mtime >= start]
    return Outcome(notebook.stem, time.time() - start, error, [executed, executed.with_suffix(".html"), *new])


def _folder(output: Path | None) -> Path:
    return (paths.results() if output is None else output).absolute()


@contextmanager
def _progress_of_kernel(notebook: Path, line: ProgressLine | None) -> Iterator[tuple[Path, Callable[..., None]]]:
    """Show the progress of a kernel on a line; return its file for `PROGRESS`, and a function to call before each cell.

    The file is in a temporary folder, where the kernel has its sockets too. A `KeyboardInterrupt` gets a message with
    the units done of the kernel's work, such as samples, or else the cells.
    """
    cells = Work(notebook.stem, "cell", len(json.loads(notebook.read_bytes())["cells"]), resumes=True)
    before = "" if line is None else line.place
    # A kernel that was interrupted while it starts may make its sockets while the folder is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "progress"

        def on_cell(cell_index: int, **_: object) -> None:
            # Papermill inserts a cell with the parameters.
            cells.n = min(cell_index, cells.total - 1)
            if line is not None:
                cell = f"cell {cells.n + 1}/{cells.total}"
                line.place = f"{before}, {cell}" if before else cell

        if line is not None:
            line.elsewhere = lambda: read_work(file)
        try:
            yield file, on_cell
        except KeyboardInterrupt:
            # The tasks of papermill's event loop report the end of the kernel in tracebacks.
            logging.getLogger("asyncio").disabled = True
            work = read_work(file)
            if work is not None and work.resumes:
                raise KeyboardInterrupt(f"interrupted in {notebook.stem} {work.interrupted}") from None
            raise KeyboardInterrupt(f"interrupted in {notebook.stem} {cells.interrupted} with this notebook") from None
        finally:
            if line is not None:
                line.place, line.stage = before, "drawing"


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
        check_notebook_profile(str(parameters["profile"]))


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
