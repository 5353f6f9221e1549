"""The search for the fastest allowed AEAD, block size and thread count: verify, measure, choose, store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path

from aeadlab.bench.case import MAX_BYTES
from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.plugins import registered
from aeadlab.display import listing
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError, UnknownNameError, VerificationError
from aeadlab.lab.measurement.verify import verify_with_progress
from aeadlab.lab.tuning import store
from aeadlab.lab.tuning.candidates import allowed, exclusion_reason
from aeadlab.lab.tuning.stages import MEMCPY, Timer, measure_candidates
from aeadlab.lab.tuning.tuned import Tuned
from aeadlab.parsplit.arguments import thread_count
from aeadlab.records import provenance
from aeadlab.verify.cached import cached_reports

BYTES = 64 << 20
"""Default message length in bytes: larger than most caches."""
SECONDS = 5.0
"""Default duration of the measurement in seconds."""

_MAX_MEASURED_BYTES = 256 << 20
"""Longer messages have the same speed, and would only take longer."""


def tune(
    allow: Sequence[str] | None = None,
    bytes: int | str = BYTES,
    *,
    block_size: int | str | None = None,
    threads: int | None = None,
    seconds: float = SECONDS,
    fresh: bool = False,
    plugins: Sequence[Path] = (),
) -> Tuned:
    """Find the fastest allowed AEAD, block size and thread count on this computer; a reliable result is stored.

    All allowed implementations are verified, then measured in a screening round with all threads and a message of at
    most 8 MiB. The fastest two to four, as many as the duration allows, are measured in all their settings, in
    interleaved rounds. Implementations that failed verification or are marked as research, historical, baseline or not
    cryptographic are neither timed nor chosen.

    Parameters
    ----------
    allow
        Names, algorithms or globs, preferred ones first; None means `aeadlab.lab.tuning.candidates.STANDARD`.
    bytes
        Message length in bytes, or as text such as ``"64M"``. The largest power of two up to it is measured, and at
        most 256 MiB.
    block_size
        Bytes of a block; None tries 64 KiB, 256 KiB and 1 MiB.
    threads
        Largest thread count; None means the number of cores that this process may use.
    seconds
        Approximate duration of the measurement in seconds, without verification; longer if fewer than six rounds fit.
    fresh
        Measure again instead of returning a stored result.
    plugins
        Further plugins: files or folders.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no candidate is left, with the reasons, or a number is out of range.
    aeadlab.errors.VerificationError
        If no candidate passes its verification.
    aeadlab.errors.Error
        Otherwise as `aeadlab.measure`.
    """
    bytes = in_bytes(bytes)
    block_size = None if block_size is None else in_bytes(block_size)
    if not 1 <= bytes <= MAX_BYTES:
        raise ArgumentError(f"messages of {bytes} bytes given, 1 to {MAX_BYTES} expected")
    if not (isfinite(seconds) and seconds > 0):
        raise ArgumentError(f"{seconds} seconds given, more than 0 expected")
    if block_size is not None and block_size < 1:
        raise ArgumentError(f"block size {block_size} given, at least 1 expected")
    threads = thread_count(threads)
    plugins = (*registered(), *plugins)
    catalogue = load(plugins)
    selected = allowed(catalogue, allow)
    excluded = {i.name: reason for i in selected if (reason := exclusion_reason(i))}
    candidates = [i for i in selected if i.name not in excluded]
    if not candidates:
        raise ArgumentError(f"no allowed implementation can be chosen: {'; '.join(listing.named_reasons(excluded))}")
    length = min(1 << (bytes.bit_length() - 1), _MAX_MEASURED_BYTES)
    machine = store.machine_identity(candidates)
    request = {"allow": [i.name for i in candidates], "bytes": length, "block_size": block_size, "threads": threads}
    path = store.result_path(machine, request)
    if not fresh and (stored := store.load_result(path, machine)) is not None and _is_verified(stored, catalogue):
        return stored
    provenance.check_build()
    # Verification needs the lock too: it uses all cores, and would disturb another measurement.
    with machine_lock() as lock:
        with suppress(UnknownNameError):
            candidates.append(catalogue.find(MEMCPY))
        reports = verify_with_progress(candidates, catalogue)
        passed = [i for i in candidates if reports[i.name].ok]
        excluded |= {name: report.reason for name, report in reports.items() if not report.ok and name != MEMCPY}
        if not any(i.name != MEMCPY for i in passed):
            reasons = "; ".join(listing.named_reasons(excluded))
            raise VerificationError(f"no allowed implementation passes verification: {reasons}")
        timer = Timer(lock, catalogue, plugins, seconds)
        tuned = measure_candidates(passed, length, block_size, threads, timer, excluded, machine)
    failed = [i for i in candidates if not reports[i.name].ok]
    # A failure with a temporary cause is not cached; then the choice without this candidate is not stored either.
    if len(cached_reports(failed, catalogue)) == len(failed):
        store.store_result(path, tuned)
    return tuned


def _is_verified(stored: Tuned, catalogue: Catalogue) -> bool:
    """Return whether the stored choice passed the present checks, according to the verification cache."""
    name = stored.settings.implementation
    report = cached_reports([catalogue.find(name)], catalogue).get(name)
    return report is not None and report.ok
