"""Does a mask change anything: what the library says in a masked process and in an unmasked one, else its speed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from aeadlab.bench.case import Case, Engine
from aeadlab.bench.children import ChildDriver, close_all
from aeadlab.bench.drivers import share_arena
from aeadlab.bench.masks import CONTROL, Mask, find_mask, lacking, switches
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import MeasurementError
from aeadlab.kinds import OPS

PAIRS = 3
"""Pairs of processes. Where stack and heap of a process lie moves the same code by some percent: one pair would show
that as well."""

LEAST = 0.05
"""A mask changes the speed if every pair differs by this share, and all in the same direction."""

_BYTES = 65536
_SAMPLE_NS = 500_000
_SAMPLES = 11


@dataclass(frozen=True)
class Effect:
    """What a mask does to an implementation.

    Attributes
    ----------
    kernel, masked_kernel
        What the library says of the code that it chose, without and with the mask.
    ratios
        Time under the mask over time without, a median for each pair of processes; empty where the kernels tell.
    why_none
        ``""`` if the mask has an effect.
    """

    implementation: str
    mask: str
    kernel: str = ""
    masked_kernel: str = ""
    ratios: tuple[float, ...] = ()
    why_none: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The effect as JSON can hold it."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The effect in a few words."""
        if self.why_none:
            return self.why_none
        ratio = [f"time x {median(self.ratios):.2f}"] if self.ratios else []
        kernels = [f"{self.kernel or 'unnamed'} -> {self.masked_kernel or 'unnamed'}"]
        return ", ".join([*(kernels if self.kernel != self.masked_kernel else []), *ratio])


def effects(
    implementations: Sequence[Implementation],
    mask: Mask,
    catalogue: Catalogue,
    done: Callable[[str], object] | None = None,
    *,
    timed: bool = False,
) -> dict[str, Effect]:
    """What `mask` does to each implementation, by name. The control has an effect by definition.

    Nothing else may be measured meanwhile.

    Parameters
    ----------
    implementations
        Of libraries that can be told; see `aeadlab.bench.masks.why_not`.
    done
        Called with the name of each when it is known.
    timed
        Whether those are timed as well whose kernel tells.
    """
    found: dict[str, Effect] = {}
    cases = {i.name: replace(_case(i), mask=mask.name) for i in implementations}
    by_name = {i.name: i for i in implementations}
    if (why := lacking(mask)) or mask.name == CONTROL:
        found = {name: Effect(name, mask.name, why_none=_nothing(mask, why) if why else "") for name in cases}
    tacit = {name: case for name, case in cases.items() if name not in found}
    told = {e.implementation: e for e in _told(tacit, by_name, catalogue)}
    tacit = {name: case for name, case in tacit.items() if timed or name not in told}
    measured = {e.implementation: e for e in _timed(tacit, by_name, mask, catalogue)} if tacit else {}
    # What the kernel tells stands, however fast the other one is.
    found |= measured | {n: replace(e, ratios=measured[n].ratios if n in measured else ()) for n, e in told.items()}
    for name in found:
        if done is not None:
            done(name)
    return {name: found[name] for name in cases}


def _case(implementation: Implementation) -> Case:
    d = implementation.description
    engine: Engine = "python" if d.origin == "python" else "whole"
    keyed = "keyed" in implementation.models
    return Case(implementation.name, OPS[d.kind][0], _BYTES, engine, "keyed" if keyed else "oneshot")


def _nothing(mask: Mask, why: str) -> str:
    return f"{mask.name} changes nothing here: {why}"


def _told(
    cases: Mapping[str, Case], implementations: Mapping[str, Implementation], catalogue: Catalogue
) -> Iterator[Effect]:
    """Those whose library says that it takes another kernel, or fails to come up."""
    drivers = _ready(cases.values(), catalogue)
    try:
        for name, driver in zip(cases, drivers, strict=True):
            kernel = implementations[name].description.kernel
            try:
                masked = driver.kernel
            except MeasurementError as error:
                yield Effect(name, driver.case.mask, kernel, why_none=str(error))
                continue
            lists = any(switch.lists_features for switch in switches(name))
            if masked != kernel and not lists:
                yield Effect(name, driver.case.mask, kernel, masked)
    finally:
        close_all()


def _timed(
    cases: Mapping[str, Case], implementations: Mapping[str, Implementation], mask: Mask, catalogue: Catalogue
) -> Iterator[Effect]:
    """The others, by their speed beside that in a process without a mask."""
    ratios: dict[str, list[float]] = {name: [] for name in cases}
    failed: dict[str, str] = {}
    kernels: dict[str, str] = {}
    for _ in range(PAIRS):
        plain = _ready((replace(case, mask=CONTROL) for case in cases.values()), catalogue)
        masked = _ready(cases.values(), catalogue)
        try:
            for name, one, other in zip(cases, plain, masked, strict=True):
                try:
                    kernels[name] = other.kernel
                    ratios[name].append(_ratio(one, other))
                except MeasurementError as error:
                    failed[name] = str(error)
        finally:
            close_all()
    for name, found in ratios.items():
        before, after = implementations[name].description.kernel, kernels.get(name, "")
        why = failed.get(name, "")
        if not why and not (min(found) >= 1 + LEAST or max(found) <= 1 / (1 + LEAST)):
            said = f"the kernel is {before} with it too, " if before == after and before else ""
            spread = " ".join(f"{ratio:.2f}" for ratio in found)
            why = _nothing(mask, f"{said}and time is x {spread} in {PAIRS} pairs of processes".removeprefix("and "))
        yield Effect(name, mask.name, before, after, tuple(found), why)


def _ready(cases: Iterable[Case], catalogue: Catalogue) -> list[ChildDriver]:
    drivers = [ChildDriver(case, catalogue.plugins) for case in cases]
    share_arena([*drivers], [driver.case for driver in drivers], 1)
    return drivers


def _ratio(plain: ChildDriver, masked: ChildDriver) -> float:
    """Median over pairs of samples of the time under the mask over that without."""
    arms = [(driver, driver.calibrate(_SAMPLE_NS)) for driver in (plain, masked)]
    found = []
    for _ in range(_SAMPLES):
        one, other = (driver.sample(batch)[0] / batch for driver, batch in arms)
        found.append(other / one)
    return median(found)


def find_effects(
    cases: Iterable[Case], catalogue: Catalogue, done: Callable[[str], object] | None = None
) -> dict[tuple[str, str], Effect]:
    """The effect on every implementation of masked cases, by its name and the mask's."""
    chosen: dict[str, dict[str, None]] = {}
    for case in cases:
        chosen.setdefault(case.mask, {})[case.implementation] = None
    return {
        (name, mask): effect
        for mask, names in chosen.items()
        for name, effect in effects([catalogue.find(n) for n in names], find_mask(mask), catalogue, done).items()
    }
