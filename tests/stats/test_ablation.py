from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import mask_ratios
from tests.stats.conftest import MakeCase


def test_masked_cases_are_paired_with_their_unmasked_case(make_case: MakeCase, rng: np.random.Generator) -> None:
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


def test_excludes_warm_ups_failures_and_second_arms(make_case: MakeCase) -> None:
    spoilt = [
        make_case(np.full(5, 9.0), mask="zen2", warmup=np.ones(5, dtype=bool)),
        make_case(np.full(5, 9.0), mask="no-vaes", status=["failed: no effect"] * 5),
        make_case(np.full(5, 9.0), replica=1),
    ]
    samples = pd.concat([make_case(np.ones(5)), make_case(np.full(5, 2.0), mask="zen2"), *spoilt])
    found = mask_ratios(samples)
    assert found["mask"].tolist() == ["zen2"] and found["ratio"].tolist() == [0.5]


def test_no_ratio_where_the_unmasked_case_failed(make_case: MakeCase) -> None:
    found = mask_ratios(pd.concat([make_case(np.ones(5), op="open"), make_case(np.ones(5), mask="zen2")]))
    assert found["pairs"].tolist() == [0] and found["ratio"].isna().all()


def test_no_masked_case_gives_an_empty_table(make_case: MakeCase) -> None:
    assert mask_ratios(make_case(np.ones(5))).empty


def test_rejects_a_frame_without_record_columns() -> None:
    with pytest.raises(ArgumentError, match="no column"):
        mask_ratios(pd.DataFrame({"mask": []}))
