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


@pytest.mark.parametrize(("slow", "disturbs"), [(4, False), (5, True)])
@pytest.mark.parametrize("factor", [1.04, 1 / 1.04])
def test_more_than_a_quarter_of_sixteen_neighbours_disturbs(slow: int, disturbs: bool, factor: float) -> None:
    """Each case occurs every twentieth time, so that all neighbours, eight on either side, are other cases."""
    order = np.arange(CASES * ROUNDS)
    rows = pd.DataFrame({"case": order % CASES, "order": order, "warmup": False, "status": "ok"})
    spell = order - 400
    near = (spell >= -8) & (spell < slow - 8)
    assert disturbed(rows.assign(seconds=np.where(near, factor, 1.0)), ["case"])[400] == disturbs
    beyond = (spell < -8) | (spell > 8)
    far = beyond & (abs(spell) < 20)
    assert not disturbed(rows.assign(seconds=np.where(far, factor, 1.0)), ["case"])[400]
    assert not disturbed(rows.assign(seconds=np.where(near, 1.029, 1.0)), ["case"])[400], "within 3 %"


def test_the_ends_of_a_run_have_fewer_neighbours(samples: pd.DataFrame) -> None:
    """Three of the eight neighbours of the first sample are more than a quarter."""
    constant = samples.assign(seconds=np.where(samples["order"].isin([3, 5, 8]), 1.1, 1.0))
    found = disturbed(constant, ["case"])
    assert found[0] and not found[samples["order"].ge(10)].any()


@pytest.mark.parametrize(("deviating", "steady"), [(2, True), (3, False)])
def test_a_case_is_unsteady_above_five_percent(deviating: int, steady: bool) -> None:
    """Samples of an unsteady case are no neighbours: of the others, two samples around them, none deviates."""
    order = np.arange(12 * ROUNDS)
    rows = pd.DataFrame({"case": order % 12, "order": order, "warmup": False, "status": "ok", "seconds": 1.0})
    rows.loc[rows["case"].lt(6) & rows["order"].lt(12 * deviating), "seconds"] = 2.0
    assert disturbed(rows, ["case"])[0] == steady


def test_values_that_are_missing_are_a_case(samples: pd.DataFrame) -> None:
    """A condition that a case does not have is a value of its own."""
    named = samples.assign(case=samples["case"].where(samples["case"] != 3).astype("Int64"))
    spell = samples["order"].between(200, 299)
    slow = np.where(spell, 1.2, 1.0) * samples["seconds"]
    expected = disturbed(samples.assign(seconds=slow), ["case"])
    assert expected.any()
    pd.testing.assert_series_equal(disturbed(named.assign(seconds=slow), ["case"]), expected)
