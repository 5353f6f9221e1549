"""The steps of a measurement: select cases, verify, run, store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Literal

from aeadlab import paths
from aeadlab.bench.announcement import announcement
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.bench.runner import Progress
from aeadlab.catalogue import load
from aeadlab.catalogue.plugins import registered
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError
from aeadlab.host import machine
from aeadlab.lab.measurement.run import counted_interrupts, exclude_cases, run_plan, store_record
from aeadlab.lab.measurement.select import check_size, select_cases
from aeadlab.lab.measurement.verify import verify_cases
from aeadlab.paths import check_folder
from aeadlab.records import provenance
from aeadlab.records.record import Record
from aeadlab.studies import Selection, Study, find_study


def measure(
    study: str | Study,
    profile: str | Profile = "quick",
    *,
    size: int | str | None = None,
    samples: int | None = None,
    budget: float | None = None,
    implementations: Sequence[str] | None = None,
    threads: Sequence[int] | None = None,
    block_sizes: Sequence[int | str] | None = None,
    missing: Literal["refuse", "skip"] = "refuse",
    folder: Path | None = None,
    plugins: Sequence[Path] = (),
    seed: int = 1,
    masks: Sequence[str] = (),
    progress: Progress | None = None,
    stop: Event | None = None,
    announce: Callable[[str], object] | None = None,
) -> Record:
    """Verify and time a study, and store the samples as a record.

    An interrupted run resumes when it is called again with the same arguments.

    Parameters
    ----------
    size
        Size of a large message in bytes, or as text such as ``"16K"``; None means the profile's.
    samples
        Samples of each case; None means the profile's.
    budget
        Time budget in seconds, after which no round starts; None means the profile's.
    implementations
        Names, algorithms or globs to measure instead of the study's own. Studies that compare with memcpy and XOR
        measure these as well.
    threads, block_sizes
        Thread counts and block sizes of ParSplit, as `size`; None means the study's.
    missing
        For a name of `implementations` that is not in the catalogue: ``refuse`` raises, ``skip`` lists it in
        ``refused`` in the provenance, as is done for the study's own names.
    folder
        Folder for the record; None means ``records`` in the results folder.
    plugins
        Further plugins: files or folders.
    seed
        Seed of the random order of cases and of the data.
    masks
        Names of `aeadlab.bench.masks.masks.MASKS`. Every case whose library supports a mask runs again under it, in
        the same rounds. A control case runs in a separate process with no feature hidden.
    progress
        Called repeatedly with (samples taken, samples planned); None shows a progress bar when interactive.
    stop
        Ends the run when another thread sets it. The samples taken until then are stored, with a note.
    announce
        Called before the first sample with the rounds and processes of the plan and the expected width of intervals.

    Raises
    ------
    aeadlab.errors.BuildError
        If the extension is missing, stale or a debug build.
    aeadlab.errors.UnknownNameError
        If there is no such study, profile, mask or implementation.
    aeadlab.errors.ArgumentError
        If no case is selected, none has the size, none supports the masks, or the folder cannot be written.
    aeadlab.errors.VerificationError
        If no implementation of the study, or none of `implementations`, passes its verification.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    aeadlab.errors.RecordError
        If the journal of the interrupted run is damaged, or the record cannot be written.
    aeadlab.errors.MeasurementError
        If the worker process ends for a reason that no case caused, or the run is stopped before its first sample.
    """
    study = find_study(study) if isinstance(study, str) else study
    if implementations is not None and not implementations:
        raise ArgumentError("implementations is empty: name one at least, or give None for all of the study")
    selection = Selection.of(implementations, threads, block_sizes)
    given = None if size is None else in_bytes(size)
    profile = (find_profile(profile) if isinstance(profile, str) else profile).with_changes(given, samples, budget)
    folder = paths.results() / "records" if folder is None else Path(folder)
    check_folder(folder)
    provenance.check_build()
    # The worker process loads its own catalogue, so the plan must list the registered plugins too.
    plugins = (*registered(), *plugins)
    catalogue = load(plugins)
    selection = selection.expanded(catalogue)
    for name in selection.implementations or () if missing == "refuse" else ():
        catalogue.find(name)
    cases, unmasked = select_cases(study, profile, selection, masks, catalogue)
    if given is not None:
        check_size(study, cases, given)
    # The lock is held until the journal is removed: another process with the same plan would resume it.
    with machine_lock() as lock:
        facts = machine.facts()
        verified = verify_cases(study, cases, selection, catalogue, facts, stop, seed)
        named = () if selection.implementations else study.named
        plan = Plan(study.name, profile, with_noise_pairs(verified.cases), seed, tuple(map(str, plugins)), named)
        build = provenance.identity(verified.implementations)
        path = folder / "unfinished" / f"{study.name}-{plan.definition}-{build}.jsonl"
        exclude_cases(plan, path, verified.failed)
        # Profile smoke takes seconds and supports no verdict, as its answer states.
        if announce is not None and plan.profile.effort != "smoke":
            announce(announcement(plan, Journal.read(path).notes if path.exists() else ()))
        with counted_interrupts(plan, path):
            journal = run_plan(plan, path, lock, progress=progress, stop=stop)
        return store_record(journal, verified, facts, folder, unmasked=unmasked, selection=selection.as_dict())
