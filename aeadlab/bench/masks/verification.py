"""Checks before masked cases are timed: the results are right under the mask, and the mask has an effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.isolated import process_key
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.masks.effect import Effect, effects, find_effects
from aeadlab.bench.masks.masks import CONTROL, MASKS, find_mask
from aeadlab.bench.masks.switches import check_environment, environment, reason_without_mask, switches
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display.progress import bar
from aeadlab.errors import ArgumentError
from aeadlab.verify.cached import verified
from aeadlab.verify.report import Report


def examine_masked(cases: Iterable[Case], catalogue: Catalogue) -> tuple[dict[Case, str], dict[str, Any]]:
    """Verify each implementation under each mask of its cases, and find the mask's effect; skip unmasked cases.

    Requires the machine lock.

    Returns
    -------
    dict
        Cases that must not be timed, with the reasons.
    dict
        For the provenance: of each mask the hidden features, and of each implementation under it the environment, the
        effect, and the verification report.
    """
    masked = [case for case in cases if case.mask]
    pairs = dict.fromkeys((case.implementation, case.mask) for case in masked)
    if not pairs:
        return {}, {}
    with bar(2 * len(pairs), "verifying", "masked implementation", resumes=True) as shown:
        reports = _verify(masked, catalogue, lambda _: shown.update())
        passed = [case for case in masked if reports[case.implementation, case.mask].ok]
        found = find_effects(passed, catalogue, lambda _: shown.update())
    reasons = {pair: _reason_against(pair[1], reports[pair], found.get(pair)) for pair in pairs}
    failed = {case: reason for case in masked if (reason := reasons[case.implementation, case.mask])}
    facts: dict[str, Any] = {}
    for name, mask in pairs:
        entry = facts.setdefault(mask, {"hides": list(MASKS[mask].hides), "implementations": {}})
        effect = found.get((name, mask))
        entry["implementations"][name] = {
            "environment": environment(catalogue.find(name), find_mask(mask)),
            "effect": effect.as_dict() if effect else None,
            "verified": reports[name, mask].as_dict(),
        }
    return failed, facts


def check_memory(cases: Iterable[Case], facts: Mapping[str, Any], catalogue: Catalogue) -> None:
    """Check that the buffers of several processes fit into memory, because the kernel would end one of them otherwise.

    Parameters
    ----------
    facts
        As returned by `aeadlab.host.machine.facts`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are several processes, and their buffers take more than the available memory.
    """
    native = [case for case in cases if case.engine != "python"]
    processes = {process_key(case, catalogue) for case in native}
    amounts = [facts.get(key) for key in ("mem_available", "cgroup_memory_available")]
    available = min((amount for amount in amounts if isinstance(amount, int)), default=None)
    needed = 2 * len(processes) * max((case.message_bytes for case in native), default=0)
    if len(processes) > 1 and available is not None and needed > available:
        raise ArgumentError(
            f"the buffers of {len(processes)} processes, one for each mask and threading layer of Numba, take "
            f"{needed / 2**30:.1f} GiB, {available / 2**30:.1f} GiB are available: choose a smaller message or fewer "
            "processes"
        )


def survey(
    implementations: Sequence[Implementation], catalogue: Catalogue, names: Sequence[str] | None = None
) -> tuple[dict[str, list[Effect]], dict[str, str]]:
    """Return the effect of every mask on every implementation with a feature switch.

    Parameters
    ----------
    names
        Masks; None means all but the control.

    Returns
    -------
    dict
        Effects of each implementation, by its name.
    dict
        Libraries without a switch, with the reasons.

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
    without_switch: dict[str, str] = {}
    with machine_lock(), bar(len(masks), "masks", "mask") as shown:
        for mask in masks:
            supported = []
            for implementation in implementations:
                reason = reason_without_mask(implementation, mask)
                if reason and not switches(implementation):
                    without_switch[implementation.description.library] = reason
                elif reason:
                    effect = Effect(implementation.name, mask.name, why_none=reason, outcome="no switch")
                    found.setdefault(implementation.name, []).append(effect)
                else:
                    supported.append(implementation)
            for name, effect in effects(supported, mask, catalogue, timed=True).items():
                found.setdefault(name, []).append(effect)
            shown.update()
    return found, without_switch


def _verify(
    cases: Iterable[Case], catalogue: Catalogue, done: Callable[[str], object]
) -> dict[tuple[str, str], Report]:
    """Return reports by implementation and mask; implementations that share a process are verified together."""
    groups: dict[tuple[str, ...], dict[str, Case]] = {}
    for case in cases:
        groups.setdefault(process_key(case, catalogue), {})[case.implementation] = case
    reports: dict[tuple[str, str], Report] = {}
    for group in groups.values():
        mask = next(iter(group.values())).mask
        implementations = [catalogue.find(name) for name in group]
        variables = environment(implementations[0], find_mask(mask))
        of_group = verified(implementations, catalogue, done=done, environment=variables)
        reports |= {(name, mask): report for name, report in of_group.items()}
    return reports


def _reason_against(mask: str, report: Report, effect: Effect | None) -> str:
    """Return the reason why an implementation must not be timed under a mask, or ``""``."""
    if not report.ok:
        return f"under mask {mask}: {report.reason}"
    return effect.why_none if effect else ""
