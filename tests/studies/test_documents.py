"""The studies of the documents after ETH's: which cases they make in each profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from aeadlab import published
from aeadlab.bench.case import Case
from aeadlab.bench.plan import WHOLE_RUNS, Plan, with_noise_pair
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.errors import ArgumentError
from aeadlab.figures import message_sizes
from aeadlab.studies import Selection, find_study, generators
from aeadlab.studies.block_ciphers import ALGORITHMS, FEW
from aeadlab.studies.cells import OPENSSLS, OWN, TODAY
from aeadlab.studies.generators import ALGORITHMS as GENERATORS
from aeadlab.studies.lineup import BASELINES
from aeadlab.studies.message_sizes import OF_SPEED, PUBLISHED, SINCE, SIZES

Cases = Callable[..., list[Case]]
each_profile = pytest.mark.parametrize("profile", PROFILES)
FORMS = ("per-thread", "locked", "unlocked", "inlined")
GIB = 1 << 30


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setattr(generators, "logical_cores", lambda: 12)

    def make(study: str, profile: str = "quick", size: int | None = None, **chosen: object) -> list[Case]:
        changed = PROFILES[profile].with_changes(bytes=size)
        return find_study(study).cases(catalogue, changed, Selection.of(**chosen))

    return make


def of(found: list[Case], name: str) -> list[Case]:
    return [case for case in found if case.implementation == name]


@pytest.mark.parametrize(("profile", "largest"), [("smoke", 10**6), ("quick", 10**8), ("paper", 10**8)])
def test_messages_have_the_document_s_sizes_and_those_of_openssl_speed(
    cases: Cases, profile: str, largest: int
) -> None:
    found = cases("message-sizes", profile)
    sizes = sorted({case.bytes for case in of(found, "ring/aes-256-gcm")})
    assert sizes == [size for size in SIZES if size <= largest] and sizes[0] == 16
    rows = published.load("Rust")
    document = {int(size) for size in rows.loc[rows["quantity"].eq("time"), "bytes"]}
    assert len(document) == 6 and {size for size in document if size <= largest} <= {*sizes}
    speed = {int(size) for size in rows.loc[rows["variant"].eq("openssl speed"), "bytes"]}
    assert speed == {16, 64, 256, 1024, 8192, 16384} and speed <= {*sizes, OF_SPEED}
    alone = {case.implementation for case in found if case.bytes == OF_SPEED}
    assert {"openssl-system/aes-256-gcm", "openssl-system/chacha20-poly1305"} <= alone
    assert all(name.startswith("openssl-system/") for name in alone)
    assert {case.op for case in found if case.implementation not in BASELINES} == {"seal"}
    assert {case.threads for case in found} == {1}


@each_profile
def test_messages_are_sealed_with_key_set_up_and_without_where_the_library_has_both(
    cases: Cases, catalogue: Catalogue, profile: str
) -> None:
    found = cases("message-sizes", profile)
    for name in (*PUBLISHED, *SINCE, *BASELINES):
        own, models = of(found, name), catalogue.find(name).models
        assert {case.model for case in own} == {*models}
        python = name.startswith(("pyca/", "pycryptodome/"))
        assert {case.engine for case in own} == {"python" if python else "whole"}
        assert len(own) == len(models) * len({case.bytes for case in own})
    assert {case.model for case in of(found, "pyca/aes-256-gcm")} == {"oneshot", "keyed"}
    assert {case.model for case in of(found, "pycryptodome/aes-256-gcm")} == {"oneshot"}
    assert {*PUBLISHED} == set(published.lookup("Rust", quantity="time")["implementation"])


def test_a_thorough_run_has_every_aead_once_and_gives_the_document_s_all_rounds(
    cases: Cases, catalogue: Catalogue
) -> None:
    found = cases("message-sizes", "paper")
    every = {one.name for one in catalogue if one.description.kind == "aead" and one.description.library != "baseline"}
    assert {case.implementation for case in found} == {*every, *BASELINES} and len(every) > 100
    study = find_study("message-sizes")
    assert {*study.named} == {*PUBLISHED, *SINCE}
    plan = Plan("message-sizes", PROFILES["paper"], tuple(found), named=study.named)
    rounds = {case.implementation: plan.rounds_of(index) for index, case in enumerate(found)}
    assert rounds["ring/aes-256-gcm"] == 100 and rounds["openssl/aes-256-ccm"] == PROFILES["paper"].others == 12
    assert {case.implementation for case in cases("message-sizes", "quick")} == {*PUBLISHED, *SINCE, *BASELINES}


def test_the_figure_of_a_thorough_run_draws_what_the_study_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue's hundreds have no room."""
    given: list[object] = []
    monkeypatch.setattr(message_sizes, "message_size_times", lambda *arguments: given.append(arguments))
    samples = pd.DataFrame()
    find_study("message-sizes").figures["message-sizes"](samples, "ieee")
    assert given == [(samples, "ieee", (*PUBLISHED, *SINCE))]


