from __future__ import annotations

import pytest

from aeadlab.bench.profile import PROFILES, find_profile
from aeadlab.errors import ArgumentError, UnknownNameError


def test_the_paper_profile_is_the_published_effort() -> None:
    paper = find_profile("paper")
    assert (paper.bytes, paper.rounds, paper.warm_up_seconds) == (1 << 30, 100, 5.0)
    assert paper.sample_seconds <= 1e-5, "one iteration a sample, but for what the clock cannot tell"
    assert paper.budget_seconds is None, "all samples, however long they take"


def test_an_unknown_profile_is_answered_with_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match="'papr'; there are smoke, quick, paper"):
        find_profile("papr")


def test_a_changed_profile_does_not_pass_for_the_published_one() -> None:
    quick = PROFILES["quick"]
    assert quick.with_changes() is quick
    changed = quick.with_changes(bytes=4096, samples=3)
    assert (changed.bytes, changed.rounds, changed.name) == (4096, 3, "quick*")
    assert changed.with_changes(samples=4).name == "quick*"
    assert quick.with_changes(bytes=0).bytes == 0
    assert quick.with_changes(samples=1).bytes == quick.bytes


@pytest.mark.parametrize("samples", [0, -1])
def test_no_samples_are_refused(samples: int) -> None:
    with pytest.raises(ArgumentError, match=f"{samples} samples given, at least 1 wanted"):
        PROFILES["smoke"].with_changes(samples=samples)
