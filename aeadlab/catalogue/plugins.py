"""Where plugins are, and whether they can be loaded: found out in a child process, which a bad one may take down."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from aeadlab import paths
from aeadlab.catalogue import foreign
from aeadlab.errors import PluginError

BUILT = Path(__file__).parent.parent / "plugins"
VARIABLE = "AEADLAB_PLUGINS"
TIME_LIMIT = 30.0
"""Seconds after which a plugin that is still loading counts as hanging."""


def candidates(extra: Sequence[Path] = ()) -> Iterator[Path]:
    """Shared libraries in the lab's own folder, in those of AEADLAB_PLUGINS, and in `extra`, each once.

    What is named may be a file or a folder.
    """
    named = [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    found: list[Path] = sorted(BUILT.glob("*.so"))
    for place in [*named, *extra]:
        found += sorted(place.glob("*.so")) if place.is_dir() else [place]
    yield from {path.absolute(): None for path in found}


def reported_absent() -> dict[str, str]:
    """Plugins that the build could not make: name and reason."""
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(BUILT.glob("*.absent"))}


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
        identity = f"{path.stat().st_mtime_ns} ".encode() + path.read_bytes()
        if (description := foreign.description_of(path)) is not None:
            identity += description.read_bytes()
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
        return f"crashes ({signal.Signals(-child.returncode).name})"
    refusal = "aeadlab.errors.PluginError: "
    for line in child.stderr.splitlines():
        if line.startswith(refusal):
            raise PluginError(line.removeprefix(refusal))
    if child.stdout.splitlines()[-1:] != ["loaded"]:
        said = (child.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        return f"ends the process with status {child.returncode} ({said})"
    return ""