def test_chosen_messages_are_of_those_implementations_and_that_length_at_most(cases: Cases) -> None:
    found = cases("message-sizes", "quick", 1000, implementations=["openssl/aes-256-gcm", "gone/aes-256-gcm"])
    assert {case.implementation for case in found} == {*BASELINES, "openssl/aes-256-gcm", "gone/aes-256-gcm"}
    assert {case.bytes for case in found} == {16, 64, 100, 256, 1000}
    assert {case.model for case in of(found, "gone/aes-256-gcm")} == {"oneshot", "keyed"}
    assert {case.bytes for case in cases("message-sizes", "quick", 0, implementations=["openssl/aes-256-gcm"])} == {16}


@pytest.mark.parametrize(
    ("profile", "sizes"), [("smoke", {10**5, 10**6}), ("quick", {10**5, 10**6}), ("paper", {10**8, 10**9})]
)
def test_block_ciphers_have_two_sizes_that_are_a_factor_of_ten_apart(
    cases: Cases, profile: str, sizes: set[int]
) -> None:
    found = cases("block-ciphers", profile)
    for name in ("openssl/aes-128-ecb", "openssl/3des-cbc", "baseline/memcpy"):
        assert {case.bytes for case in of(found, name)} == sizes
    ops = {(case.op, case.bytes) for case in of(found, "openssl/camellia-256-ctr")}
    assert ops == {(op, size) for op in ("encrypt", "decrypt") for size in sizes}
    assert {case.op for case in of(found, "baseline/xor")} == {"encrypt"}
    document = published.lookup("Ciphers", quantity="CPU time")
    if profile == "paper":
        assert {int(size) for size in document["bytes"]} == sizes
    assert max(case.bytes for case in found) <= PROFILES[profile].bytes


@pytest.mark.parametrize(
    ("size", "small"), [(0, 1000), (10**4, 1000), (10**5 - 1, 1000), (10**6, 10**5), (GIB, 10**8), (4 * GIB, 10**8)]
)
def test_a_size_is_room_for_the_larger_one(cases: Cases, size: int, small: int) -> None:
    found = cases("block-ciphers", "quick", size, implementations=["openssl/aes-128-ecb"])
    assert {case.bytes for case in found} == {small, 10 * small}


@pytest.mark.parametrize(("profile", "libraries"), [("smoke", ("openssl",)), ("quick", FEW), ("paper", None)])
def test_every_cipher_key_and_mode_is_measured_in_every_library_that_a_profile_has_time_for(
    cases: Cases, catalogue: Catalogue, profile: str, libraries: tuple[str, ...] | None
) -> None:
    found = {case.implementation for case in cases("block-ciphers", profile)}
    here = {one.name for one in catalogue if one.description.algorithm in ALGORITHMS}
    assert found - {*BASELINES} == {name for name in here if not libraries or name.partition("/")[0] in libraries}
    assert ("rustcrypto/3des-ctr" in found) == (profile != "smoke")
    assert "openssl/3des-ctr" not in found and "openssl/3des-ecb" in found, "OpenSSL has no CTR with Triple-DES"
    document = set(published.lookup("Ciphers", quantity="CPU time")["implementation"])
    assert len(document) == 6 * 3 + 2 and document <= found
    assert not any("-192-" in name or "gcm" in name for name in found)


def test_only_aes_is_hidden_from_block_ciphers(cases: Cases) -> None:
    study = find_study("block-ciphers")
    assert study.masks == ("no-aes",)
    masked = {case.implementation for case in cases("block-ciphers") if study.masked(case)}
    assert {name.partition("/")[2][:4] for name in masked} == {"aes-"}
    assert "openssl/aes-256-cbc" in masked and len(masked) == 6 * len(FEW)


