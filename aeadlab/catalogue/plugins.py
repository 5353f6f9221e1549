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
    """Load `path` in a child process and read its descriptor; remembered by the file's content.

    Raises
    ------
    aeadlab.errors.PluginError
        If it cannot be loaded, crashes or hangs; the message says which.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise PluginError(f"{path} is not a plugin: {error.strerror}") from error
    remembered = paths.cache() / f"probe-{digest}.json"
    try:
        why = json.loads(remembered.read_text(encoding="utf-8"))["why"]
    except (OSError, ValueError, KeyError):
        why = _probe_in_child(path)
        paths.write_quietly(remembered, json.dumps({"why": why}))
    if why:
        raise PluginError(why)


def _probe_in_child(path: Path) -> str:
    command = [sys.executable, "-c", "import sys; from aeadlab import _native; _native.load_plugin(sys.argv[1])"]
    try:
        child = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, timeout=TIME_LIMIT, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return f"{path} is not a plugin: it hangs when loaded (over {TIME_LIMIT:.0f} s)"
    if child.returncode == 0:
        return ""
    if child.returncode < 0:
        return f"{path} is not a plugin: it crashes when loaded ({signal.Signals(-child.returncode).name})"
    lines = child.stderr.strip().splitlines() or ["no reason given"]
    return lines[-1].removeprefix("aeadlab.errors.PluginError: ")
