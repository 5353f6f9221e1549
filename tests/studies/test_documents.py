"""Cases of the studies of Tor, NetBSD, Ciphers and Rust in each profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from aeadlab._native import MAX_THREADS
from aeadlab.bench.case import Case
from aeadlab.bench.plan import CELL_RUNS, Plan, with_noise_pairs
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.errors import ArgumentError
from aeadlab.stats.processes import smallest_count
from aeadlab.studies import Selection, find_study
from aeadlab.studies.candidates import BASELINES
from aeadlab.studies.ciphers import study as block_ciphers
from aeadlab.studies.ciphers.study import ALGORITHMS, QUICK_LIBRARIES, SIZES_SECONDS
from aeadlab.studies.netbsd import study as generators
from aeadlab.studies.netbsd.study import ALGORITHMS as GENERATORS
from aeadlab.studies.rust.study import ADDED, OPENSSL_SPEED_SIZE, PUBLISHED, SIZES
from aeadlab.studies.tor.study import CURRENT, OPENSSLS, OWN
from aeadlab.verdicts import published

Cases = Callable[..., list[Case]]
each_profile = pytest.mark.parametrize("profile", PROFILES)
FORMS = ("per-thread", "locked", "unlocked", "inlined")
GIB = 1 << 30


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setattr(generators, "process_cores", lambda: 12)

    def make(study: str, profile: str = "quick", size: int | None = None, **chosen: object) -> list[Case]:
        changed = PROFILES[profile].with_changes(bytes=size)
        return find_study(study).cases(catalogue, changed, Selection.of(**chosen))

    return make


def of(declared: list[Case], name: str) -> list[Case]:
    return [case for case in declared if case.implementation == name]


@pytest.mark.parametrize(("profile", "largest"), [("smoke", 10**6), ("quick", 10**8), ("paper", 10**8)])
def test_message_sizes_include_openssl_speed(cases: Cases, profile: str, largest: int) -> None:
    declared = cases("message-sizes", profile)
    sizes = sorted({case.bytes for case in of(declared, "ring/aes-256-gcm")})
    assert sizes == [size for size in SIZES if size <= largest] and sizes[0] == 16
    rows = published.load("Rust")
    document = {int(size) for size in rows.loc[rows["quantity"].eq("time"), "bytes"]}
    assert len(document) == 6 and {size for size in document if size <= largest} <= {*sizes}
    speed = {int(size) for size in rows.loc[rows["variant"].eq("openssl speed"), "bytes"]}
    assert speed == {16, 64, 256, 1024, 8192, 16384} and speed <= {*sizes, OPENSSL_SPEED_SIZE}
    alone = {case.implementation for case in declared if case.bytes == OPENSSL_SPEED_SIZE}
    assert {"openssl-system/aes-256-gcm", "openssl-system/chacha20-poly1305"} <= alone
    assert all(name.startswith("openssl-system/") for name in alone)
    assert {case.op for case in declared if case.implementation not in BASELINES} == {"seal"}
    assert {case.threads for case in declared} == {1}


@each_profile
def test_message_sizes_have_every_model_of_a_library(cases: Cases, catalogue: Catalogue, profile: str) -> None:
    declared = cases("message-sizes", profile)
    for name in (*PUBLISHED, *ADDED, *BASELINES):
        own = [case for case in of(declared, name) if not case.aad_bytes]
        models = catalogue.find(name).models
        assert {case.model for case in own} == {*models}
        python = name.startswith(("pyca/", "pycryptodome/"))
        assert {case.engine for case in own} == {"python" if python else "whole"}
        assert len(own) == len(models) * len({case.bytes for case in own})
    assert {case.model for case in of(declared, "pyca/aes-256-gcm")} == {"oneshot", "keyed"}
    assert {case.model for case in of(declared, "pycryptodome/aes-256-gcm")} == {"oneshot"}
    assert {*PUBLISHED} == set(published.lookup("Rust", quantity="time")["implementation"])


def test_paper_has_all_aeads_and_full_rounds_for_named(cases: Cases, catalogue: Catalogue) -> None:
    declared = cases("message-sizes", "paper")
    every = {one.name for one in catalogue if one.description.kind == "aead" and one.description.library != "baseline"}
    assert {case.implementation for case in declared} == {*every, *BASELINES} and len(every) > 100
    study = find_study("message-sizes")
    assert {*study.named} == {*PUBLISHED, *ADDED}
    plan = Plan("message-sizes", PROFILES["paper"], tuple(declared), named=study.named)
    rounds = {case.implementation: plan.rounds_of(index) for index, case in enumerate(declared)}
    assert rounds["ring/aes-256-gcm"] == 100 and rounds["openssl/aes-256-ccm"] == PROFILES["paper"].others == 12
    assert {case.implementation for case in cases("message-sizes", "quick")} == {*PUBLISHED, *ADDED, *BASELINES}


def test_selection_limits_names_and_lengths(cases: Cases) -> None:
    declared = cases("message-sizes", "quick", 1000, implementations=["openssl/aes-256-gcm", "gone/aes-256-gcm"])
    assert {case.implementation for case in declared} == {*BASELINES, "openssl/aes-256-gcm", "gone/aes-256-gcm"}
    assert {case.bytes for case in declared} == {16, 64, 100, 256, 1000}
    assert {case.model for case in of(declared, "gone/aes-256-gcm")} == {"oneshot", "keyed"}
    assert {case.bytes for case in cases("message-sizes", "quick", 0, implementations=["openssl/aes-256-gcm"])} == {16}


@pytest.mark.parametrize(
    ("profile", "budget", "has"),
    [
        ("smoke", None, False), ("quick", None, False), ("quick", SIZES_SECONDS - 1, False),
        ("quick", SIZES_SECONDS, True), ("paper", None, True), ("paper", SIZES_SECONDS - 1, False),
    ],
)  # fmt: skip
def test_block_ciphers_have_the_lengths_of_the_document_where_there_is_time(
    catalogue: Catalogue, profile: str, budget: float | None, has: bool
) -> None:
    effort = PROFILES[profile].with_changes(budget=budget)
    declared = find_study("block-ciphers").cases(catalogue, effort, Selection())
    short = {10**5, 10**6}
    document = published.lookup("Ciphers", quantity="CPU time")
    assert {int(size) for size in document["bytes"]} == {*block_ciphers.SIZES}
    printed = set(document.loc[document["place"].str.startswith("Table"), "implementation"])
    assert {*block_ciphers.PUBLISHED} == printed
    for name in (*printed, "openssl/des-ecb", "baseline/memcpy"):
        assert {case.bytes for case in of(declared, name)} == {*short, *(block_ciphers.SIZES if has else ())}
    others = {case.implementation for case in declared} - {*printed, "openssl/des-ecb", *BASELINES}
    assert "openssl/des-cbc" in others
    for name in others:
        assert {(case.op, case.bytes) for case in of(declared, name)} == {*product(("encrypt", "decrypt"), short)}
    assert {case.op for case in of(declared, "baseline/xor")} == {"encrypt"}
    assert max(case.bytes for case in declared) <= effort.bytes


def test_lengths_of_the_document_are_stated(cases: Cases) -> None:
    stated = find_study("block-ciphers").fixed_lengths
    assert all(text in stated for text in ("100 kB", "1 MB", "100 and 1000 MB", "paper", f"{SIZES_SECONDS:.0f} s"))
    selected = cases("block-ciphers", "paper", implementations=["openssl/des-cbc"])
    assert {case.bytes for case in of(selected, "openssl/des-cbc")} == {*block_ciphers.SIZES}


@pytest.mark.parametrize(
    ("size", "small"), [(0, 1000), (10**4, 1000), (10**5 - 1, 1000), (10**6, 10**5), (GIB, 10**8), (4 * GIB, 10**8)]
)
def test_size_limits_the_larger_message(cases: Cases, size: int, small: int) -> None:
    declared = cases("block-ciphers", "quick", size, implementations=["openssl/aes-128-ecb"])
    assert {case.bytes for case in declared} == {small, 10 * small}


@pytest.mark.parametrize(
    ("profile", "libraries"), [("smoke", ("openssl",)), ("quick", QUICK_LIBRARIES), ("paper", None)]
)
def test_block_ciphers_cover_the_libraries_of_a_profile(
    cases: Cases, catalogue: Catalogue, profile: str, libraries: tuple[str, ...] | None
) -> None:
    declared = {case.implementation for case in cases("block-ciphers", profile)}
    here = {one.name for one in catalogue if one.description.algorithm in ALGORITHMS}
    assert declared - {*BASELINES} == {name for name in here if not libraries or name.partition("/")[0] in libraries}
    assert ("rustcrypto/3des-ctr" in declared) == (profile != "smoke")
    assert "openssl/3des-ctr" not in declared and "openssl/3des-ecb" in declared, "OpenSSL has no CTR with Triple-DES"
    document = set(published.lookup("Ciphers", quantity="CPU time")["implementation"])
    assert len(document) == 6 * 3 + 2 and document <= declared
    assert not any("-192-" in name or "gcm" in name for name in declared)


def test_only_aes_is_masked(cases: Cases) -> None:
    study = find_study("block-ciphers")
    assert study.masks == ("no-aes",)
    masked = {case.implementation for case in cases("block-ciphers") if study.masked(case)}
    assert {name.partition("/")[2][:4] for name in masked} == {"aes-"}
    assert "openssl/aes-256-cbc" in masked and len(masked) == 6 * len(QUICK_LIBRARIES)


def test_selected_block_ciphers_may_be_absent(cases: Cases) -> None:
    declared = cases("block-ciphers", implementations=["openssl/aes-128-cbc", "gone/aria-128-cbc", "pyca/aes-128-ctr"])
    assert {case.implementation for case in declared} == {
        *BASELINES,
        "openssl/aes-128-cbc",
        "gone/aria-128-cbc",
        "pyca/aes-128-ctr",
    }
    assert {case.op for case in of(declared, "gone/aria-128-cbc")} == {"encrypt", "decrypt"}
    assert {case.engine for case in of(declared, "pyca/aes-128-ctr")} == {"python"}


@each_profile
def test_cells_have_both_sizes_and_all_variants(cases: Cases, profile: str) -> None:
    declared = cases("cells", profile)
    assert {case.implementation for case in declared} == {*BASELINES, *CURRENT, *OPENSSLS, *OWN}
    for name in (*CURRENT, *OPENSSLS, *OWN, *BASELINES):
        assert {case.bytes for case in of(declared, name) if case.engine == "whole"} == {509, 512}
        assert len([case for case in of(declared, name) if case.engine == "cells"]) == (name not in BASELINES)
    assert {(case.op, case.model, case.threads) for case in declared} == {("encrypt", "keyed", 1)}
    rows = published.lookup("Tor", quantity="time for a million cells")
    named = {"evp": "evp-block", "low-level": "aes-encrypt"}
    codes = {variant.partition(" -O")[::2] for variant in map(str, rows["variant"])}
    measured = {name.partition(".")[2] for name in (*OWN, *OPENSSLS)}
    assert {f"{named.get(code, code)}-o{level}" for code, level in codes} <= measured


@pytest.mark.parametrize(("profile", "count"), [("smoke", 1024), ("quick", 10**6), ("paper", 10**6)])
def test_whole_runs_are_a_million_cells(cases: Cases, profile: str, count: int) -> None:
    declared = with_noise_pairs(cases("cells", profile))
    plan = Plan("cells", PROFILES[profile], declared)
    runs = [(case, plan.rounds_of(index)) for index, case in enumerate(declared) if case.engine == "cells"]
    assert {(case.bytes // 509, case.block_size, rounds) for case, rounds in runs} == {
        (count, 509, min(CELL_RUNS, PROFILES[profile].rounds))
    }
    assert smallest_count() <= CELL_RUNS, "the document's three runs have no interval without a distribution"
    single = {plan.rounds_of(index) for index, case in enumerate(declared) if case.engine != "cells"}
    assert single == {PROFILES[profile].rounds}
    assert [case.implementation for case, _ in runs if case.replica] == [CURRENT[0]], "the fastest is the A/A pair"


@pytest.mark.parametrize(("size", "count"), [(0, 1), (100, 1), (2048, 2), (4 * GIB, 10**6)])
def test_size_limits_the_number_of_cells(cases: Cases, size: int, count: int) -> None:
    declared = cases("cells", "quick", size, implementations=["openssl/aes-128-ctr"])
    assert [case.bytes // 509 for case in declared if case.engine == "cells"] == [count]


def test_python_libraries_have_no_whole_runs(cases: Cases) -> None:
    declared = cases("cells", implementations=["pyca/aes-128-ctr", "gone/aes-128-ctr.plain"])
    assert {case.engine for case in of(declared, "pyca/aes-128-ctr")} == {"python"}
    assert {case.op for case in of(declared, "gone/aes-128-ctr.plain")} == {"encrypt"}


@each_profile
def test_generators_have_short_and_long_requests(cases: Cases, profile: str) -> None:
    declared = cases("generators", profile)
    names = [f"generators/{algorithm}.{form}" for algorithm, form in generators.forms()]
    assert len(GENERATORS) == 9 and len(names) == 9 * len(FORMS) + 4
    assert list(dict.fromkeys(case.implementation for case in declared)) == names
    short = {"smoke": 65_536, "quick": 10**6, "paper": 10**6}[profile]
    usual = {"smoke": 8192, "quick": 1 << 20, "paper": 1 << 23}[profile]
    compared = {"smoke": 1 << 17, "quick": 1 << 24, "paper": 1 << 24}[profile]
    for name in names:
        own = [case for case in of(declared, name) if not case.is_whole_run]
        words = [case for case in own if case.block_size != 256]
        block = 0 if name.endswith((".inlined", ".called", ".branched")) else 4
        each = compared if name.partition("/")[2] in generators.PUBLISHED else usual
        assert words == [Case(name, "generate", 4 * short, block_size=block)]
        streams = [(case.threads, case.bytes) for case in own if case.block_size == 256]
        only_words = name.endswith((".called", ".branched"))
        assert streams == [] if only_words else [(1, each), (4, 4 * each), (12, 12 * each)]


def test_generators_cover_the_catalogue(cases: Cases, catalogue: Catalogue) -> None:
    here = {one.name for one in catalogue if one.description.kind == "generator"}
    assert here == {case.implementation for case in cases("generators")}


def test_only_paper_has_the_runs_of_the_document(cases: Cases) -> None:
    declared = cases("generators", "paper")
    plan = Plan("generators", PROFILES["paper"], declared)
    runs = [(index, case) for index, case in enumerate(declared) if case.bytes >= GIB]
    six = {f"generators/rc4.{form}" for form in ("locked", "unlocked", "per-thread", "looked-up")}
    six |= {"generators/hc-128.looked-up", "generators/hc-128.inlined"}
    expected = {(name, count * 4 * 10**9, count, 256) for name in six for count in (1, 4)}
    assert {(case.implementation, case.bytes, case.threads, case.block_size) for _, case in runs} == expected
    assert (
        {plan.rounds_of(index) for index, _ in runs} == {3} == {published.number("NetBSD", quantity="runs per median")}
    )
    kernels = published.load("NetBSD").query("quantity == 'scaling factor'").shape[0]
    assert len(runs) == 2 * 6 == 2 * (kernels + 1), "two forms stand for ARC4 without a lock"
    for profile in ("smoke", "quick"):
        assert max(case.bytes for case in cases("generators", profile)) < GIB
    large = cases("generators", "quick", GIB)
    assert max(case.bytes for case in large) == 16 * 10**9, "a selected size is used unchanged"


def test_selected_threads_are_stream_counts(cases: Cases) -> None:
    declared = cases("generators", threads=[8, 2], implementations=["generators/rc4.locked", "generators/rc4.inlined"])
    assert {case.implementation for case in declared} == {"generators/rc4.locked", "generators/rc4.inlined"}
    long = [case for case in of(declared, "generators/rc4.locked") if case.block_size == 256]
    assert [case.threads for case in long] == [1, 2, 8], "scaling factors are relative to one stream"
    assert len({case.bytes // case.threads for case in long}) == 1, "each stream generates the same number of bytes"
    assert [case.threads for case in declared if case.block_size != 256] == [1, 1]


@pytest.mark.parametrize(("cores", "counts"), [(1, [1, 4]), (4, [1, 4]), (6, [1, 4, 6]), (512, [1, 4, MAX_THREADS])])
def test_stream_counts_are_1_and_4_and_the_number_of_cores(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, cores: int, counts: list[int]
) -> None:
    monkeypatch.setattr(generators, "process_cores", lambda: cores)
    declared = find_study("generators").cases(catalogue, PROFILES["quick"], Selection())
    own = of(declared, "generators/chacha20.per-thread")
    assert [case.threads for case in own if case.block_size == 256] == counts


def test_rejects_stream_counts_out_of_range(cases: Cases) -> None:
    for wrong in (0, -1, MAX_THREADS + 1):
        with pytest.raises(ArgumentError, match=rf"^threads {wrong}: expected 1 to {MAX_THREADS}$"):
            cases("generators", threads=[wrong])


def test_an_empty_selection_is_reported(cases: Cases) -> None:
    declared = cases("generators", implementations=["openssl/aes-256-gcm"])
    assert declared == []
    with pytest.raises(
        ArgumentError, match="^study generators has no cases for this selection: select other implementations$"
    ):
        Plan("generators", PROFILES["quick"], tuple(declared))


@pytest.mark.parametrize("size", [0, 1, 100])
def test_small_sizes_have_at_least_one_byte(cases: Cases, size: int) -> None:
    declared = cases("generators", "quick", size)
    assert min(case.bytes for case in declared) >= 1
    assert all(case.bytes % case.threads == 0 for case in declared)


@pytest.mark.parametrize("study", ["message-sizes", "block-ciphers", "cells", "generators"])
def test_the_number_of_samples_does_not_change_the_cases(catalogue: Catalogue, study: str) -> None:
    quick, paper = PROFILES["quick"], PROFILES["paper"]
    changed = (quick, quick.with_changes(samples=50), quick.with_changes(samples=100), replace(quick, name="other"))
    one, *others = (find_study(study).cases(catalogue, profile, Selection()) for profile in changed)
    assert len(set(one)) == len(one) and others == [one] * 3
    thorough = (find_study(study).cases(catalogue, p, Selection()) for p in (paper, paper.with_changes(samples=99)))
    assert next(thorough) == next(thorough)
