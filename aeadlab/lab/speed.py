"""The question which of some implementations is faster here, measured now and answered in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event
from typing import Any, Final

from aeadlab.bench.case import MAX_BYTES
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Description, Implementation, load, patterns
from aeadlab.catalogue.kinds import OPS
from aeadlab.display import listing
from aeadlab.display.progress import Callback
from aeadlab.display.terminal import fill
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError
from aeadlab.lab.exploring import Exploration, look_at
from aeadlab.stats.text import medians_table

PROFILE: Final = Profile(
    "speed", 1 << 20, rounds=24, warm_up_seconds=0.0, sample_seconds=2e-4, budget_seconds=60.0, processes=12
)
"""Two rounds in each of twelve processes, which take seconds for a few implementations."""

MOST: Final = 200
"""Largest number of implementations that are measured without being asked for."""

SIZE: Final = 16 << 10
"""Default length of the message in bytes, that of a TLS record."""


class Speed(Exploration):
    """The result of `speed`: an exploration that a terminal shows as a table with the answers below it."""

    def as_text(self) -> str:
        """Return the table, the reasons for missing samples and the answers, in 80 columns."""
        reasons = [f"not timed: {reason}" for reason in listing.named_reasons(self.not_timed)]
        return "\n".join([medians_table(self.samples), *map(fill, reasons), "", *map(fill, self.answers)])

    def as_dict(self) -> dict[str, object]:
        """Return the table, the reasons for missing samples, the answers and the record's path for JSON."""
        rows = self.table.astype(object).where(self.table.notna(), None).to_dict("records")
        return {"answers": self.answers, "rows": rows, "not_timed": self.not_timed, "record": str(self.record.path)}

    def __repr__(self) -> str:
        return self.as_text()


def speed(
    names: str | Sequence[str],
    *,
    size: int | str | Sequence[int | str] = SIZE,
    open: bool = False,
    threads: int = 1,
    all: bool = False,
    samples: int | None = None,
    plugins: Sequence[Path] = (),
    output: str | Path = "",
    seed: int = 1,
    progress: Callback | None = None,
    stop: Event | None = None,
) -> Speed:
    """Measure implementations and memcpy now, in seconds, and answer which is the fastest.

    Parameters
    ----------
    names
        Implementations, algorithms or globs: ``"openssl/aes-256-gcm"``, ``"aes-256-gcm"``, ``"openssl/*gcm*"``.
    size
        Length of the message in bytes, or as text such as ``"16K"``, or several.
    open
        Measure open or decrypt instead of seal or encrypt; hashes, MACs and generators have one operation.
    threads
        Above 1, AEADs are measured under ParSplit with this many threads, and others that a pattern matches in one.
    all
        Measure also more than `MOST` implementations.
    samples
        Samples of each case; None means 24.
    output, plugins, seed, progress, stop
        As in `aeadlab.look_at`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If a name or pattern matches nothing.
    aeadlab.errors.ArgumentError
        If no name is given, too many implementations match, an implementation does not take a size, a size or the
        thread count is out of range, or one that is no AEAD is named with more than one thread.
    aeadlab.errors.Error
        Otherwise as `aeadlab.look_at`.
    """
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise ArgumentError("no name given: name an implementation, an algorithm or a glob, such as aes-256-gcm")
    sizes = [in_bytes(one) for one in ([size] if isinstance(size, int | str) else size)]
    if not sizes or min(sizes) < 1 or max(sizes) > MAX_BYTES:
        wrong = next((one for one in sizes if not 1 <= one <= MAX_BYTES), None)
        raise ArgumentError(f"size {wrong} given, 1 to {MAX_BYTES} bytes expected")
    if threads < 1:
        raise ArgumentError(f"{threads} threads given, at least 1 expected")
    selected = patterns.select(load(plugins), given)
    if len(selected) > MOST and not all:
        raise ArgumentError(
            f"{len(selected)} implementations match, at most {MOST} expected: narrow the names, or add --all "
            "(in Python: all=True)"
        )
    if threads == 1:
        _check(selected, given, lambda i: _length_limit(i.description, sizes), "choose another size")
    else:
        _check(selected, given, _cannot_split, "give 1 thread")
    found = look_at(
        [implementation.name for implementation in selected],
        bytes=sizes,
        op=_ops(selected, open),
        engine="parsplit" if threads > 1 else "whole",
        threads=threads,
        profile=PROFILE,
        samples=samples,
        output=output,
        plugins=plugins,
        seed=seed,
        progress=progress,
        stop=stop,
    )
    return Speed(found.record, found.arguments, found.folder, found.venue)


def _check(
    selected: Sequence[Implementation], names: Sequence[str], limit: Callable[[Implementation], str], remedy: str
) -> None:
    """Check that `limit` is ``""`` for each named implementation, and for one at least of those that patterns match.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is not; the message has the limit and the remedy.
    """
    wrong = {i.name: reason for i in selected if (reason := limit(i))}
    if refused := [name for name in wrong if name in names or len(wrong) == len(selected)]:
        raise ArgumentError(f"{refused[0]} {wrong[refused[0]]}: {remedy}, or leave {refused[0]} out")


def _cannot_split(implementation: Implementation) -> str:
    """Return why ParSplit does not split the messages of an implementation, or ``""``."""
    d = implementation.description
    if d.origin == "python":
        return "is called from Python, in one thread"
    splits = d.kind == "aead" or "baseline" in d.flags
    return "" if splits else f"is of kind {d.kind}, and ParSplit splits messages of AEADs only"


def _length_limit(d: Description, sizes: Iterable[int]) -> str:
    """Return the limit that one of the lengths violates, or ``""``."""
    for size in sizes:
        if not d.takes(size):
            return f"takes messages of at most {d.max_bytes} bytes, and {size} were given"
        if size % d.block_bytes:
            return f"takes multiples of {d.block_bytes} bytes, and {size} were given"
    return ""


def _ops(selected: Iterable[Implementation], opening: bool) -> list[Any]:
    """Return the first operation of each kind, or the second where there is one."""
    kinds = dict.fromkeys(implementation.description.kind for implementation in selected)
    return [OPS[kind][-1 if opening else 0] for kind in kinds]
