"""Where plugins are, and whether they can be loaded: found out in a child process, which a bad one may take down."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aeadlab import paths
from aeadlab.catalogue import foreign
from aeadlab.errors import PluginError

BUILT = Path(__file__).parent.parent / "plugins"
VARIABLE = "AEADLAB_PLUGINS"
TIME_LIMIT = 30.0
"""Seconds after which a plugin that is still loading counts as hanging."""

_registered: dict[Path, None] = {}


def candidates(extra: Sequence[Path] = ()) -> Iterator[Path]:
    """Shared libraries in the lab's own folder, of AEADLAB_PLUGINS, registered ones, and `extra`, each once.

    What is named may be a file or a folder.
    """
    named = [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    found = sorted(BUILT.glob("*.so"))
    for place in [*named, *_registered, *extra]:
        found += files(place)
    yield from {path.absolute(): None for path in found}


def files(place: Path) -> list[Path]:
    """The shared libraries of a folder, or the file that is named."""
    return sorted(place.glob("*.so")) if place.is_dir() else [place]


def register(paths: Iterable[Path]) -> None:
    """Make plugins known to every later catalogue of this process."""
    _registered.update(dict.fromkeys(path.absolute() for path in paths))


def registered() -> tuple[Path, ...]:
    """The plugins that were made known to this process, which another does not know."""
    return tuple(_registered)


def reported_absent() -> dict[str, str]:
    """Plugins that the build could not make: name and reason."""
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(BUILT.glob("*.absent"))}


def contents(path: Path) -> bytes:
    """All that says what a plugin does: the file, and the description beside it if there is one."""
    description = foreign.description_of(path)
    return path.read_bytes() + (b"" if description is None else description.read_bytes())


def probe(path: Path) -> None:
    """Load `path` in a child process and read its descriptor.

    That it loads, crashes or hangs is remembered until the file changes or is touched. A refusal is not: what it
    lacks, another library perhaps, may be there the next time.

    Raises
    ------
    aeadlab.errors.PluginError
        If it cannot be loaded, crashes or hangs; the message says which.
    """
    try:
        # A pipe or a device would be read for ever.
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise PluginError(f"{path} is not a plugin: it is no regular file")
        identity = f"{path.stat().st_mtime_ns} ".encode() + contents(path)
    except OSError as error:
        raise PluginError(f"{path} is not a plugin: {error.strerror}") from error
    remembered = paths.cache() / f"probe-{hashlib.sha256(identity).hexdigest()}.json"
    try:
        fault = json.loads(remembered.read_text(encoding="utf-8"))["fault"]
    except (OSError, ValueError, KeyError, TypeError):
        fault = _fault_in_child(path)
        paths.write_quietly(remembered, json.dumps({"fault": fault}))
    if fault:
        raise PluginError(f"{path} is not a plugin: it {fault} when loaded; touch the file to have it tried again")


def _fault_in_child(path: Path) -> str:
    """What loading does to a process, empty where that is well; raises `PluginError` for a refusal."""
    # The word at the end tells a plugin that was loaded from one that ended the process.
    code = "import sys; from aeadlab.catalogue import native; native.plugin(sys.argv[1]); print('\\nloaded')"
    try:
        child = subprocess.run(
            [sys.executable, "-c", code, str(path)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return f"hangs (over {TIME_LIMIT:.0f} s)"
    if child.returncode < 0:
        return f"crashes ({signal_name(-child.returncode)})"
    refusal = "aeadlab.errors.PluginError: "
    for line in child.stderr.splitlines():
        if line.startswith(refusal):
            raise PluginError(line.removeprefix(refusal))
    if child.stdout.splitlines()[-1:] != ["loaded"]:
        said = (child.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        return f"ends the process with status {child.returncode} ({said})"
    return ""


def signal_name(number: int) -> str:
    """Name of a signal; most real-time signals have none of their own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
