"""Cases of the studies of threads, block sizes, memory and the whole catalogue."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.studies import Selection, find_study
from aeadlab.studies.candidates import BASELINES, PAPER_AEADS, PARSPLIT_AEADS
from aeadlab.studies.eth.baselines import study as baselines
from aeadlab.studies.eth.block_sizes.study import block_sizes
from aeadlab.studies.eth.speedup import study as speedup
from aeadlab.studies.eth.speedup.study import thread_counts
from aeadlab.studies.memory import study as memory
from aeadlab.studies.memory.study import sizes
from aeadlab.studies.rust import study as rust

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
def test_thread_counts_exceed_the_logical_cores(cores: int, counts: tuple[int, ...]) -> None:
    assert thread_counts(cores) == counts


def test_speedup_has_both_ops_at_each_thread_count(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speedup, "process_cores", lambda: 3)
    declared = cases("speedup")
    assert {case.implementation for case in declared} == {*BASELINES, *PARSPLIT_AEADS, "blake3-rayon/blake3"}
    assert {*PAPER_AEADS} < {*PARSPLIT_AEADS}
    for op in ("seal", "open"):
        own = [case for case in declared if case.implementation == GCM and case.op == op]
        split = [case for case in own if case.engine == "parsplit"]
        assert [case.threads for case in split if case.model == "keyed"] == [1, 2, 3, 4, 5, 6]
        published = [(case.threads, case.schedule, case.block_size) for case in split if case.model == "rekeyed"]
        assert published == [(n, "rayon", 16 << 10) for n in range(1, 7)]
        assert [case.threads for case in own if case.engine == "whole"] == [1]
    hashing = [case for case in declared if case.op == "digest"]
    assert [case.threads for case in hashing] == [1, 2, 3, 4, 5, 6] and {c.engine for c in hashing} == {"whole"}


def test_selected_threads_include_one_as_reference(cases: Cases) -> None:
    declared = cases("speedup", threads=[4], implementations=[GCM], block_sizes=[4096])
    split = [case for case in declared if case.engine == "parsplit"]
    assert {case.threads for case in split} == {1, 4} and {case.block_size for case in split} == {4096}


def test_absent_implementations_have_cases(cases: Cases) -> None:
    for study in ("speedup", "blocks", "memory", "everything"):
        assert [case for case in cases(study, implementations=["gone/aes-256-gcm"]) if "gone" in case.implementation]


def test_block_sizes_are_powers_of_two_up_to_the_message() -> None:
    assert block_sizes(1 << 30) == tuple(1 << power for power in range(10, 31))
    assert block_sizes(5000) == (1024, 2048, 4096, 5000)
    assert block_sizes(100) == (100,)
    assert block_sizes(0) == (1,)


def test_blocks_use_half_of_the_cores(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    from aeadlab.studies.eth.block_sizes import study as blocks

    monkeypatch.setattr(blocks, "process_cores", lambda: 12)
    split = [case for case in cases("blocks") if case.engine == "parsplit"]
    assert {case.threads for case in split} == {6, 12} and {case.op for case in split} == {"seal", "encrypt"}
    published = [case for case in split if case.schedule == "rayon"]
    assert {case.implementation for case in published} == {*PAPER_AEADS, "baseline/xor"}
    assert {case.threads for case in published} == {6, 12}
    assert {case.block_size for case in split} == set(block_sizes(PROFILES["smoke"].bytes))
    monkeypatch.setattr(blocks, "process_cores", lambda: 1)
    assert {case.threads for case in cases("blocks")} == {1}


def test_block_sizes_are_limited_by_the_message(cases: Cases) -> None:
    declared = cases("blocks", implementations=[GCM], block_sizes=[1 << 20, 1 << 24, 1 << 25])
    split = [case for case in declared if (case.implementation, case.engine) == (GCM, "parsplit")]
    assert {case.block_size for case in split} == {1 << 20}


def test_lengths_grow_fourfold() -> None:
    assert sizes(1 << 20) == (4096, 16384, 65536, 1 << 18, 1 << 20)
    assert sizes(5000) == (4096, 5000)
    assert sizes(100) == (100,)


def test_memory_has_both_placements_and_all_cores(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "process_cores", lambda: 5)
    declared = cases("memory")
    own = [case for case in declared if case.implementation == GCM]
    assert {case.placement for case in own if case.engine == "whole"} == {"separate", "in-place"}
    assert [case.threads for case in own if case.engine == "parsplit"] == [1, 5]
    assert find_study("memory").masks == ("zen2",)
    monkeypatch.setattr(memory, "process_cores", lambda: 1)
    assert 2 in {case.threads for case in cases("memory")}


def test_everything_has_each_implementation_once(cases: Cases, catalogue: Catalogue) -> None:
    declared = [case for case in cases("everything", "quick") if case.bytes == 256 << 10]
    names = [case.implementation for case in declared]
    # Generators and files have studies of their own, and variants of an algorithm are not included.
    selected = {
        one.name
        for one in catalogue
        if one.description.library != "baseline"
        and one.description.kind not in ("generator", "file")
        and "." not in one.name
    }
    assert sorted(names) == sorted(selected | {*BASELINES})
    assert {case.op for case in declared} == {"seal", "encrypt", "digest"}
    assert 20 < len(cases("everything")) < 60, "smoke has a selection of the implementations"


def test_baselines_seal_with_each_length_of_associated_data(cases: Cases) -> None:
    for profile, lengths in (("smoke", [0, 32]), ("quick", [0, 13, 32, 1 << 10, 64 << 10, 1 << 20]), ("paper", None)):
        declared = cases("baselines", profile)
        longest = {case.bytes for case in declared}
        for name in PAPER_AEADS:
            own = [c for c in declared if (c.implementation, c.op, c.engine) == (name, "seal", "whole")]
            assert [case.aad_bytes for case in own] == (lengths or list(baselines.AAD_BYTES))
            assert {case.bytes for case in own} == longest == {PROFILES[profile].bytes}
        others = [case for case in declared if case.aad_bytes]
        assert {(c.implementation, c.op, c.engine) for c in others} == {(n, "seal", "whole") for n in PAPER_AEADS}
    assert not [c for c in cases("baselines", implementations=["ring/aes-256-gcm"]) if c.aad_bytes]


def test_message_sizes_has_the_cases_of_the_document(cases: Cases) -> None:
    declared = cases("message-sizes", "quick")
    own = [case for case in declared if case.aad_bytes or case.placement != "separate"]
    assert {(c.placement, c.aad_bytes, c.engine, c.model, c.op) for c in own} == {
        ("in-place", 32, "whole", "keyed", "seal")
    }
    assert sorted((c.implementation, c.bytes) for c in own) == sorted(
        (name, size) for name in rust.PUBLISHED for size in rust.PUBLISHED_SIZES
    )
    assert {case.bytes for case in cases("message-sizes") if case.aad_bytes} <= {*rust.PUBLISHED_SIZES}