def test_chosen_block_ciphers_are_those_and_absent_ones_are_named(cases: Cases) -> None:
    found = cases("block-ciphers", implementations=["openssl/aes-128-cbc", "gone/aria-128-cbc", "pyca/aes-128-ctr"])
    assert {case.implementation for case in found} == {
        *BASELINES,
        "openssl/aes-128-cbc",
        "gone/aria-128-cbc",
        "pyca/aes-128-ctr",
    }
    assert {case.op for case in of(found, "gone/aria-128-cbc")} == {"encrypt", "decrypt"}
    assert {case.engine for case in of(found, "pyca/aes-128-ctr")} == {"python"}


@each_profile
def test_cells_are_509_and_512_bytes_of_the_document_s_ways_and_today_s(cases: Cases, profile: str) -> None:
    found = cases("cells", profile)
    assert {case.implementation for case in found} == {*BASELINES, *TODAY, *OPENSSLS, *OWN}
    for name in (*TODAY, *OPENSSLS, *OWN, *BASELINES):
        assert {case.bytes for case in of(found, name) if case.engine == "whole"} == {509, 512}
        assert len([case for case in of(found, name) if case.engine == "cells"]) == (name not in BASELINES)
    assert {(case.op, case.model, case.threads) for case in found} == {("encrypt", "keyed", 1)}
    ways = {
        str(way).replace(" -O", "-o") for way in published.lookup("Tor", quantity="time for a million cells")["variant"]
    }
    own = {name.partition(".")[2] for name in OWN}
    assert {way for way in ways if not way.startswith(("evp", "low-level"))} <= own
    assert {
        f"{library}/aes-128-ctr{way}" for library in ("openssl", "openssl-system") for way in ("", ".aes-encrypt")
    } == {*OPENSSLS}


