"""May a masked case be timed: does the library compute the same under its mask, and does the mask change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.effect import Effect, effects, find_effects
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.masks import (
    CONTROL,
    MASKS,
    check_environment,
    environment,
    find_mask,
    process_of,
    switches,
    why_not,
)
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import ArgumentError
from aeadlab.progress import bar
from aeadlab.verify.cached import verified
from aeadlab.verify.report import Report


def examine_masked(cases: Iterable[Case], catalogue: Catalogue) -> tuple[dict[Case, str], dict[str, Any]]:
    """Verify every implementation under each mask of its cases, then see what the mask does to it.

    Nothing else may be measured meanwhile; cases without a mask are passed over.

    Returns
    -------
    dict
        Cases that must not be timed, and why.
    dict
        For the provenance: of each mask what it hides, and of each implementation under it the environment, what
        changed, and the report of its verification.
    """
    masked = [case for case in cases if case.mask]
    pairs = dict.fromkeys((case.implementation, case.mask) for case in masked)
    if not pairs:
        return {}, {}
    with bar(2 * len(pairs), "masks", "implementation") as shown:
        reports = _verified(masked, catalogue, lambda _: shown.update())
        right = [case for case in masked if reports[case.implementation, case.mask].ok]
        found = find_effects(right, catalogue, lambda _: shown.update())
    why = {pair: _why(pair[1], reports[pair], found.get(pair)) for pair in pairs}
    failed = {case: reason for case in masked if (reason := why[case.implementation, case.mask])}
    told: dict[str, Any] = {}
    for name, mask in pairs:
        entry = told.setdefault(mask, {"hides": list(MASKS[mask].hides), "implementations": {}})
        effect = found.get((name, mask))
        entry["implementations"][name] = {
            "environment": _environment(name, mask),
            "effect": effect.as_dict() if effect else None,
            "verified": reports[name, mask].as_dict(),
        }
    return failed, told


def check_memory(cases: Iterable[Case], facts: Mapping[str, Any]) -> None:
    """See that the buffers of all processes fit: without that the kernel would end one of them, in the middle.

    Parameters
    ----------
    facts
        Of `aeadlab.machine.facts`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is less memory than they take.
    """
    native = [case for case in cases if case.engine != "python"]
    processes = {process_of(case) for case in native}
    rooms = [facts.get(key) for key in ("mem_available", "cgroup_memory_available")]
    available = min((room for room in rooms if isinstance(room, int)), default=None)
    wanted = 2 * len(processes) * max((case.message_bytes for case in native), default=0)
    if len(processes) > 1 and available is not None and wanted > available:
        raise ArgumentError(
            f"the buffers of {len(processes)} processes, one for each mask and layer of Numba, take "
            f"{wanted / 2**30:.1f} GiB, {available / 2**30:.1f} GiB are available: choose a smaller message or fewer "
            "of them"
        )


def survey(
    implementations: Sequence[Implementation], catalogue: Catalogue, names: Sequence[str] | None = None
) -> tuple[dict[str, list[Effect]], dict[str, str]]:
    """What masks change here: every mask on every implementation that can be told.

    Parameters
    ----------
    names
        Masks; None means all but the control.

    Returns
    -------
    dict
        Effects of each implementation, by its name.
    dict
        Libraries that cannot be told, and why.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such mask.
    aeadlab.errors.ArgumentError
        If the environment of this process hides features already.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    """
    masks = [find_mask(name) for name in names or [name for name in MASKS if name != CONTROL]]
    check_environment(masks)
    found: dict[str, list[Effect]] = {}
    untold: dict[str, str] = {}
    with machine_lock(), bar(len(masks), "masks", "mask") as shown:
        for mask in masks:
            told = []
            for implementation in implementations:
                name = implementation.name
                if not switches(name):
                    untold[implementation.description.library] = why_not(name, mask)
                elif why := why_not(name, mask):
                    found.setdefault(name, []).append(Effect(name, mask.name, why_none=why))
                else:
                    told.append(implementation)
            for name, effect in effects(told, mask, catalogue, timed=True).items():
                found.setdefault(name, []).append(effect)
            shown.update()
    return found, untold


def _verified(
    cases: Iterable[Case], catalogue: Catalogue, done: Callable[[str], object]
) -> dict[tuple[str, str], Report]:
    """Reports by implementation and mask; those that share a process are verified together."""
    groups: dict[tuple[str, ...], dict[str, Case]] = {}
    for case in cases:
        groups.setdefault(process_of(case), {})[case.implementation] = case
    reports: dict[tuple[str, str], Report] = {}
    for group in groups.values():
        case = next(iter(group.values()))
        implementations = [catalogue.find(name) for name in group]
        found = verified(
            implementations, catalogue, done=done, environment=_environment(case.implementation, case.mask)
        )
        reports |= {(name, case.mask): report for name, report in found.items()}
    return reports


def _environment(name: str, mask: str) -> Mapping[str, str]:
    return environment(name, find_mask(mask))


def _why(mask: str, report: Report, effect: Effect | None) -> str:
    """Why an implementation must not be timed under a mask, or ``""``."""
    if not report.ok:
        return f"under mask {mask}: {report.reason}"
    return effect.why_none if effect else ""
