"""From a study's name to a record: choose cases, verify, run, store."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Literal

from aeadlab import machine, paths, provenance
from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.masks import check_environment, find_mask, lacking, with_masks
from aeadlab.bench.plan import Plan, with_noise_pair
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.bench.runner import Progress, run
from aeadlab.catalogue import Catalogue, Implementation, load
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError, UnknownNameError, VerificationError
from aeadlab.masking import check_memory, examine_masked
from aeadlab.progress import bar
from aeadlab.records import Record, check_folder, from_journal, load_record
from aeadlab.studies import Selection, Study, find_study
from aeadlab.verify.cached import verified


def measure(
    study: str | Study,
    profile: str | Profile = "quick",
    *,
    size: int | None = None,
    samples: int | None = None,
    budget: float | None = None,
    implementations: Sequence[str] | None = None,
    threads: Sequence[int] | None = None,
    block_sizes: Sequence[int] | None = None,
    missing: Literal["refuse", "skip"] = "refuse",
    folder: Path | None = None,
    plugins: Sequence[Path] = (),
    seed: int = 1,
    masks: Sequence[str] = (),
    progress: Progress | None = None,
    stop: Event | None = None,
) -> Record:
    """Verify and time a study, and store what was found.

    A run that was cut short, by Ctrl-C or worse, is carried on with by the same call.

    Parameters
    ----------
    size
        Bytes of a large message instead of the profile's.
    samples
        Samples of each case instead of the profile's.
    budget
        Seconds instead of the profile's: no round is begun after them.
    implementations
        Names to measure instead of the study's own; memcpy and XOR stay beside them.
    threads, block_sizes
        Of ParSplit, instead of the study's.
    missing
        Whether a name that does not exist here is refused, or passed over and told among ``refused`` in the provenance.
    folder
        Where the record goes; None means ``records`` in the results folder.
    seed
        Of the random order of cases and of the data.
    masks
        Names of `aeadlab.bench.masks.MASKS`: every case whose library can be told to pass over the features that a mask
        hides runs again under it, in the same rounds; and one in a process of its own with nothing hidden.
    progress
        Called now and then with (samples taken, samples planned); None shows a bar where somebody looks.
    stop
        Set by another thread, it ends the run; what was sampled until then is stored, with a note.

    Raises
    ------
    aeadlab.errors.BuildError
        If the extension is missing, stale or a debug build.
    aeadlab.errors.UnknownNameError
        If the study, profile or an implementation does not exist.
    aeadlab.errors.ArgumentError
        If no case is chosen, or none can be masked, or the folder cannot be written.
    aeadlab.errors.VerificationError
        If no implementation of the study passes its verification.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    aeadlab.errors.RecordError
        If the unfinished journal to carry on with is damaged, or the record cannot be written.
    aeadlab.errors.MeasurementError
        If the measuring process ends for a reason that is no case's, or is stopped before its first sample.
    """
    study = find_study(study) if isinstance(study, str) else study
    selection = Selection.of(implementations, threads, block_sizes)
    chosen_masks = [find_mask(name) for name in masks]
    # What a question is about is left out where the CPU has none of it, or the libraries cannot be told; what a user
    # asks for is answered with the reason.
    own_masks = [mask for mask in map(find_mask, study.masks) if mask not in chosen_masks and not lacking(mask)]
    check_environment([*chosen_masks, *own_masks])
    profile = (find_profile(profile) if isinstance(profile, str) else profile).with_changes(size, samples, budget)
    folder = paths.results() / "records" if folder is None else Path(folder)
    check_folder(folder)
    provenance.check_build()
    # The process that measures is another one, and must be told.
    plugins = (*registered(), *plugins)
    catalogue = load(plugins)
    for name in selection.implementations or () if missing == "refuse" else ():
        catalogue.find(name)
    # An empty choice is a filter that let nothing through; it must not become the whole study.
    cases = [] if implementations is not None and not implementations else study.cases(catalogue, profile, selection)
    if not cases:
        raise ArgumentError(f"no case of study {study.name} is chosen: name an implementation, or none for all")
    cases, unmasked = with_masks(cases, chosen_masks)
    asked_about = [case for case in cases if not case.mask and study.masked(case)]
    cases = list(dict.fromkeys((*cases, *with_masks(asked_about, own_masks)[0])))
    if masks and not any(case.mask for case in cases):
        raise ArgumentError(f"no case of study {study.name} can be masked: {'; '.join(unmasked)}")
    # Held until the journal is gone: another process with the same plan would carry on with it.
    with machine_lock() as lock:
        before = machine.facts()
        present = _present(cases, catalogue)
        with bar(len(present), "verifying", "implementation") as shown:
            reports = verified(present, catalogue, done=lambda _: shown.update())
        refused = {name: report.reason for name, report in reports.items() if not report.ok}
        refused |= _absent(cases, catalogue)
        good = [case for case in cases if case.implementation not in refused]
        asked = {*(selection.implementations or ())}
        if not good or (asked and asked.isdisjoint(case.implementation for case in good)):
            raise VerificationError(f"nothing of study {study.name} can be timed: {_listed(refused)}")
        check_memory(good, before)
        failed, told = examine_masked(good, catalogue)
        named = () if selection.implementations else study.named
        plan = Plan(study.name, profile, with_noise_pair(good), seed, tuple(map(str, plugins)), named)
        path = folder / "unfinished" / f"{study.name}-{plan.definition}-{provenance.identity(present)}.jsonl"
        _fail(plan, path, failed)
        with bar(plan.samples, study.name, "sample") as shown:
            journal = run(plan, path, progress or (lambda taken, _: shown.update(taken - shown.n)), lock, stop)
        facts = provenance.collect(present, {name: report.as_dict() for name, report in reports.items()}, before)
        facts |= {"refused": refused, "masks": told, "unmasked": unmasked, "selection": selection.as_dict()}
        stored = from_journal(journal, facts, folder)
        journal.path.unlink()
    return load_record(stored)


def _fail(plan: Plan, path: Path, failed: Mapping[Case, str]) -> None:
    """Have the journal say of these cases why they are not run."""
    if not failed:
        return
    journal = Journal.read(path) if path.exists() else Journal.create(path, plan)
    journal.repair()
    for index, case in enumerate(plan.cases):
        if case in failed and index not in journal.failures:
            journal.append({"case": index, "failed": failed[case]})


def _present(cases: Sequence[Case], catalogue: Catalogue) -> list[Implementation]:
    found = []
    for name in dict.fromkeys(case.implementation for case in cases):
        with contextlib.suppress(UnknownNameError):
            found.append(catalogue.find(name))
    return found


def _absent(cases: Sequence[Case], catalogue: Catalogue) -> dict[str, str]:
    reasons = {}
    for name in dict.fromkeys(case.implementation for case in cases):
        try:
            catalogue.find(name)
        except UnknownNameError as error:
            reasons[name] = str(error)
    return reasons


def _listed(refused: dict[str, str]) -> str:
    return "; ".join(f"{name}: {why}" for name, why in refused.items())
