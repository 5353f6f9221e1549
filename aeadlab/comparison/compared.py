"""Compares two records, or two implementations of one record, case by case against the noise of the runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from aeadlab.comparison.checks import check_implementation
from aeadlab.comparison.columns import IDENTITY, KEY
from aeadlab.comparison.results import VERDICTS, Compared
from aeadlab.comparison.sides import Side, find_side, find_side_with, find_sides, resolve_revision
from aeadlab.comparison.unmatched import Arm, unmatched
from aeadlab.errors import ArgumentError
from aeadlab.records import provenance_diff
from aeadlab.records.record import Record
from aeadlab.records.reference import origin, reference_cpu
from aeadlab.stats.interval import unit
from aeadlab.stats.noise_floor import MARGIN, driving_class, judging, noise_widths
from aeadlab.stats.processes import FEWEST, Floats
from aeadlab.stats.rows import paired_rows, with_verdicts
from aeadlab.stats.selection import counted, usable
from aeadlab.stats.unpaired import against_noise, unpaired_rows

_IMPLEMENTATION = re.compile(r"[^/\s]+/[^/\s]+")
_RESULTS = (
    *("seconds_a", "seconds_b", "rounds_a", "rounds_b", "processes_a", "processes_b"),
    *("ratio", "low", "high", "noise_low", "noise_high", "p_value", "p_adjusted", "verdict"),
)


def compare(
    a: str | Path | Record,
    b: str | Path | Record,
    *,
    study: str | None = None,
    record: str | Path | Record | None = None,
) -> Compared:
    """Compare B with A: return which cases are slower, faster, or not distinguishable.

    Parameters
    ----------
    a, b
        Two records (paths, loaded records, ``latest`` and ``previous`` of the user's own), two git revisions (the
        newest record that was measured at each), or two implementations of one record.
    study
        The study of ``latest``, ``previous`` and revisions, whose newest record also holds the implementations. None
        means that of the newest record; for a revision, that of the newest record of those that both sides have.
    record
        The record that holds the implementations. None means the user's newest record with both, else a reference
        record with both.

    Returns
    -------
    Compared
        Its ``table`` has one row for each case of both sides, slower rows first: the columns of the case, ``seconds_a``
        and ``seconds_b`` (medians), ``rounds_a``, ``rounds_b``, ``processes_a``, ``processes_b``, ``ratio`` (time of B
        over time of A) with its 95 % interval ``low`` to ``high``, the noise band ``noise_low`` to ``noise_high``,
        ``p_value``, ``p_adjusted`` (Benjamini-Hochberg across the rows of three processes or more, else 1) and
        ``verdict`` (``slower``, ``faster`` or ``no credible difference``). Cases of one side are in ``unmatched``,
        limits of the conclusions in ``warnings``.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist, is damaged, or has an unsupported schema version.
    aeadlab.errors.UnknownNameError
        If a word is no record, revision or implementation.
    aeadlab.errors.ArgumentError
        If both sides are the same or have no common case, or an implementation was not verified.

    Notes
    -----
    Two implementations of one record are paired by round. Two records have no common round; see
    `aeadlab.stats.unpaired`. The noise band of a case is the noise floor of its driving class and length. Between two
    records it is the widest of the noise floors of both and, if these come from one machine, of the largest shift of a
    baseline (such as ``memcpy``) of this class and length, or of any baseline if there is none of these. The shift
    shows how the speed of the machine changed between the runs. Without baselines, it is the median of all rows.
    """
    if record is not None or _are_implementations(a, b):
        side = find_side_with((str(a), str(b)), study) if record is None else find_side(record, study)
        return _implementations(str(a), str(b), side)
    return _records(*find_sides(a, b, study))


def _are_implementations(a: object, b: object) -> bool:
    """Return whether both have the form library/algorithm, and at least one is neither a file nor a revision."""
    words = [word for word in (a, b) if isinstance(word, str) and _IMPLEMENTATION.fullmatch(word)]
    other = [word.endswith(".parquet") or Path(word).is_file() or resolve_revision(word) for word in words]
    return len(words) == 2 and not all(other)


def _implementations(a: str, b: str, side: Side) -> Compared:
    record = side.record
    for name in (a, b):
        check_implementation(record, name)
    if a == b:
        raise ArgumentError(f"{a} is compared with itself: name another implementation")
    samples = _first_arms(record)
    left, right = (Arm(name, record, samples[samples["implementation"] == name]) for name in (a, b))
    on = [column for column in KEY if column not in IDENTITY and column != "kind"]
    table = paired_rows(left.samples, right.samples, on, partial(noise_widths, record.samples, names=(a, b)))
    table = table[table["pairs"] > 0].reset_index(drop=True)
    if table.empty:
        reason = _difference(left.samples, right.samples, on)
        raise ArgumentError(f"{a} and {b} have no case in common in {record.name}: {reason}")
    pairs, processes = table.pop("pairs"), table.pop("processes")
    table = table.assign(rounds_a=pairs, rounds_b=pairs, processes_a=processes, processes_b=processes)
    few = [_few_processes(table)] if processes.min() < FEWEST else []
    source = unit(int(processes.min()), int(pairs.min()))
    noise = table["noise"].to_numpy(dtype=np.float64)
    return Compared(
        _judge(table, left.samples, right.samples, on),
        a=f"{a}, {side.about}",
        b=f"{b}, the same record",
        how=f"Paired by round, {source}. {_describe_noise(_causes(noise))}",
        warnings=(*provenance_diff.critical_conditions(record), *few),
        notes=(),
        unmatched=unmatched(left, right, table[on], on),
        machines=1,
        reference_record=side.note,
    )


def _records(first: Side, second: Side) -> Compared:
    a, b = first.record, second.record
    left, right = Arm("A", a, _first_arms(a)), Arm("B", b, _first_arms(b))
    old, new = left.verified, right.verified
    on = list(KEY)
    table = unpaired_rows(old, new, on)
    if table.empty:
        reason = _difference(old, new, on)
        raise ArgumentError(f"{a.name} and {b.name} have no verified case in common: {reason}")
    machines = 2 if provenance_diff.machine_differences(a, b) else 1
    warnings = provenance_diff.warnings(a, b)
    widths: dict[str, Floats] = {}
    for name, record in (("A", a), ("B", b)):
        widths |= _causes(noise_widths(record.samples, table), f" of {name}")
    if machines == 1:
        shift, reasons = _machine_shift(table, a, b)
        widths |= shift
        warnings += reasons
    origins = {name: origin(reference_cpu(record)) for name, record in (("A", a), ("B", b))}
    if (table[["processes_a", "processes_b"]] < FEWEST).any(axis=None):
        warnings.append(_few_processes(table))
    if dirty := [name for name, side in (("A", first), ("B", second)) if side.commit.get("dirty")]:
        warnings.append(f"{' and '.join(dirty)} was measured with uncommitted changes")
    width = np.maximum.reduce(list(widths.values()))
    source = " and ".join(
        f"{unit(int(table[f'processes_{side}'].min()), int(table[f'rounds_{side}'].min()))} of {side.upper()}"
        for side in "ab"
    )
    return Compared(
        _judge(against_noise(table, width), old, new, on),
        a=first.about,
        b=second.about,
        how=f"Two runs, not interleaved: medians of processes are compared, unpaired, {source} or more. "
        f"{_describe_noise(widths)}",
        warnings=tuple(warnings),
        notes=tuple(provenance_diff.notes(a, b)),
        unmatched=unmatched(left, right, table[on], on),
        machines=machines,
        reference_record=" ".join(f"{name} is {each}." for name, each in origins.items() if each),
    )


def _machine_shift(table: pd.DataFrame, a: Record, b: Record) -> tuple[dict[str, Floats], list[str]]:
    """Return each row's noise width from the shift of the machine between two runs, and a warning without a baseline.

    ParSplit is part of the measured code, so a baseline under ParSplit is used only if both runs had the same code.
    """
    unchanged = table["implementation"].isin(provenance_diff.shared_baselines(a, b))
    if not provenance_diff.same_code(a, b):
        unchanged &= table["engine"] != "parsplit"
    if unchanged.any():
        baselines, classes = table[unchanged], driving_class(table)
        shifts = baselines["log_ratio"].abs().to_numpy(dtype=np.float64)
        near = {name: judging(baselines, table[classes == name]) for name in classes.unique()}
        largest = {name: float(shifts[which if which.any() else ...].max()) for name, which in near.items()}
        return {"baselines' shift": classes.map(largest).to_numpy(dtype=np.float64)}, []
    warning = (
        "no baseline (memcpy, xor) with engine whole is in both records: the median shift of all rows is attributed to "
        "the machine, and may be due to the code"
    )
    return {"shift of all rows": np.full(len(table), abs(float(table["log_ratio"].median())))}, [warning]


def _judge(table: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Add verdicts, the medians of both sides and the noise band, and sort the rows by verdict and effect size."""
    table = with_verdicts(table)
    for name, side in (("seconds_a", old), ("seconds_b", new)):
        medians = usable(side, [*on, "seconds"]).groupby(on, observed=True)["seconds"].median()
        table = table.merge(medians.rename(name).reset_index(), on=on, how="left")
    width = table.pop("noise").to_numpy(dtype=np.float64)
    table = table.assign(noise_low=np.exp(-width), noise_high=np.exp(width))
    rank = table["verdict"].map(VERDICTS.index)
    effect = np.abs(np.log(table["ratio"].to_numpy(dtype=np.float64)))
    table = table.assign(_rank=rank, _effect=-effect).sort_values(["_rank", "_effect", *on], ignore_index=True)
    return table[[*on, *_RESULTS]]


