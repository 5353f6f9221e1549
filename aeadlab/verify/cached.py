"""Verification of many implementations in several processes, cached until something it depends on changes."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from aeadlab import _native, paths
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.plugins import contents
from aeadlab.host.cores import process_cores
from aeadlab.host.limits import is_limited
from aeadlab.process import UNCHANGED
from aeadlab.verify import child
from aeadlab.verify.examination import Examination
from aeadlab.verify.report import Report
from aeadlab.verify.verification import verify

_FEW = 12
"""Number of linked and Python implementations up to which starting another process takes longer than examining."""

_Stored = TypeVar("_Stored", Examination, Report)
_Task: TypeAlias = tuple[tuple[str, ...], list[Implementation]]
"""Paths of plugins, and the implementations that one process examines."""


def verified(
    implementations: Sequence[Implementation],
    catalogue: Catalogue,
    *,
    fresh: bool = False,
    resumed: Collection[str] = (),
    done: Callable[[str], object] | None = None,
    environment: Mapping[str, str] = UNCHANGED,
) -> dict[str, Report]:
    """Return a verification report for each implementation, by name.

    All run in child processes, because they may crash, and because only there guard pages surround their buffers.
    Linked and Python implementations are compared with each other, those of plugins with linked and Python ones, or
    with those of other plugins if there are none.

    Parameters
    ----------
    fresh
        Ignore cached examinations and reports of these implementations.
    resumed
        Names of implementations whose cached examinations are used also if `fresh`.
    done
        Called with the name of each implementation that has been examined.
    environment
        Variables that hide CPU features. The implementations run with these; those that they are compared with run
        without.
    """
    codes = Codes()
    peers = _peers(implementations, catalogue)
    identities = {i: codes.report(i, peers[i], environment) for i in implementations}
    reports = {} if fresh else _cached(identities, environment)
    report_done = done or (lambda _: None)
    for name in reports:
        report_done(name)
    unknown = [i for i in implementations if i.name not in reports]
    own = dict.fromkeys(i for u in unknown for i in (u, *u.parts))
    others = dict.fromkeys(peer for u in unknown for peer in peers[u])
    uncached = {i for i in implementations if i.name not in resumed} if fresh else set()
    if environment:
        examined = _examinations(own, codes, environment, uncached, unknown, report_done)
        compared = _examinations(others, codes, UNCHANGED, set(), (), report_done)
    else:
        examined = _examinations(own | others, codes, environment, uncached, unknown, report_done)
        compared = examined
    for implementation in unknown:
        own_examinations = {i: examined[i] for i in (implementation, *implementation.parts)}
        known = {**compared, **own_examinations}
        report = verify(implementation, peers[implementation], known)
        if all(known[i].lasting for i in (*own_examinations, *peers[implementation])):
            path = _cache_file("verified", implementation, environment)
            _write(path, identities[implementation], report.as_dict())
        reports[implementation.name] = report
    return {i.name: reports[i.name] for i in implementations}


def _examinations(
    implementations: Iterable[Implementation],
    codes: Codes,
    environment: Mapping[str, str],
    uncached: Collection[Implementation],
    reported: Collection[Implementation],
    report_done: Callable[[str], object],
) -> dict[Implementation, Examination]:
    """Return cached and new examinations; those of `uncached` are new, and those of `reported` call `report_done`."""
    examined = {
        i: examination
        for i in implementations
        if i not in uncached and (examination := _examination(i, codes, environment)) is not None
    }
    for i in reported:
        if i in examined:
            report_done(i.name)

    def keep(implementation: Implementation, examination: Examination) -> None:
        examination = replace(examination, lasting=_is_lasting(implementation, examination))
        examined[implementation] = examination
        if examination.lasting:
            path = _cache_file("examined", implementation, environment)
            _write(path, codes.examination(implementation, environment), examination.as_dict())
        if implementation in reported:
            report_done(implementation.name)

    _examine([i for i in implementations if i not in examined], environment, keep)
    return examined


def _is_lasting(implementation: Implementation, examination: Examination) -> bool:
    """Return whether an examination may be cached: nothing but the implementation can have caused its faults."""
    if not examination.faults:
        return True
    # A Python library imports modules and reads files when it is called, and their absence may be temporary.
    temporary = implementation.description.origin == "python" or is_limited()
    return examination.lasting and not temporary and not any("MemoryError" in fault for fault in examination.faults)


def cached_reports(implementations: Sequence[Implementation], catalogue: Catalogue) -> dict[str, Report]:
    """Return the cached reports of these implementations by name, without verifying the others."""
    codes = Codes()
    peers = _peers(implementations, catalogue)
    return _cached({i: codes.report(i, peers[i], UNCHANGED) for i in implementations}, UNCHANGED)


def _peers(
    implementations: Iterable[Implementation], catalogue: Iterable[Implementation]
) -> dict[Implementation, list[Implementation]]:
    """Return the implementations with which each implementation, or its parts, is compared."""
    same: dict[str, list[Implementation]] = defaultdict(list)
    for other in catalogue:
        same[other.description.base_algorithm].append(other)

    def of(i: Implementation) -> Iterator[Implementation]:
        others = [o for o in same[i.description.base_algorithm] if o.description.library != i.description.library]
        trusted = [o for o in others if not o.description.is_plugin]
        yield from others if i.description.is_plugin and not trusted else trusted

    return {i: [peer for made_of in (i, *i.parts) for peer in of(made_of)] for i in implementations}


def _examine(
    implementations: Sequence[Implementation],
    environment: Mapping[str, str],
    keep: Callable[[Implementation, Examination], object],
) -> None:
    """Examine implementations in child processes, which use every core."""
    lock, stop = threading.Lock(), threading.Event()

    def run(task: _Task) -> None:
        files, chosen = task
        # There are fewer examinations than implementations after a stop.
        examinations = child.examined([i.name for i in chosen], files, environment, stop)
        for implementation, examination in zip(chosen, examinations, strict=False):
            with lock:
                keep(implementation, examination)

    with ThreadPoolExecutor(process_cores()) as processes:
        futures = [processes.submit(run, task) for task in _tasks(implementations)]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            # The children do not receive an interrupt, and could run for minutes.
            stop.set()
            processes.shutdown(wait=False, cancel_futures=True)
            raise


def _tasks(implementations: Sequence[Implementation]) -> Iterator[_Task]:
    """Iterate over the tasks, the longest first; implementations of one algorithm stay together and share vectors."""
    by_files: dict[tuple[str, ...], list[Implementation]] = defaultdict(list)
    for implementation in sorted(implementations, key=lambda i: i.description.base_algorithm):
        by_files[implementation.description.plugin_files].append(implementation)
    others = by_files.pop((), [])
    tasks: list[_Task] = list(by_files.items())
    size = max(_FEW, -(-len(others) // (2 * process_cores())))
    tasks += [((), others[start : start + size]) for start in range(0, len(others), size)]
    yield from sorted(tasks, key=lambda task: -len(task[1]))


class Codes:
    """Identities of the code on which examinations and reports depend; each file is read once."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}

    def examination(self, implementation: Implementation, environment: Mapping[str, str]) -> str:
        """Return the identity of the checks and of the implementation."""
        return _digest(_checker(), implementation.name, self._code(implementation), *_variables(environment))

    def report(
        self, implementation: Implementation, peers: Iterable[Implementation], environment: Mapping[str, str]
    ) -> str:
        """Return the identity of a report: of the examination and of the code with which it is compared."""
        others = sorted(f"{i.name} {self._code(i)}" for i in {*implementation.parts, *peers})
        variables = _variables(environment)
        return _digest(_checker(), implementation.name, self._code(implementation), *others, *variables)

    def _code(self, implementation: Implementation) -> str:
        d = implementation.description
        if d.origin == "linked":
            return self._file(_native.__file__)
        if d.origin == "python":
            # The build names the OpenSSL of a Python library, whose version can change independently.
            own = f" {self._file(_native.__file__)}" if d.library == "aeadlab" else ""
            return f"{d.version} {d.build}{own}"
        # The version is included because an update of a system library does not change the plugin that calls it, and
        # the extension because it calls the plugin and guards the buffers.
        return " ".join([d.version, self._file(_native.__file__), *map(self._file, d.plugin_files)])

    def _file(self, path: str) -> str:
        if path not in self._files:
            self._files[path] = hashlib.sha256(contents(Path(path))).hexdigest()
        return self._files[path]


