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
from aeadlab.display.printable import printable
from aeadlab.errors import PluginError
from aeadlab.host.limits import for_unverified_code, is_limited, memory_limit
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

    Success, a crash and a hang are cached until the file changes or is touched, since the file alone causes them. Other
    failures are not cached: their causes, such as a missing library or a lack of memory, may be gone the next time.

    Raises
    ------
    aeadlab.errors.PluginError
        If it cannot be loaded, crashes or hangs; the message says which.
    aeadlab.errors.ChildError
        If the child process does not start.
    """
    try:
        # Reading a pipe or a device might not end.
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise PluginError(f"{path} is not a plugin: it is not a regular file")
        identity = f"{path.stat().st_mtime_ns} {memory_limit()} ".encode() + contents(path)
    except OSError as error:
        raise PluginError(f"{path} is not a plugin: {error.strerror}") from error
    cached = paths.cache() / f"probe-{hashlib.sha256(identity).hexdigest()}.json"
    try:
        fault = str(json.loads(cached.read_text(encoding="utf-8"))["fault"])
    except (OSError, ValueError, KeyError, TypeError):
        fault = _fault_in_child(path)
        paths.write_cache(cached, json.dumps({"fault": fault}))
    if fault:
        raise PluginError(f"{path} is not a plugin: it {fault} when loaded; touch the file to try again")


def _fault_in_child(path: Path) -> str:
    """Load `path` in a child process; return how the file fails, or ``""``; raise PluginError for other failures."""
    with Child("aeadlab.catalogue.probe", [str(path)], limits=for_unverified_code(TIME_LIMIT)) as child:
        try:
            reply = child.receive(TIME_LIMIT)
            ending = child.end(TIME_LIMIT)
        except TimeoutError:
            return f"hangs (over {TIME_LIMIT:.0f} s)"
    if ending.crashed and not is_limited():
        return f"crashes ({ending.signal})"
    if reply == {"loaded": True} and not ending.signal:
        return ""
    if reply is not None and isinstance(reason := reply.get("rejected"), str):
        raise PluginError(printable(reason))
    raise PluginError(
        f"{path} is not a plugin: its process ended with {ending.cause} ({ending.last_line or 'no reason given'}) when "
        "it was loaded; the next command loads it again"
    )
