"""Two modes, a drift and a single mode are distinguished in times measured by the harness."""

from __future__ import annotations

from typing import Any

import pytest

SHARE, RATIO, ROUNDS = 0.3, 1.25, 300
MODES = f"(draw(call, {SHARE}) ? {round(1000 * RATIO)} : 1000)"
# The last call takes 1.3 times what the first does.
DRIFT = "(1000 + call)"


@pytest.fixture(scope="module")
def found(planted: Any) -> Any:
    """All kernels in one interleaved run."""
    kernels = {"two-modes": MODES, "drifting": DRIFT, "one-mode": 1000, "faster-and-faster": "(1300 - call)"}
    return planted.run({name: {"UNITS": units, "UNIT_NS": 100} for name, units in kernels.items()}, rounds=ROUNDS)


def test_finds_two_modes_with_shares_and_ratio(planted: Any, found: Any) -> None:
    seen = found.modes(planted.case("two-modes"))
    assert seen.kind == "two"
    fast, slow = seen.shares
    # Disturbed samples belong to neither mode.
    assert fast + slow > 0.8
    assert slow / (fast + slow) == pytest.approx(SHARE, abs=0.1)
    assert seen.ratio == pytest.approx(RATIO, abs=0.05)


@pytest.mark.parametrize(("kernel", "sign"), [("drifting", 1), ("faster-and-faster", -1)])
def test_a_drift_is_not_taken_for_modes(planted: Any, found: Any, kernel: str, sign: int) -> None:
    seen = found.modes(planted.case(kernel))
    assert seen.kind == "drift"
    assert seen.drift.found and sign * seen.drift.tau > 0.5


def test_a_steady_kernel_has_neither_modes_nor_drift(planted: Any, found: Any) -> None:
    """A steady kernel runs between the others in every round and does not take over their modes."""
    assert found.modes(planted.case("one-mode")).kind == "one"
