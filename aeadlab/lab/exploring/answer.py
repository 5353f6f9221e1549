"""The answer of a quick measurement in a sentence: which case is the fastest, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeadlab.display.conditions import in_words, varied
from aeadlab.display.units import duration, percent, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.stats.compare import compare, confidence_of_chosen
from aeadlab.stats.noise_floor import noise_floor
from aeadlab.stats.roofline import LIMITING
from aeadlab.stats.selection import samples_of

if TYPE_CHECKING:
    from pandas import DataFrame

_VERBS: Final = {
    "seal": "seals", "open": "opens", "encrypt": "encrypts", "decrypt": "decrypts", "digest": "digests",
    "generate": "generates",
}  # fmt: skip


def answers(table: DataFrame, samples: DataFrame) -> list[str]:
    """Return a sentence for each length: the fastest case, how much faster it is than the second, and the interval.

    Parameters
    ----------
    table
        Cases as returned by `aeadlab.stats.medians`; memory limits are ignored.
    samples
        The samples of which they are the medians.
    """
    cases = table[~table["implementation"].isin(LIMITING)]
    return [_answer(rows, samples) for _, rows in cases.groupby("bytes", sort=True)]


def _answer(table: DataFrame, samples: DataFrame) -> str:
    """Return the answer for one length: a fact about one case, or a comparison of the fastest two.

    Of more than two cases the samples choose these two, so that the interval holds for all pairs at once.
    """
    table = table.sort_values("seconds", kind="stable")
    cases = table.to_dict("records")
    names = _names(table, samples)
    first, where = cases[0], size_name(int(cases[0]["bytes"]))
    if len(cases) == 1:
        time, _ = duration(first["seconds"])
        share = f", {percent(first['share'])} of memcpy" if first["share"] == first["share"] else ""
        return f"{names[0]} {_VERBS[first['op']]} {where} in {time}: {significant(first['gib_per_s'])} GiB/s{share}."
    second = cases[1]
    of = f" of {len(cases)}" if len(cases) > 2 else ""
    pair = f"The fastest two{of}, {names[0]} and {names[1]}" if of else f"{names[0]} and {names[1]}"
    try:
        fastest, other = samples_of(samples, first), samples_of(samples, second)
        noise = noise_floor(samples, table.head(2))
        result = compare(fastest, other, noise, confidence_of_chosen(len(cases)))
    except ArgumentError:
        # A stopped run may have no round with both cases.
        return f"{pair}: no round in common, so that they cannot be compared, at {where}."
    margin = percent(result.noise.high - 1)
    if result.verdict != "slower":
        return f"{pair}: no difference larger than the noise, {margin}, at {where} ({result.unit})."
    head = f"{names[0]} is the fastest{of} at {where}:" if of else f"{names[0]} is"
    tail = f"as {names[1]}, the second," if of else f"as {names[1]} at {where},"
    joint = f" for all {len(cases) * (len(cases) - 1) // 2} pairs at once" if of else ""
    return (
        f"{head} {significant(result.ratio)} times as fast {tail} 95 % interval{joint} "
        f"{significant(result.low)} to {significant(result.high)} ({result.unit}; margin {margin})."
    )


def _names(table: DataFrame, samples: DataFrame) -> list[str]:
    """Return the shortest names that distinguish the cases, in their order, with the kind where kinds differ."""
    kinds = dict(zip(samples["implementation"], samples["kind"], strict=True))
    cases = [{**case, "kind": kinds[case["implementation"]]} for case in table.to_dict("records")]
    several_kinds = len({case["kind"] for case in cases}) > 1
    libraries, algorithms = ([case["implementation"].partition("/")[part] for case in cases] for part in (0, 2))
    for names, others in ((libraries, algorithms), (algorithms, libraries)):
        if len(set(others)) == 1 and len(set(names)) == len(cases) > 1 and not several_kinds:
            return names
    several = [column for column in varied(table) if column != "bytes"]
    conditions = [", ".join(filter(None, (case["kind"] * several_kinds, in_words(case, several)))) for case in cases]
    return [case["implementation"] + f" ({words})" * bool(words) for case, words in zip(cases, conditions, strict=True)]
