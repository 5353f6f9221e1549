"""What runs on a host: its own measurement of the whole study, and what becomes of the record."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any
from uuid import uuid4

from aeadlab import paths, provenance
from aeadlab.bench import lock
from aeadlab.errors import BuildError, Error
from aeadlab.measurement import measure
from aeadlab.records import records_of

PROCESS = uuid4().hex
"""This process, and not the one that is started in its place when it dies."""

FOLDER = "cluster-host"
"""In the results folder of a host: its journals and records, one folder for each order."""

REPORT_SECONDS = 2.0
"""Between two reports of progress: each is a message, sent while the host measures."""

_stopped: set[str] = set()


@dataclass(frozen=True)
class Order:
    """A study to measure, as `aeadlab.measure` takes it.

    Attributes
    ----------
    id
        Of this call of the caller; not part of what is measured.
    plugins
        Absolute paths.
    options
        Further keywords of `aeadlab.measure`, as JSON has them.
    """

    id: str
    study: str
    profile: str
    plugins: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What came of an order on a host.

    Attributes
    ----------
    name
        Of the record there, without suffix; ``""`` where there is none.
    parquet, provenance
        The bytes of its two files.
    sha256
        Of the two, in this order.
    failure
        Why there is no record; ``""`` where there is one.
    """

    name: str = ""
    parquet: bytes = b""
    provenance: bytes = b""
    sha256: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Installation:
    """The aeadlab of a process.

    Attributes
    ----------
    code
        Hash of the Python sources.
    native
        Hash of the extension's sources.
    problem
        Why nothing can be measured with it; ``""`` for a good one.
    """

    version: str
    code: str
    native: str
    problem: str = ""

    def difference(self, other: Installation) -> str:
        """In what two good installations differ, in words; ``""`` where they are the same."""
        kinds = (("version", self.version, other.version), ("Python code", self.code[:8], other.code[:8]))
        native = ("extension", self.native[:8], other.native[:8])
        found = next(((what, a, b) for what, a, b in (*kinds, native) if a != b), None)
        return "" if found is None else f"{found[0]} {found[1]}, the caller's {found[2]}"


def code_hash() -> str:
    """SHA-256 over names and contents of the package's Python files, as they are now."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(package).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


_CODE = code_hash()
"""As it was when this process began: a worker lives for weeks, and what it has imported stays."""


def installation() -> Installation:
    """The aeadlab of this process."""
    try:
        version = metadata.version("aeadlab")
    except metadata.PackageNotFoundError:
        version = "not installed"
    try:
        native = provenance.check_build()["sources"]
    except BuildError as error:
        return Installation(version, _CODE, "", str(error))
    changed = code_hash() != _CODE
    return Installation(version, _CODE, native, "aeadlab was changed below its worker: start it anew" * changed)


def introduction() -> tuple[str, Installation]:
    """Which process this is, and its aeadlab."""
    return PROCESS, installation()


def folder(order: Order) -> Path:
    """Where this host keeps the journal and the records of an order; the same order finds them again."""
    # Several hosts may see one and the same results folder.
    parts = {**asdict(order), "id": platform.node(), "lock": str(lock.place())}
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
    return paths.results() / FOLDER / f"{order.study}-{key}"


def measure_here(order: Order, process: str, report: Callable[[dict[str, object]], object] | None = None) -> Answer:
    """Measure the study of an order on this host, or hand out the record of it that the caller never got.

    Parameters
    ----------
    process
        Whom the order is for. Dask starts a task again where the worker died; that is refused here, since a measurement
        is repeated by people.
    report
        Takes ``{"process": ..., "taken": ..., "planned": ...}`` now and then, in samples; None sends it through Dask,
        under the order's id as topic.
    """
    if process != PROCESS:
        return Answer(failure="the worker was started anew meanwhile: repeat the command")
    try:
        place = folder(order)
        found = _undelivered(order, place)
        if found is None:
            found = measure(
                order.study,
                order.profile,
                folder=place,
                plugins=[Path(plugin) for plugin in order.plugins],
                progress=_Reports(order.id, report or _through_dask(order.id)),
                **order.options,
            ).path
        parquet, beside = found.read_bytes(), found.with_suffix(".json").read_bytes()
    except Exception as error:
        # Whatever it is, it is this host's and must not look like a failure of the cluster.
        return Answer(failure=str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}")
    return Answer(found.stem, parquet, beside, hashlib.sha256(parquet + beside).hexdigest())


def delivered(order: Order, name: str) -> None:
    """Take note that the caller has a record: the next such order is measured anew."""
    (folder(order) / f"{name}.delivered").touch()


def stop(order_id: str) -> None:
    """End the measurement of an order at its next report; its journal stays."""
    _stopped.add(order_id)


def _undelivered(order: Order, place: Path) -> Path | None:
    """A finished record whose caller went away before it had it."""
    whole = [path for path in records_of(order.study, place) if path.with_suffix(".json").is_file()]
    return next((path for path in reversed(whole) if not path.with_suffix(".delivered").exists()), None)


class _Reports:
    """Passes progress on, seldom; ends the measurement where the caller wants it to."""

    def __init__(self, order_id: str, report: Callable[[dict[str, object]], object]) -> None:
        self._order_id = order_id
        self._report = report
        self._next = 0.0

    def __call__(self, taken: int, planned: int) -> None:
        if self._order_id in _stopped:
            raise Error("stopped by the caller; the same command carries on")
        if (now := time.monotonic()) >= self._next:
            self._next = now + REPORT_SECONDS
            self._report({"process": PROCESS, "taken": taken, "planned": planned})


def _through_dask(topic: str) -> Callable[[dict[str, object]], object]:
    from distributed import get_worker

    worker = get_worker()
    # Once at the start: that the order is being worked on, whatever time its verification takes.
    worker.log_event(topic, {"process": PROCESS, "taken": 0, "planned": 0})
    return lambda message: worker.log_event(topic, message)
