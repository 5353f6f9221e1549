from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import disturbed

ROUNDS, CASES = 40, 20


@pytest.fixture
def samples(rng: np.random.Generator) -> pd.DataFrame:
    """Return interleaved cases of different lengths in random order."""
    order = np.concatenate([rng.permutation(CASES) for _ in range(ROUNDS)])
    seconds = (1 + order) * rng.lognormal(0, 0.004, order.size)
    rows = pd.DataFrame({"case": order, "order": np.arange(order.size), "seconds": seconds})
    return rows.assign(warmup=False, status="ok")


def test_an_isolated_slow_sample_is_not_disturbed(samples: pd.DataFrame) -> None:
    two = samples["case"].eq(3) & (samples["order"] // CASES % 2 == 0)
    slow = samples.assign(seconds=samples["seconds"] * np.where(two, 1.5, 1.0))
    assert not disturbed(slow, ["case"]).any()


def test_samples_in_a_slow_period_are_disturbed(samples: pd.DataFrame) -> None:
    spell = samples["order"].between(200, 299)
    found = disturbed(samples.assign(seconds=samples["seconds"] * np.where(spell, 1.2, 1.0)), ["case"])
    assert found[spell].mean() > 0.9
    assert not found[samples["order"].lt(190) | samples["order"].gt(309)].any()


def test_a_sample_does_not_count_as_its_own_neighbour(samples: pd.DataFrame) -> None:
    """The result for a sample does not depend on its own time."""
    spell = samples["order"].between(200, 299)
    slow = samples.assign(seconds=samples["seconds"] * np.where(spell, 1.2, 1.0))
    before = disturbed(slow, ["case"])
    for place in (5, 250, 700):
        changed = slow.assign(seconds=slow["seconds"].where(slow["order"] != place, slow["seconds"] * 1.7))
        assert disturbed(changed, ["case"])[place] == before[place]


def test_bimodal_neighbours_do_not_disturb_a_sample(samples: pd.DataFrame, rng: np.random.Generator) -> None:
    """Eight of twenty cases take a quarter longer in four of ten samples."""
    modal = samples["case"].lt(8) & (rng.random(len(samples)) < 0.4)
    slow = samples.assign(seconds=samples["seconds"] * np.where(modal, 1.25, 1.0))
    assert not disturbed(slow, ["case"]).any()


def test_a_single_case_has_no_neighbours(samples: pd.DataFrame) -> None:
    one = samples[samples["case"] == 1].assign(seconds=np.tile([1.0, 2.0], ROUNDS // 2))
    assert not disturbed(one, ["case"]).any()


def test_warm_ups_and_failures_are_excluded(samples: pd.DataFrame) -> None:
    warm = samples.assign(order=-1 - samples["order"], warmup=True, seconds=9.0)
    failed = samples.head(3).assign(status="failed: why", seconds=np.nan, order=-1)
    every = pd.concat([samples, warm, failed], ignore_index=True)
    assert disturbed(every, ["case"]).tolist() == disturbed(samples, ["case"]).tolist()


def test_rows_keep_their_index_in_any_order(samples: pd.DataFrame) -> None:
    mixed = samples.sample(frac=1, random_state=1)
    pd.testing.assert_series_equal(disturbed(mixed, ["case"]).sort_index(), disturbed(samples, ["case"]))
    assert disturbed(samples.head(0), ["case"]).empty
    with pytest.raises(ArgumentError, match="order"):
        disturbed(samples.drop(columns="order"), ["case"])
