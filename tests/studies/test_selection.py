from __future__ import annotations

import pytest

from aeadlab.errors import ArgumentError
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
def test_thread_counts_as_notebooks_and_papermill_give_them(given: object, threads: tuple[int, ...] | None) -> None:
    assert Selection.of(threads=given).threads == threads


@pytest.mark.parametrize(
    "given",
    ["a/b", '["a/b"]', ["a/b"], ("a/b", "a/b"), "a/b,", " a/b , a/b"],
)
def test_names_as_notebooks_and_papermill_give_them(given: object) -> None:
    assert Selection.of(given).implementations == ("a/b",)


@pytest.mark.parametrize("count", [0, -1, 257, 1 << 40])
def test_thread_counts_out_of_range_are_refused(count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"^{count} threads given, 1 to 256 wanted$"):
        Selection.of(threads=[1, count])


def test_a_block_of_nothing_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"block size 0 given, at least 1 byte wanted"):
        Selection.of(block_sizes=[0, 1024])


@pytest.mark.parametrize("given", ["two", [1, "2"], [1.5], "[1, 2.5]", [True]])
def test_what_is_no_count_is_refused(given: object) -> None:
    with pytest.raises(ArgumentError, match=r"parameter threads holds .*: wanted are whole numbers"):
        Selection.of(threads=given)


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"parameter implementations holds 3: wanted are names"):
        Selection.of([3])


def test_what_is_stored_is_what_was_chosen() -> None:
    chosen = Selection.of(["a/b"], [1, 2])
    assert chosen.as_dict() == {"implementations": ["a/b"], "threads": [1, 2], "block_sizes": None}
    assert Selection.of(**chosen.as_dict()) == chosen
