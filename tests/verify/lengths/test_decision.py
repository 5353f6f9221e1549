from __future__ import annotations

from itertools import permutations

import pytest

from aeadlab.verify.lengths.decision import is_decided, wrong


@pytest.mark.parametrize("names", list(permutations(("a/x", "b/x", "c/x"))))
def test_a_third_library_decides_in_any_order(names: tuple[str, ...]) -> None:
    results = {name: "bad" if name == "b/x" else "good" for name in names}
    reasons = wrong(results)
    assert set(reasons) == {"b/x"} and "a/x" in reasons["b/x"] and "c/x" in reasons["b/x"]
    assert is_decided(results)


def test_both_of_two_fail_without_a_third() -> None:
    assert not is_decided({"a/x": 1, "b/x": 2})
    reasons = wrong({"a/x": 1, "b/x": 2})
    assert set(reasons) == {"a/x", "b/x"} and all("no third library" in reason for reason in reasons.values())


def test_variants_of_one_library_have_one_vote() -> None:
    results = {"a/x": 1, "a/x.fast": 1, "b/x": 2}
    assert not is_decided(results) and set(wrong(results)) == set(results)
    assert set(wrong({**results, "c/x": 2})) == {"a/x", "a/x.fast"}


def test_two_against_two_all_fail() -> None:
    assert set(wrong({"a/x": 1, "b/x": 1, "c/x": 2, "d/x": 2})) == {"a/x", "b/x", "c/x", "d/x"}
    assert set(wrong({"a/x": 1, "b/x": 2, "c/x": 3})) == {"a/x", "b/x", "c/x"}


def test_one_library_alone_is_neither_decided_nor_wrong() -> None:
    assert wrong({"a/x": 1, "a/y": 1}) == {} and not is_decided({"a/x": 1, "a/y": 1})
    assert wrong({}) == {} and not is_decided({})


def test_long_lists_are_shortened() -> None:
    names = {f"{library}/x": 1 for library in "abcdef"}
    assert wrong({**names, "z/x": 2})["z/x"] == "its result differs from that of a/x, b/x, c/x and 3 more"