@cache
def _checker() -> str:
    """Return the identity of the checks, the adapters, and the packages with test vectors."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for folder in ("verify", "catalogue", "files"):
        for path in sorted((package / folder).rglob("*")):
            if path.suffix in (".py", ".csv"):
                digest.update(path.read_bytes())
    packages = ("cryptography-vectors", "pycryptodome-test-vectors", "cryptography", "pycryptodome", "blake3", "pynacl")
    for name in packages:
        digest.update(f"{name} {metadata.version(name)}".encode())
    return digest.hexdigest()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _variables(environment: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in sorted(environment.items())]


def _cache_file(kind: str, implementation: Implementation, environment: Mapping[str, str]) -> Path:
    # With a file for each, several processes can verify at the same time.
    suffix = f" {_digest(*_variables(environment))[:8]}" if environment else ""
    return paths.cache() / kind / f"{implementation.name.replace('/', ' ')}{suffix}.json"


def _write(path: Path, identity: str, content: Mapping[str, object]) -> None:
    paths.write_cache(path, json.dumps({"identity": identity, "content": content}))


def _read(path: Path, identity: str, parse: Callable[[Mapping[str, Any]], _Stored]) -> _Stored | None:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return parse(stored["content"]) if stored["identity"] == identity else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _examination(implementation: Implementation, codes: Codes, environment: Mapping[str, str]) -> Examination | None:
    path = _cache_file("examined", implementation, environment)
    return _read(path, codes.examination(implementation, environment), Examination.from_dict)


def _cached(identities: Mapping[Implementation, str], environment: Mapping[str, str]) -> dict[str, Report]:
    reports = {
        i.name: _read(_cache_file("verified", i, environment), identity, Report.from_dict)
        for i, identity in identities.items()
    }
    return {name: report for name, report in reports.items() if report is not None}
