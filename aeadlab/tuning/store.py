"""What tuning found earlier on this machine, for as long as nothing it depends on changes."""

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
from aeadlab.system_files import SystemFiles
from aeadlab.tuning.tuned import Tuned

_VERSION = 1
"""Of what is stored; another is measured again."""


def machine(candidates: Iterable[Implementation]) -> dict[str, Any]:
    """What a choice depends on besides what the user asked for: this computer, the extension, the libraries."""
    cpu = SystemFiles().table("/proc/cpuinfo")
    names = ("vendor_id", "cpu family", "model", "stepping", "model name", "CPU implementer", "CPU part")
    d = {i.name: i.description for i in candidates}
    plugins = {e.origin for e in d.values()} - {"linked", "python"}
    return {
        "cpu": {name: cpu[name] for name in names if name in cpu},
        "cores": os.cpu_count(),
        "affinity": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "extension": _digest(Path(_native.__file__).read_bytes()),
        "libraries": {name: f"{e.version} {e.build} {e.kernel}" for name, e in sorted(d.items())},
        "plugins": sorted(_digest(contents(Path(file))) for origin in plugins for file in origin.split(os.pathsep)),
    }


def place(machine: Mapping[str, Any], asked: Mapping[str, Any]) -> Path:
    """The file of what is remembered for this machine and this question."""
    question = json.dumps([_VERSION, machine, asked], sort_keys=True)
    return paths.cache() / "tuned" / f"{_digest(question.encode())[:32]}.json"


def recall(path: Path, machine: Mapping[str, Any]) -> Tuned | None:
    """What is remembered; None where nothing is, the file is damaged, or it is of another machine."""
    try:
        found = Tuned.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, LookupError, TypeError, ValueError):
        return None
    return replace(found, remembered=True) if found.machine == machine else None


def keep(path: Path, tuned: Tuned) -> None:
    """Remember what is reliable; otherwise the next one measures again."""
    if tuned.reliable:
        paths.write_quietly(path, json.dumps(tuned.as_dict(), indent=1))


def _digest(octets: bytes) -> str:
    return hashlib.sha256(octets).hexdigest()
