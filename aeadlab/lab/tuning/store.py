"""Tuning results of this computer, stored until something that they depend on changes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aeadlab import _native, paths
from aeadlab.catalogue import Implementation
from aeadlab.catalogue.plugins import contents
from aeadlab.host.system_files import SystemFiles
from aeadlab.lab.tuning.tuned import Tuned

_VERSION = 1
"""Version of the stored form; results of other versions are not used."""


def machine_identity(candidates: Iterable[Implementation]) -> dict[str, Any]:
    """Return the facts that a choice depends on besides the request: this computer, the extension and the libraries."""
    cpu = SystemFiles().table("/proc/cpuinfo")
    names = ("vendor_id", "cpu family", "model", "stepping", "model name", "CPU implementer", "CPU part")
    descriptions = {i.name: i.description for i in candidates}
    plugins = {file for d in descriptions.values() for file in d.plugin_files}
    return {
        "cpu": {name: cpu[name] for name in names if name in cpu},
        "cores": os.cpu_count(),
        "affinity": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "extension": _digest(Path(_native.__file__).read_bytes()),
        "libraries": {name: f"{d.version} {d.build} {d.kernel}" for name, d in sorted(descriptions.items())},
        "plugins": sorted(_digest(contents(Path(file))) for file in plugins),
    }


def result_path(machine: Mapping[str, Any], request: Mapping[str, Any]) -> Path:
    """Return the file for the result of a request on this machine."""
    key = json.dumps([_VERSION, machine, request], sort_keys=True)
    return paths.cache() / "tuned" / f"{_digest(key.encode())[:32]}.json"


def load_result(path: Path, machine: Mapping[str, Any]) -> Tuned | None:
    """Return the stored result; None if there is none, it is damaged, or it is of another machine."""
    try:
        stored = Tuned.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, LookupError, TypeError, ValueError):
        return None
    return replace(stored, remembered=True) if stored.machine == machine else None


def store_result(path: Path, tuned: Tuned) -> None:
    """Store a reliable result; an unreliable one is not stored, so that the next call measures again."""
    if tuned.reliable:
        paths.write_cache(path, json.dumps(tuned.as_dict(), indent=1))


def _digest(octets: bytes) -> str:
    return hashlib.sha256(octets).hexdigest()
