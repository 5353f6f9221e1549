"""Measuring along any dimensions that a notebook cell asks for, without a study of their own."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

from aeadlab.bench.case import Cache, Case, Engine, Model, Op, Placement
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.bench.runner import Progress
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import ArgumentError
from aeadlab.kinds import OPS
from aeadlab.measurement import measure
from aeadlab.records import Record
from aeadlab.studies import Selection, Study, all_studies

BASELINES = ("baseline/memcpy",)
"""Measured beside everything else: what memory allows in the same rounds."""


def sweep(
    implementations: str | Sequence[str],
    *,
    bytes: int | Sequence[int] | None = None,
    op: Op | Sequence[Op] | None = None,
    engine: Engine | Sequence[Engine] | None = None,
    model: Model | Sequence[Model] = "keyed",
    block_size: int | Sequence[int] = 64 << 10,
    threads: int | Sequence[int] = 1,
    schedule: str | Sequence[str] = "dynamic",
    placement: Placement | Sequence[Placement] = "separate",
    cache: Cache | Sequence[Cache] = "warm",
    name: str = "sweep",
    profile: str | Profile = "quick",
    samples: int | None = None,
    budget: float | None = None,
    baselines: Sequence[str] = BASELINES,
    folder: Path | None = None,
    plugins: Sequence[Path] = (),
    seed: int = 1,
    masks: Sequence[str] = (),
    progress: Progress | None = None,
    stop: Event | None = None,
) -> Record:
    """Verify and time implementations along the dimensions given, each a value or several; every combination is a case.

    A dimension that an engine does not have is left out for it: blocks, threads and schedules are ParSplit's (and, but
    for schedules, those of an implementation that is parallel itself). A block size beyond the message is the message.

    Parameters
    ----------
    implementations
        Names in the catalogue, ``library/algorithm``.
    bytes
        Lengths of the message, 0 to 4 GiB; None is the profile's.
    op
        None is sealing, encrypting or hashing, as the implementation can. Of several each takes what it can.
    engine
        None is ``whole``, and ``python`` for implementations of Python libraries.
    block_size, threads
        Bytes, and 1 to 256.
    name
        Of the record, in place of a study's.
    baselines
        Measured as well, with the same lengths, threads, blocks, placements and caches; for shares of the memory limit.
    masks
        CPU features to hide from the libraries that can be told, see `aeadlab.measure`.
    stop
        Set by another thread, it ends the run; what was sampled until then is stored.

    Returns
    -------
    Record
        As `aeadlab.measure` gives for a study: ``.samples`` is the same tidy frame, and it is stored.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no case is left, a value is out of range, or the name is a study's.
    aeadlab.errors.Error
        Otherwise as `aeadlab.measure`.
    """
    if not name.isidentifier() or name in all_studies():
        raise ArgumentError(f"name {name!r} given for a sweep: letters, digits and _ wanted, and no study's name")
    names = _several(implementations)
    effort = find_profile(profile) if isinstance(profile, str) else profile
    lengths = _several(effort.bytes if bytes is None else bytes)
    largest = max(lengths, default=0)

    def cases(catalogue: Catalogue, _: Profile, __: Selection) -> list[Case]:
        found: dict[Case, None] = {}
        for each in dict.fromkeys((*names, *baselines)):
            implementation = catalogue.find(each)
            for values in itertools.product(
                _ops(implementation, op, strict=each in names),
                lengths,
                _engines(implementation, engine),
                _several(model),
                _several(block_size),
                _several(threads),
                _several(schedule),
                _several(placement),
                _several(cache),
            ):
                found[_case(implementation, *values)] = None
        return list(found)

    study = Study(name, "", cases, figures={}, notebook="")
    return measure(
        study,
        effort,
        size=largest if largest != effort.bytes else None,
        samples=samples,
        budget=budget,
        folder=folder,
        plugins=plugins,
        seed=seed,
        masks=masks,
        progress=progress,
        stop=stop,
    )


def _several(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, Sequence) and not isinstance(values, str) else (values,)


def _ops(implementation: Implementation, op: Op | Sequence[Op] | None, *, strict: bool) -> tuple[Op, ...]:
    can = OPS[implementation.description.kind]
    if op is None:
        return can[:1]
    asked = tuple(o for o in _several(op) if o in can)
    if not asked and strict:
        raise ArgumentError(f"{implementation.name} can {' and '.join(can)}: none of {', '.join(_several(op))}")
    # A baseline moves memory the same way whatever the others do with it.
    return asked or can[:1]


def _engines(implementation: Implementation, engine: Engine | Sequence[Engine] | None) -> tuple[Engine, ...]:
    description = implementation.description
    if description.origin == "python":
        return ("python",)
    # Without tags ParSplit takes the reference lines alone.
    splits = description.kind == "aead" or (description.kind == "cipher" and "baseline" in description.flags)
    can = ("whole", "parsplit") if splits else ("whole",)
    return tuple(e for e in _several(engine or "whole") if e in can) or ("whole",)


def _case(
    implementation: Implementation,
    op: Op,
    bytes: int,
    engine: Engine,
    model: Model,
    block_size: int,
    threads: int,
    schedule: str,
    placement: Placement,
    cache: Cache,
) -> Case:
    told: dict[str, Any] = {}
    if engine == "parsplit":
        # Blocks longer than the message are one block; an empty message has one too.
        told = {"block_size": min(block_size, max(bytes, 1)), "threads": threads, "schedule": schedule}
    elif "parallel" in implementation.description.flags:
        told = {"threads": threads}
    if engine == "python":
        # A user of Python gets fresh output, and its own objects cannot be put out of the caches.
        placement, cache = "separate", "warm"
        model = model if model in implementation.models else implementation.models[0]
    if op == "digest":
        placement = "separate"
    return Case(implementation.name, op, bytes, engine=engine, model=model, placement=placement, cache=cache, **told)