def _first_arms(record: Record) -> pd.DataFrame:
    """Return the samples without those of the second arms of A/A pairs."""
    return record.samples[record.samples["replica"] == 0]


def _difference(old: pd.DataFrame, new: pd.DataFrame, on: Sequence[str]) -> str:
    """Return the first column in which two sides have no common value, with both values."""
    for column in on:
        values = [sorted(map(str, side.loc[counted(side), column].unique())) for side in (old, new)]
        if not set(values[0]) & set(values[1]):
            one, other = (", ".join(names) or "nothing" for names in values)
            return f"{column} is {one} on one side and {other} on the other"
    return "each column has common values, but no case has all of them"


def _few_processes(table: pd.DataFrame) -> str:
    """Return the warning about rows with a side from fewer than `FEWEST` processes."""
    few = int((table[["processes_a", "processes_b"]] < FEWEST).any(axis=1).sum())
    rows = "all rows have" if few == len(table) else f"{few} of {len(table)} rows have"
    return (
        f"{rows} a side with fewer than {FEWEST} processes: no difference is reported there, since processes of "
        "the same code differ; profiles quick and paper use more"
    )


def _causes(widths: Floats, side: str = "") -> dict[str, Floats]:
    """Return noise widths by their cause: the preset margin, and the bias of A/A pairs where there is one."""
    biased = {f"bias between A/A arms{side}": widths} if (widths > MARGIN).any() else {}
    return {"preset margin": np.full(widths.size, MARGIN), **biased}


def _describe_noise(widths: Mapping[str, Floats]) -> str:
    parts = ", ".join(f"{name} {_span(one)}" for name, one in widths.items())
    return f"Noise floor: {_span(np.maximum.reduce(list(widths.values())))} ({parts})."


def _span(widths: Floats) -> str:
    """Return the smallest and the largest of some noise widths as text, or their only value."""
    ends = [f"{np.expm1(end):.1%}" for end in (widths.min(), widths.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
