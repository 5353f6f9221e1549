"""The provenance of a run: machine, builds, versions and commit."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from aeadlab import _native, paths
from aeadlab.catalogue import Implementation
from aeadlab.errors import BuildError
from aeadlab.host import doctor, machine
from aeadlab.parsplit.schedules import openmp_loops

_PACKAGES = ("aeadlab", "numpy", "numba", "cryptography", "pycryptodome", "blake3", "pandas", "pyarrow", "scipy")
_SOURCE_SUFFIXES = {".rs", ".toml", ".lock", ".h"}
_SOURCE_PLACES = ("Cargo.toml", "Cargo.lock", "include", "abi", "export", "parsplit", "libraries", "measure", "python")


def check_build() -> dict[str, str]:
    """Return the build information of the compiled extension.

    Raises
    ------
    aeadlab.errors.BuildError
        If it is a debug build, or older than the native sources of the checkout.
    """
    info = dict(_native.build_info())
    if info["profile"] != "release":
        raise BuildError("the compiled extension is a debug build, whose times are not comparable: run `make build`")
    checkout = paths.checkout()
    if checkout is not None and (now := sources_hash(checkout / "native")) != info["sources"]:
        raise BuildError(
            f"the compiled extension is older than its sources ({info['sources'][:8]}, now {now[:8]}): run `make build`"
        )
    return info


def sources_hash(native: Path) -> str:
    """Return the SHA-256 of names and contents of the native sources, as native/python/build.rs computes it."""
    places = [native / place for place in _SOURCE_PLACES]
    files = [p for place in places for p in (place.rglob("*") if place.is_dir() else [place])]
    names = [(p.relative_to(native), p) for p in files if p.suffix in _SOURCE_SUFFIXES and p.is_file()]
    sources = sorted((name.as_posix(), p) for name, p in names if "tests" not in name.parts)
    digest = hashlib.sha256()
    for name, path in sources:
        digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def collect(
    implementations: Iterable[Implementation], verified: dict[str, Any], before: dict[str, Any]
) -> dict[str, Any]:
    """Return the provenance of a run that ends now.

    Parameters
    ----------
    implementations
        The implementations that were timed.
    verified
        Report of the verification of each implementation, by name.
    before
        Facts of the machine at the start of the run, so that steal time and throttling are those of the run alone.
    """
    facts = machine.facts()
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": facts,
        "quality": doctor.quality_flags(doctor.findings(facts, before)),
        "extension": dict(_native.build_info()),
        "commit": commit(),
        "openmp": openmp_loops.build(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "implementations": {i.name: _describe(i) for i in implementations},
        "verified": verified,
    }


def identity(implementations: Iterable[Implementation]) -> str:
    """Return a hash of this computer, the extension and the builds of the libraries.

    A record contains samples of one identity only.
    """
    parts = [platform.node(), _native.build_info(), {i.name: _describe(i) for i in implementations}]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _describe(implementation: Implementation) -> dict[str, Any]:
    d = implementation.description
    files = [Path(file) for file in d.plugin_files]
    described: dict[str, Any] = {
        "kind": d.kind,
        "version": d.version,
        "build": d.build,
        "kernel": d.kernel,
        "flags": sorted(d.flags),
        "origin": os.pathsep.join(file.name for file in files) or d.origin,
    }
    if files:
        described["sha256"] = " ".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return described


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


WRITTEN: Final = ("data/records", "figures", "docs/FINDINGS.md")
"""Files of the checkout that the lab itself writes after a measurement."""


def commit() -> dict[str, Any] | None:
    """Return the ``id`` of the checkout's commit, and whether the tree is ``dirty`` with its changed ``files``.

    What the lab itself writes (`WRITTEN`) is no change. The result is None if git reports no commit.
    """
    checkout = paths.checkout()
    if checkout is None:
        return None
    try:
        head = _git(checkout, "rev-parse", "HEAD")
        files = changed_files(checkout)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"id": head, "dirty": bool(files), **({"files": files} if files else {})}


def changed_files(checkout: Path, since: str = "HEAD", places: Sequence[str] = (".",)) -> list[str]:
    """Return the files in places of a checkout that differ from a commit or are new, without those that the lab writes.

    Raises
    ------
    OSError, subprocess.CalledProcessError
        If git cannot be run, or reports an error.
    """
    selection = [*places, *(f":(exclude){place}" for place in WRITTEN)]
    changed = _git(checkout, "diff", "--name-only", since, "--", *selection)
    new = _git(checkout, "ls-files", "--others", "--exclude-standard", "--", *selection)
    return sorted({*changed.splitlines(), *new.splitlines()})


def _git(folder: Path, *arguments: str) -> str:
    completed = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return completed.stdout.strip()