@pytest.mark.parametrize(("profile", "count"), [("smoke", 1024), ("quick", 10**6), ("paper", 10**6)])
def test_whole_runs_are_a_million_cells_of_509_bytes_three_times(cases: Cases, profile: str, count: int) -> None:
    found = with_noise_pair(cases("cells", profile))
    plan = Plan("cells", PROFILES[profile], found)
    runs = [(case, plan.rounds_of(index)) for index, case in enumerate(found) if case.engine == "cells"]
    assert {(case.bytes // 509, case.block_size, rounds) for case, rounds in runs} == {(count, 509, 3)}
    assert WHOLE_RUNS == 3 == published.number("Tor", quantity="runs per median")
    single = {plan.rounds_of(index) for index, case in enumerate(found) if case.engine != "cells"}
    assert single == {PROFILES[profile].rounds}
    assert [case.implementation for case, _ in runs if case.replica] == [TODAY[0]], "the fastest is the A/A pair"


@pytest.mark.parametrize(("size", "count"), [(0, 1), (100, 1), (2048, 2), (4 * GIB, 10**6)])
def test_a_size_of_cells_is_a_thousandth_of_it_and_one_at_least(cases: Cases, size: int, count: int) -> None:
    found = cases("cells", "quick", size, implementations=["openssl/aes-128-ctr"])
    assert [case.bytes // 509 for case in found if case.engine == "cells"] == [count]


def test_chosen_cells_are_those_and_python_makes_no_whole_runs(cases: Cases) -> None:
    found = cases("cells", implementations=["pyca/aes-128-ctr", "gone/aes-128-ctr.plain"])
    assert {case.engine for case in of(found, "pyca/aes-128-ctr")} == {"python"}
    assert {case.op for case in of(found, "gone/aes-128-ctr.plain")} == {"encrypt"}


@each_profile
def test_nine_generators_in_four_forms_are_asked_for_words_and_for_256_bytes(cases: Cases, profile: str) -> None:
    found = cases("generators", profile)
    names = [f"generators/{algorithm}.{form}" for algorithm in GENERATORS for form in FORMS]
    assert len(GENERATORS) == 9
    assert list(dict.fromkeys(case.implementation for case in found)) == names
    short = {"smoke": 65_536, "quick": 10**6, "paper": 10**6}[profile]
    each = {"smoke": 8192, "quick": 1 << 20, "paper": 1 << 23}[profile]
    for name in names:
        own = [case for case in of(found, name) if not case.is_whole_run]
        words = [case for case in own if case.block_size != 256]
        block = 0 if name.endswith(".inlined") else 4
        assert words == [Case(name, "generate", 4 * short, block_size=block)]
        streams = [(case.threads, case.bytes) for case in own if case.block_size == 256]
        assert streams == [(1, each), (4, 4 * each), (12, 12 * each)]


def test_the_generators_of_the_catalogue_are_those_of_the_study(cases: Cases, catalogue: Catalogue) -> None:
    here = {one.name for one in catalogue if one.description.kind == "generator"}
    assert here == {case.implementation for case in cases("generators")}


def test_the_document_s_runs_of_4_and_16_gb_are_in_paper_only_and_for_its_five(cases: Cases) -> None:
    found = with_noise_pair(cases("generators", "paper"))
    plan = Plan("generators", PROFILES["paper"], found)
    runs = [(index, case) for index, case in enumerate(found) if case.bytes >= GIB]
    five = {f"generators/{name}" for name in ("rc4.locked", "rc4.unlocked", "rc4.per-thread")}
    five |= {"generators/hc-128.per-thread", "generators/hc-128.inlined"}
    expected = {(name, count * 4 * 10**9, count, 256) for name in five for count in (1, 4)}
    assert {(case.implementation, case.bytes, case.threads, case.block_size) for _, case in runs} == expected
    assert (
        {plan.rounds_of(index) for index, _ in runs} == {3} == {published.number("NetBSD", quantity="runs per median")}
    )
    assert len(runs) == 2 * 5 == 2 * published.load("NetBSD").query("quantity == 'scaling factor'").shape[0]
    for profile in ("smoke", "quick"):
        assert max(case.bytes for case in cases("generators", profile)) < GIB
    large = cases("generators", "quick", GIB)
    assert max(case.bytes for case in large) == 16 * 10**9, "a size that is asked for is the one that is meant"


def test_chosen_threads_are_numbers_of_streams_beside_one(cases: Cases) -> None:
    found = cases("generators", threads=[8, 2], implementations=["generators/rc4.locked", "generators/rc4.inlined"])
    assert {case.implementation for case in found} == {"generators/rc4.locked", "generators/rc4.inlined"}
    long = [case for case in of(found, "generators/rc4.locked") if case.block_size == 256]
    assert [case.threads for case in long] == [1, 2, 8], "scaling factors are over one stream"
    assert len({case.bytes // case.threads for case in long}) == 1, "each makes as much"
    assert [case.threads for case in found if case.block_size != 256] == [1, 1]


@pytest.mark.parametrize(("cores", "counts"), [(1, [1, 4]), (4, [1, 4]), (6, [1, 4, 6]), (512, [1, 4, 256])])
def test_streams_are_as_many_as_cores_but_no_more_than_there_can_be(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, cores: int, counts: list[int]
) -> None:
    monkeypatch.setattr(generators, "logical_cores", lambda: cores)
    found = find_study("generators").cases(catalogue, PROFILES["quick"], Selection())
    own = of(found, "generators/chacha20.per-thread")
    assert [case.threads for case in own if case.block_size == 256] == counts


def test_no_streams_are_refused(cases: Cases) -> None:
    for wrong in (0, -1, 257):
        with pytest.raises(ArgumentError, match=rf"^{wrong} threads given, 1 to 256 wanted$"):
            cases("generators", threads=[wrong])


def test_generators_that_are_not_there_make_an_empty_selection_that_is_told(cases: Cases) -> None:
    found = cases("generators", implementations=["openssl/aes-256-gcm"])
    assert found == []
    with pytest.raises(ArgumentError, match="^study generators has no cases here: the selection is empty$"):
        Plan("generators", PROFILES["quick"], tuple(found))


@pytest.mark.parametrize("size", [0, 1, 100])
def test_every_execution_makes_something_however_small_the_size(cases: Cases, size: int) -> None:
    found = cases("generators", "quick", size)
    assert min(case.bytes for case in found) >= 1
    assert all(case.bytes % case.threads == 0 for case in found)


@pytest.mark.parametrize("study", ["message-sizes", "block-ciphers", "cells", "generators"])
def test_the_number_of_samples_changes_no_case(catalogue: Catalogue, study: str) -> None:
    quick = PROFILES["quick"]
    one, other = (find_study(study).cases(catalogue, p, Selection()) for p in (quick, quick.with_changes(samples=50)))
    assert one == other and len(set(one)) == len(one)
    assert one == find_study(study).cases(catalogue, replace(quick, name="other"), Selection())
