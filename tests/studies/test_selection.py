from __future__ import annotations

import pytest

from aeadlab._native import MAX_THREADS
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.studies import Selection


@pytest.mark.parametrize(
    ("given", "threads"),
    [
        ([1, 2, 4], (1, 2, 4)),
        ((2, 2, 1), (2, 1)),
        ("[1,2,4]", (1, 2, 4)),
        ("3", (3,)),
        ("1, 2,4", (1, 2, 4)),
        (8, (8,)),
        ([], None),
        ("[]", None),
        ("", None),
        (None, None),
    ],
)
def test_accepts_thread_counts_in_every_form(given: object, threads: tuple[int, ...] | None) -> None:
    assert Selection.of(threads=given).threads == threads


@pytest.mark.parametrize(
    "given",
    ["a/b", '["a/b"]', ["a/b"], ("a/b", "a/b"), "a/b,", " a/b , a/b"],
)
def test_accepts_names_in_every_form(given: object) -> None:
    assert Selection.of(given).implementations == ("a/b",)


@pytest.mark.parametrize("count", [0, -1, MAX_THREADS + 1, 1 << 40])
def test_rejects_thread_counts_out_of_range(count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"^threads {count}: expected 1 to {MAX_THREADS}$"):
        Selection.of(threads=[1, count])


def test_rejects_a_block_size_of_zero() -> None:
    with pytest.raises(ArgumentError, match=r"block size 0: expected at least 1 byte"):
        Selection.of(block_sizes=[0, 1024])


@pytest.mark.parametrize("given", ["two", [1, "2"], [1.5], "[1, 2.5]", [True]])
def test_rejects_values_that_are_no_counts(given: object) -> None:
    with pytest.raises(ArgumentError, match=r"parameter threads contains .*: expected whole numbers"):
        Selection.of(threads=given)


def test_rejects_values_that_are_no_names() -> None:
    with pytest.raises(ArgumentError, match=r"parameter implementations contains 3: expected names"):
        Selection.of([3])


def test_a_stored_selection_is_restored() -> None:
    chosen = Selection.of(["a/b"], [1, 2])
    assert chosen.as_dict() == {"implementations": ["a/b"], "threads": [1, 2], "block_sizes": None}
    assert Selection.of(**chosen.as_dict()) == chosen


@pytest.mark.parametrize("given", ["16K,1M", '["16K", 1048576]', ["16K", 1 << 20], "16384, 1MiB"])
def test_accepts_block_sizes_with_units(given: object) -> None:
    assert Selection.of(block_sizes=given).block_sizes == (16384, 1 << 20)


def test_rejects_a_block_size_without_a_number() -> None:
    with pytest.raises(ArgumentError, match="size '16Q' given, a positive number of bytes expected"):
        Selection.of(block_sizes="16Q")


def test_algorithms_and_globs_are_expanded() -> None:
    names = Selection.of(["ring/aes-256-gcm", "ring/*gcm", "no/such"]).expanded(load()).implementations
    assert names == ("ring/aes-256-gcm", "ring/aes-128-gcm", "no/such")
    with pytest.raises(UnknownNameError, match="matches 'aes-999'"):
        Selection.of(["aes-999"]).expanded(load())
