"""Measurement along any dimensions of a case, without a study."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any, get_args

from aeadlab.bench.case import Cache, Case, Engine, Model, Op, Placement
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.bench.runner import Progress
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import OPS
from aeadlab.display.nearest import hint
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab.measurement import measure
from aeadlab.records.record import Record
from aeadlab.studies import Selection, Study, all_studies

BASELINES = ("baseline/memcpy",)
"""Measured in the same rounds as everything else, as the memory limit."""


def sweep(
    implementations: str | Sequence[str],
    *,
    bytes: int | str | Sequence[int | str] | None = None,
    op: Op | Sequence[Op] | None = None,
    engine: Engine | Sequence[Engine] | None = None,
    model: Model | Sequence[Model] = "keyed",
    block_size: int | str | Sequence[int | str] = 64 << 10,
    threads: int | Sequence[int] = 1,
    schedule: str | Sequence[str] = "dynamic",
    placement: Placement | Sequence[Placement] = "separate",
    cache: Cache | Sequence[Cache] = "warm",
    aad_bytes: int | str | Sequence[int | str] = 0,
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
    """Verify and time implementations along dimensions of one or several values; every combination is a case.

    Dimensions that an engine does not have are ignored for it: threads and schedules belong to ParSplit, block sizes to
    ParSplit and ``cells`` (threads and block sizes also to implementations that are parallel themselves). A block size
    larger than the message means one block.

    Parameters
    ----------
    implementations
        Names in the catalogue, ``library/algorithm``.
    bytes
        Lengths of the message in bytes, or as text such as ``"16K"``, 0 to 4 GiB; None means the profile's.
    op
        None means seal, encrypt, digest or generate, depending on the implementation. Of several operations, each
        implementation is measured with those that it has.
    engine
        None means ``whole``, which also replaces ``parsplit`` for implementations that cannot be split, and ``cells``
        for generators; implementations of Python libraries always use ``python``.
    block_size, threads
        Bytes of a block, also as text, and 1 to 256 threads.
    aad_bytes
        Lengths of the associated data of AEADs in bytes, also as text, 0 to 64 MiB; others have none.
    name
        Name of the record, in place of a study's.
    baselines
        Measured with the same lengths, threads, blocks, placements and caches, for shares of the memory limit.
    samples, budget, folder, plugins, seed, masks, progress, stop
        As in `aeadlab.measure`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such engine.
    aeadlab.errors.ArgumentError
        If there is no case, a value is out of range, an implementation has none of several operations, or the name is
        a study's.
    aeadlab.errors.Error
        Otherwise as `aeadlab.measure`.
    """
    if not name.isidentifier() or name in all_studies():
        raise ArgumentError(f"sweep name {name!r} given: letters, digits and _ expected, and not a study's name")
    names = _values(implementations)
    for one in _values(engine or ()):
        if one not in (known := get_args(Engine)):
            raise UnknownNameError(f"no engine is called {one!r}; {hint(one, known)}")
    profile = find_profile(profile) if isinstance(profile, str) else profile
    lengths = [in_bytes(length) for length in _values(profile.bytes if bytes is None else bytes)]
    largest = max(lengths, default=0)

    blocks = [in_bytes(size) for size in _values(block_size)]
    common = {"model": model, "block_size": blocks, "threads": threads, "schedule": schedule}
    common |= {"placement": placement, "cache": cache}
    associated = [in_bytes(length) for length in _values(aad_bytes)]

    def cases(catalogue: Catalogue, _: Profile, __: Selection) -> list[Case]:
        combinations: dict[Case, None] = {}
        for name in dict.fromkeys((*names, *baselines)):
            implementation = catalogue.find(name)
            own: dict[str, Any] = {"op": _ops(implementation, op, required=name in names), "bytes": lengths}
            own["engine"] = _engines(implementation, engine)
            own["aad_bytes"] = associated if implementation.description.kind == "aead" else (0,)
            dimensions = own | {dimension: _values(given) for dimension, given in common.items()}
            for values in itertools.product(*dimensions.values()):
                combinations[_case(implementation, dict(zip(dimensions, values, strict=True)))] = None
        return list(combinations)

    return measure(
        Study(name, "", cases),
        profile,
        size=largest if largest != profile.bytes else None,
        samples=samples,
        budget=budget,
        folder=folder,
        plugins=plugins,
        seed=seed,
        masks=masks,
        progress=progress,
        stop=stop,
    )


def _values(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)


def _ops(implementation: Implementation, op: Op | Sequence[Op] | None, *, required: bool) -> tuple[Op, ...]:
    supported = OPS[implementation.description.kind]
    if op is None:
        return supported[:1]
    selected = tuple(o for o in _values(op) if o in supported)
    if not selected and required:
        raise ArgumentError(
            f"{implementation.name} supports {' and '.join(supported)}, but not {', '.join(_values(op))}"
        )
    # A baseline copies memory in the same way whatever the other implementations do.
    return selected or supported[:1]


def _engines(implementation: Implementation, engine: Engine | Sequence[Engine] | None) -> tuple[Engine, ...]:
    description = implementation.description
    if description.origin == "python":
        return ("python",)
    # Of the ciphers, which have no tags, ParSplit accepts only the baselines.
    splits = description.kind == "aead" or (description.kind == "cipher" and "baseline" in description.flags)
    supported = ["whole", *["parsplit"] * splits, *["cells"] * (description.kind != "generator")]
    return tuple(e for e in _values(engine or "whole") if e in supported) or ("whole",)


def _case(implementation: Implementation, dimensions: dict[str, Any]) -> Case:
    """Return a case without the dimensions that its engine or its operation does not have."""
    if dimensions["engine"] == "parsplit":
        # Blocks longer than the message are one block, as an empty message is.
        dimensions["block_size"] = min(dimensions["block_size"], max(dimensions["bytes"], 1))
    elif dimensions["engine"] == "cells":
        dimensions["block_size"] = min(dimensions["block_size"], max(dimensions["bytes"], 1))
        dimensions["aad_bytes"] = 0
        del dimensions["schedule"], dimensions["threads"]
    else:
        parallel = "parallel" in implementation.description.flags
        for name in ("block_size", "schedule") if parallel else ("block_size", "schedule", "threads"):
            del dimensions[name]
    if dimensions["engine"] == "python":
        # Python libraries allocate their output, and Python's own objects cannot be flushed from the caches.
        dimensions |= {"placement": "separate", "cache": "warm"}
        if dimensions["model"] not in implementation.models:
            dimensions["model"] = implementation.models[0]
    if dimensions["op"] == "digest":
        dimensions["placement"] = "separate"
    return Case(implementation.name, **dimensions)
