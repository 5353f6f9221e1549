"""The studies over threads, block sizes, message sizes and the whole catalogue: which cases they make."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.studies import Selection, find_study, memory, speedup
from aeadlab.studies.blocks import block_sizes
from aeadlab.studies.lineup import BASELINES, PAPER, SPLIT
from aeadlab.studies.memory import sizes
from aeadlab.studies.speedup import thread_counts

Cases = Callable[..., list[Case]]
GCM = "openssl/aes-256-gcm"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue) -> Cases:
    def make(name: str, profile: str = "smoke", **chosen: object) -> list[Case]:
        return find_study(name).cases(catalogue, PROFILES[profile], Selection.of(**chosen))

    return make


@pytest.mark.parametrize(
    ("cores", "counts"),
    [
        (1, (1, 2)),
        (2, (1, 2, 3, 4)),
        (4, (1, 2, 3, 4, 5, 6, 8)),
        (192, (*range(1, 194),)),
    ],
)
def test_threads_go_to_all_logical_cores_and_a_few_beyond(cores: int, counts: tuple[int, ...]) -> None:
    assert thread_counts(cores) == counts


def test_sealing_and_opening_are_measured_with_each_count_beside_memcpy_and_the_whole_message(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speedup, "logical_cores", lambda: 3)
    found = cases("speedup")
    assert {case.implementation for case in found} == {*BASELINES, *SPLIT, "blake3-rayon/blake3"}
    assert {*PAPER} < {*SPLIT}
    for op in ("seal", "open"):
        own = [case for case in found if case.implementation == GCM and case.op == op]
        assert [case.threads for case in own if case.engine == "parsplit"] == [1, 2, 3, 4, 5, 6]
        assert [case.threads for case in own if case.engine == "whole"] == [1]
    hashing = [case for case in found if case.op == "digest"]
    assert [case.threads for case in hashing] == [1, 2, 3, 4, 5, 6] and {c.engine for c in hashing} == {"whole"}


def test_chosen_threads_have_one_thread_beside_them_as_what_speed_up_is_over(cases: Cases) -> None:
    found = cases("speedup", threads=[4], implementations=[GCM], block_sizes=[4096])
    split = [case for case in found if case.engine == "parsplit"]
    assert {case.threads for case in split} == {1, 4} and {case.block_size for case in split} == {4096}


def test_an_absent_implementation_still_has_its_cases(cases: Cases) -> None:
    for study in ("speedup", "blocks", "memory", "everything"):
        assert [case for case in cases(study, implementations=["gone/aes-256-gcm"]) if "gone" in case.implementation]


def test_block_sizes_are_powers_of_two_from_1_kib_to_the_message() -> None:
    assert block_sizes(1 << 30) == tuple(1 << power for power in range(10, 31))
    assert block_sizes(5000) == (1024, 2048, 4096, 5000)
    assert block_sizes(100) == (100,)
    assert block_sizes(0) == (1,)


def test_blocks_are_sealed_with_half_of_the_cores(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    from aeadlab.studies import blocks

    monkeypatch.setattr(blocks, "logical_cores", lambda: 12)
    split = [case for case in cases("blocks") if case.engine == "parsplit"]
    assert {case.threads for case in split} == {6} and {case.op for case in split} == {"seal", "encrypt"}
    assert {case.block_size for case in split} == set(block_sizes(PROFILES["smoke"].bytes))
    monkeypatch.setattr(blocks, "logical_cores", lambda: 1)
    assert {case.threads for case in cases("blocks")} == {1}


def test_a_block_longer_than_the_message_is_the_message_once(cases: Cases) -> None:
    found = cases("blocks", implementations=[GCM], block_sizes=[1 << 20, 1 << 24, 1 << 25])
    assert [case.block_size for case in found if (case.implementation, case.engine) == (GCM, "parsplit")] == [1 << 20]


def test_lengths_grow_fourfold_up_to_the_largest() -> None:
    assert sizes(1 << 20) == (4096, 16384, 65536, 1 << 18, 1 << 20)
    assert sizes(5000) == (4096, 5000)
    assert sizes(100) == (100,)


def test_memory_has_both_placements_and_all_cores_and_asks_for_the_papers_cpu(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "logical_cores", lambda: 5)
    found = cases("memory")
    own = [case for case in found if case.implementation == GCM]
    assert {case.placement for case in own if case.engine == "whole"} == {"separate", "in-place"}
    assert [case.threads for case in own if case.engine == "parsplit"] == [1, 5]
    assert find_study("memory").masks == ("zen2",)
    monkeypatch.setattr(memory, "logical_cores", lambda: 1)
    assert 2 in {case.threads for case in cases("memory")}


def test_everything_is_everything_once(cases: Cases, catalogue: Catalogue) -> None:
    found = cases("everything", "quick")
    names = [case.implementation for case in found]
    # Generators have a study of their own, and of one algorithm's several ways the plain one is enough.
    asked = {
        one.name
        for one in catalogue
        if one.description.library != "baseline" and one.description.kind != "generator" and "." not in one.name
    }
    assert sorted(names) == sorted(asked | {*BASELINES})
    assert {case.bytes for case in found} == {256 << 10}
    assert {case.op for case in found} == {"seal", "encrypt", "digest"}
    assert 20 < len(cases("everything")) < 60, "smoke shows that it runs"
