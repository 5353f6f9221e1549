"""The figures of the catalogue, from samples with known times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.bench.case import Case
from aeadlab.figures.style import VENUES
from aeadlab.studies.eth.catalogue.figures import catalogue_speeds, catalogue_table

LIBRARIES = ("openssl", "aws-lc", "botan")
SHORT, LONG = 256 << 10, 1 << 30
CASES = [Case(f"{library}/{name}", "seal", SHORT) for name in ("aes-256-gcm", "aes-128-ccm") for library in LIBRARIES]
CASES.append(Case("baseline/memcpy", "seal", SHORT))
LARGE = [replace(case, bytes=LONG) for case in CASES if "gcm" in case.implementation]


@pytest.fixture
def samples(of_cases: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    return of_cases({**{case: SHORT / 1e10 for case in CASES}, **{case: LONG / 2e10 for case in LARGE}})


def test_the_table_has_the_speed_of_the_long_message_beside_the_short_one(samples: pd.DataFrame) -> None:
    table = catalogue_table(samples, "aead").set_index("implementation")
    assert set(table["bytes"]) == {SHORT}
    gcm, ccm = (table[table["algorithm"].eq(name)] for name in ("aes-256-gcm", "aes-128-ccm"))
    assert (gcm["long_bytes"] == LONG).all() and (ccm["long_bytes"] == 0).all()
    assert gcm["long_gib_per_s"].to_numpy() == pytest.approx(2 * gcm["gib_per_s"].to_numpy(), rel=0.05)
    assert ccm["long_gib_per_s"].isna().all()


@pytest.mark.parametrize("venue", VENUES)
def test_the_figure_has_a_column_of_the_long_message(
    samples: pd.DataFrame,
    venue: str,
    check_layout: Callable[[Figure, str], None],
    noted: Callable[[Figure], str],
    written: Callable[[Figure], list[str]],
) -> None:
    figure, _ = catalogue_speeds(samples, venue)
    check_layout(figure, venue)
    assert "1 GiB was measured with the AEADs, ciphers and hashes that the paper's claims are about" in noted(figure)
    assert any("1 GiB" in text for text in written(figure))


def test_without_a_long_message_there_is_no_column(samples: pd.DataFrame, noted: Callable[[Figure], str]) -> None:
    figure, table = catalogue_speeds(samples[samples["bytes"].eq(SHORT)])
    assert (table["long_bytes"] == 0).all()
    assert "was measured with" not in noted(figure)
