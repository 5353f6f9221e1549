"""The table of docs/THREAD-COUNTS.md has the ratios and shares of the reference record."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

import numpy as np
import pytest
from pandas import DataFrame

from aeadlab import paths
from aeadlab.catalogue.kinds import DELAY
from aeadlab.records.lookup import records_of
from aeadlab.records.reading import load_record
from aeadlab.stats import disturbed
from aeadlab.stats.selection import default_cases, usable
from aeadlab.studies.thread_modes.quantities import predicted_ratio, upper_share
from aeadlab.studies.thread_modes.table import mode_table


def rows() -> Iterator[tuple[list[int], float, str, str]]:
    """Yield thread counts, predicted ratio, measured ratio and share of each row."""
    document = (paths.reference_records().parents[1] / "docs/THREAD-COUNTS.md").read_text()
    for line in document.partition("## Measurements")[2].partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0][0].isdigit():
            yield [int(count) for count in cells[0].split(",")], float(cells[1]), cells[2], cells[3]


@pytest.fixture(scope="module")
def samples() -> DataFrame:
    (record,) = records_of("thread-modes", paths.reference_records())
    return load_record(record).samples


def percent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f}"


def test_the_table_of_modes_is_that_of_the_record(samples: DataFrame) -> None:
    table = mode_table(samples, ["rayon"])
    table = table[(table["implementation"] == DELAY) & (table["blocks"] == 64 * table["threads"])]
    cases = {row.threads: row for row in table.itertuples()}
    assert sorted(cases) == sorted(count for counts, *_ in rows() for count in counts)
    for counts, predicted, measured, share in rows():
        for count in counts:
            case = cases[count]
            assert case.predicted_ratio == pytest.approx(predicted, abs=5e-4), count
            assert case.kind == ("one" if measured == "none found" else "two"), count
            if case.kind == "two":
                low_high = "," if isnan(case.ratio_low) else f" ({case.ratio_low:.3f} to {case.ratio_high:.3f})"
                assert measured.startswith(f"{case.ratio:.3f}{low_high}"), count
                low, high = percent(case.upper_share_low), percent(case.upper_share_high)
                assert share == f"{percent(case.upper_share)} % ({low} to {high})", count


def test_no_count_without_a_second_mode_can_have_a_larger_share_of_it(samples: DataFrame) -> None:
    own = default_cases(samples, largest=False)
    own = own[(own["implementation"] == DELAY) & (own["schedule"] == "rayon")]
    own = usable(own, ["threads", "block_size", "bytes", "process", "seconds"])
    own = own[~disturbed(samples).reindex(own.index).astype(bool)]
    for counts, _, measured, share in rows():
        if measured != "none found":
            continue
        bounds = []
        for count in counts:
            case = own[(own["threads"] == count) & (own["bytes"] // own["block_size"] == 64 * count)]
            seconds, process = case["seconds"].to_numpy(np.float64), case["process"].to_numpy()
            bounds.append(upper_share(seconds, predicted_ratio(count), process).high)
        assert share == f"at most {percent(max(bounds))} %", counts
