"""The effect of a mask on an implementation: another kernel, or another speed than in an unmasked process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, Literal

from aeadlab.bench.case import Case, Engine
from aeadlab.bench.drivers import share_arena
from aeadlab.bench.isolated import IsolatedDriver, close_all
from aeadlab.bench.masks.masks import CONTROL, Mask, find_mask, lacking
from aeadlab.bench.masks.switches import switches
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import OPS
from aeadlab.errors import MeasurementError

PAIRS = 3
"""Number of pairs of processes. The addresses of stack and heap change the speed of the same code by some percent, so a
single pair could show a difference without an effect."""

MIN_DIFFERENCE = 0.05
"""Smallest relative difference of the times that is an effect, if each pair has it in the same direction."""

_BYTES = 65536
_SAMPLE_NS = 500_000
_SAMPLES = 11

Outcome = Literal["effect", "no effect", "no switch", "failed"]


@dataclass(frozen=True)
class Effect:
    """The effect of a mask on an implementation.

    Attributes
    ----------
    kernel, masked_kernel
        The code path that the library reports without and with the mask.
    ratios
        Time with the mask over time without, one median for each pair of processes; empty if it was not measured.
    why_none
        The reason for any other outcome than ``effect``.
    """

    implementation: str
    mask: str
    kernel: str = ""
    masked_kernel: str = ""
    ratios: tuple[float, ...] = ()
    why_none: str = ""
    outcome: Outcome = "effect"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that records keep; these do not include the outcome."""
        return {name: value for name, value in asdict(self).items() if name != "outcome"}

    @property
    def summary(self) -> str:
        """The kernels, the time ratio, or the reason why there is no effect."""
        if self.why_none:
            return self.why_none
        ratio = [f"time ratio {median(self.ratios):.2f}"] if self.ratios else []
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
    """Return the effect of a mask on each implementation, by name; the outcome of the control is always ``effect``.

    Requires the machine lock.

    Parameters
    ----------
    implementations
        Those for which `aeadlab.bench.masks.switches.reason_without_mask` returns ``""``.
    done
        Called with the name of each implementation.
    timed
        Whether implementations whose kernel changes are timed as well.
    """
    cases = {i.name: replace(_case(i), mask=mask.name) for i in implementations}
    by_name = {i.name: i for i in implementations}
    if mask.name == CONTROL:
        results = {name: Effect(name, mask.name) for name in cases}
    elif reason := lacking(mask):
        results = {name: _no_effect(name, mask, reason) for name in cases}
    else:
        by_kernel = {effect.implementation: effect for effect in _compare_kernels(cases, by_name, catalogue)}
        remaining = {name: case for name, case in cases.items() if timed or name not in by_kernel}
        results = {effect.implementation: effect for effect in _compare_times(remaining, by_name, mask, catalogue)}
        # A change of the kernel is an effect whatever the times are.
        for name, effect in by_kernel.items():
            results[name] = replace(effect, ratios=results[name].ratios if name in results else ())
    if done is not None:
        for name in results:
            done(name)
    return {name: results[name] for name in cases}


def _case(implementation: Implementation) -> Case:
    d = implementation.description
    engine: Engine = "python" if d.origin == "python" else "whole"
    keyed = "keyed" in implementation.models
    return Case(implementation.name, OPS[d.kind][0], _BYTES, engine, "keyed" if keyed else "oneshot")


def _no_effect(name: str, mask: Mask, reason: str) -> Effect:
    return Effect(name, mask.name, why_none=f"{mask.name} has no effect here: {reason}", outcome="no effect")


def _compare_kernels(
    cases: Mapping[str, Case], implementations: Mapping[str, Implementation], catalogue: Catalogue
) -> Iterator[Effect]:
    """Iterate over the effects on implementations whose kernel changes or whose process fails."""
    drivers = _start(cases.values(), catalogue)
    try:
        for name, driver in zip(cases, drivers, strict=True):
            kernel = implementations[name].description.kernel
            try:
                masked = driver.kernel
            except MeasurementError as error:
                yield Effect(name, driver.case.mask, kernel, why_none=str(error), outcome="failed")
                continue
            lists_features = any(switch.lists_features for switch in switches(implementations[name]))
            if masked != kernel and not lists_features:
                yield Effect(name, driver.case.mask, kernel, masked)
    finally:
        close_all()


def _compare_times(
    cases: Mapping[str, Case], implementations: Mapping[str, Implementation], mask: Mask, catalogue: Catalogue
) -> Iterator[Effect]:
    """Iterate over the effects by the ratio of times in masked and unmasked processes."""
    ratios: dict[str, list[float]] = {name: [] for name in cases}
    failed: dict[str, str] = {}
    kernels: dict[str, str] = {}
    for _ in range(PAIRS if cases else 0):
        plain = _start((replace(case, mask=CONTROL) for case in cases.values()), catalogue)
        masked = _start(cases.values(), catalogue)
        try:
            for name, one, other in zip(cases, plain, masked, strict=True):
                try:
                    kernels[name] = other.kernel
                    ratios[name].append(_ratio(one, other))
                except MeasurementError as error:
                    failed[name] = str(error)
        finally:
            close_all()
    for name, values in ratios.items():
        before, after = implementations[name].description.kernel, kernels.get(name, "")
        effect = Effect(name, mask.name)
        if name in failed:
            effect = Effect(name, mask.name, why_none=failed[name], outcome="failed")
        elif not (min(values) >= 1 + MIN_DIFFERENCE or max(values) <= 1 / (1 + MIN_DIFFERENCE)):
            kernel = f"the kernel remains {before}, " if before == after and before else ""
            listed = " ".join(f"{ratio:.2f}" for ratio in values)
            effect = _no_effect(name, mask, f"{kernel}time ratios {listed} in {PAIRS} pairs of processes")
        yield replace(effect, kernel=before, masked_kernel=after, ratios=tuple(values))


def _start(cases: Iterable[Case], catalogue: Catalogue) -> list[IsolatedDriver]:
    drivers = [IsolatedDriver(case, catalogue) for case in cases]
    share_arena([*drivers], [driver.case for driver in drivers], 1)
    return drivers


def _ratio(plain: IsolatedDriver, masked: IsolatedDriver) -> float:
    """Return the median over pairs of samples of the time with the mask over that without."""
    arms = [(driver, driver.calibrate(_SAMPLE_NS)) for driver in (plain, masked)]
    ratios = []
    for _ in range(_SAMPLES):
        one, other = (driver.sample(batch)[0] / batch for driver, batch in arms)
        ratios.append(other / one)
    return median(ratios)


def find_effects(
    cases: Iterable[Case], catalogue: Catalogue, done: Callable[[str], object] | None = None
) -> dict[tuple[str, str], Effect]:
    """Return the effects on the implementations of masked cases, by names of implementation and mask."""
    chosen: dict[str, dict[str, None]] = {}
    for case in cases:
        chosen.setdefault(case.mask, {})[case.implementation] = None
    return {
        (name, mask): effect
        for mask, names in chosen.items()
        for name, effect in effects([catalogue.find(n) for n in names], find_mask(mask), catalogue, done).items()
    }
