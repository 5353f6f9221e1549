"""Locations of plugins, and the test in a child process whether a plugin can be loaded."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aeadlab import paths
from aeadlab.catalogue import legacy
from aeadlab.errors import PluginError
from aeadlab.process import Child

BUILT = Path(__file__).parent.parent / "plugins"
VARIABLE = "AEADLAB_PLUGINS"
TIME_LIMIT = 30.0
"""Seconds after which a plugin that is still loading, or unloading, counts as hanging."""

_registered: dict[Path, None] = {}


def candidates(extra: Sequence[Path] = ()) -> Iterator[Path]:
    """Iterate over the shared libraries of the lab, of AEADLAB_PLUGINS, registered ones, and `extra`, without repeats.

    AEADLAB_PLUGINS and `extra` list files and folders.
    """
    listed = [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    paths = sorted(BUILT.glob("*.so"))
    for place in [*listed, *_registered, *extra]:
        paths += files(place)
    yield from {path.absolute(): None for path in paths}


def files(place: Path) -> list[Path]:
    """Return the shared libraries of a folder, or the given file."""
    return sorted(place.glob("*.so")) if place.is_dir() else [place]


def register(paths: Iterable[Path]) -> None:
    """Add plugins to every later catalogue of this process."""
    _registered.update(dict.fromkeys(path.absolute() for path in paths))


def registered() -> tuple[Path, ...]:
    """Return the plugins registered in this process; other processes have to load them as well."""
    return tuple(_registered)


def reported_absent() -> dict[str, str]:
    """Return the plugins that the build could not make: name and reason."""
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(BUILT.glob("*.absent"))}


def contents(path: Path) -> bytes:
    """Return the bytes that determine what a plugin does: the file, and the description beside it if there is one."""
    description = legacy.description_path(path)
    return path.read_bytes() + (b"" if description is None else description.read_bytes())


def probe(path: Path) -> None:
    """Load `path` in a child process, to see whether this process can load it.

    The outcome is cached until the file changes or is touched. The rejection of a file that is not a plugin is not
    cached, because its cause may be temporary, such as a missing library.

    Raises
    ------
    aeadlab.errors.PluginError
        If it cannot be loaded, crashes or hangs; the message says which.
    """
    try:
        # Reading a pipe or a device might not end.
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise PluginError(f"{path} is not a plugin: it is not a regular file")
        identity = f"{path.stat().st_mtime_ns} ".encode() + contents(path)
    except OSError as error:
        raise PluginError(f"{path} is not a plugin: {error.strerror}") from error
    cached = paths.cache() / f"probe-{hashlib.sha256(identity).hexdigest()}.json"
    try:
        fault = json.loads(cached.read_text(encoding="utf-8"))["fault"]
    except (OSError, ValueError, KeyError, TypeError):
        fault = _fault_in_child(path)
        paths.write_cache(cached, json.dumps({"fault": fault}))
    if fault:
        raise PluginError(f"{path} is not a plugin: it {fault} when loaded; touch the file to try again")


def _fault_in_child(path: Path) -> str:
    """Load `path` in a child process; return how it fails, or ``""``; raise PluginError if it is no plugin."""
    # The group of its own includes processes that the plugin starts.
    with Child("aeadlab.catalogue.probe", [str(path)], own_group=True) as child:
        try:
            reply = child.receive(TIME_LIMIT)
            ending = child.end(TIME_LIMIT)
        except TimeoutError:
            return f"hangs (over {TIME_LIMIT:.0f} s)"
    if ending.signal:
        return f"crashes ({ending.signal})"
    if reply is None:
        return f"ends the process with status {ending.status} ({ending.last_line or 'no reason given'})"
    if "rejected" in reply:
        raise PluginError(reply["rejected"])
    return ""
