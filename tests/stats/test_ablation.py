from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import mask_ratios
from tests.stats.conftest import MakeCase


def test_each_masked_case_is_set_against_its_own_unmasked_one(make_case: MakeCase, rng: np.random.Generator) -> None:
    drift = np.exp(rng.normal(0, 0.3, 20))
    samples = pd.concat(
        [
            make_case(drift),
            make_case(drift * 4, mask="zen2"),
            make_case(drift * 1.01, mask="nothing"),
            make_case(drift * 2, op="open"),
            make_case(drift * 3, op="open", mask="zen2"),
        ]
    )
    found = mask_ratios(samples).set_index(["op", "mask"])
    assert found["ratio"].to_dict() == pytest.approx(
        {("seal", "zen2"): 1 / 4, ("seal", "nothing"): 1 / 1.01, ("open", "zen2"): 2 / 3}
    )
    assert (found["pairs"] == 20).all() and np.allclose(found["low"], found["high"]), "the drift cancels"


def test_warm_ups_failures_and_the_second_arm_do_not_count(make_case: MakeCase) -> None:
    spoilt = [
        make_case(np.full(5, 9.0), mask="zen2", warmup=np.ones(5, dtype=bool)),
        make_case(np.full(5, 9.0), mask="no-vaes", status=["failed: no effect"] * 5),
        make_case(np.full(5, 9.0), replica=1),
    ]
    samples = pd.concat([make_case(np.ones(5)), make_case(np.full(5, 2.0), mask="zen2"), *spoilt])
    found = mask_ratios(samples)
    assert found["mask"].tolist() == ["zen2"] and found["ratio"].tolist() == [0.5]


def test_a_masked_case_whose_unmasked_one_failed_has_no_ratio(make_case: MakeCase) -> None:
    found = mask_ratios(pd.concat([make_case(np.ones(5), op="open"), make_case(np.ones(5), mask="zen2")]))
    assert found["pairs"].tolist() == [0] and found["ratio"].isna().all()


def test_without_a_mask_there_is_nothing(make_case: MakeCase) -> None:
    assert mask_ratios(make_case(np.ones(5))).empty


def test_a_frame_that_is_no_record_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no column"):
        mask_ratios(pd.DataFrame({"mask": []}))
