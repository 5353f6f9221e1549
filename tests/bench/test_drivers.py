from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import Driver, GeneratorDriver, NativeDriver, PythonDriver, driver, share_arena
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.adapters.base import Adapter, Row
from aeadlab.errors import ArgumentError, MeasurementError, UnknownNameError, VerificationError

SIZE = 4096
GCMS = ("openssl/aes-256-gcm", "rustcrypto/aes-256-gcm")
WALL_NS, CPU_NS, TSC_TICKS = range(3)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def ready(catalogue: Catalogue) -> Callable[..., list[Driver]]:
    """``ready(case, ...)``: the drivers of cases with a shared arena."""

    def make(*cases: Case, seed: int = 1) -> list[Driver]:
        drivers = [driver(case, catalogue, seed) for case in cases]
        share_arena(drivers, list(cases), seed)
        return drivers

    return make


def adapter(call: Callable[[], object]) -> Adapter:
    """Return a hash of a Python library that calls `call`."""
    row = Row("sha-256", "hash", lambda op, model, key, nonce, data, aad: call, tag=32)
    return Adapter(row.describe("double", "1"), row, ())


def test_the_engine_chooses_the_driver(catalogue: Catalogue) -> None:
    native, python = Case("openssl/aes-256-gcm", "seal", SIZE), Case("pyca/aes-256-gcm", "seal", SIZE, engine="python")
    assert isinstance(driver(native, catalogue, 1), NativeDriver)
    assert isinstance(driver(python, catalogue, 1), PythonDriver)


@pytest.mark.parametrize(
    ("case", "error", "message"),
    [
        (Case("openssl/aes-256-gmc", "seal", SIZE), UnknownNameError, "nearest: openssl/aes-256-g"),
        (Case("openssl/aes-256-gcm", "seal", SIZE, engine="python"), ArgumentError, "use engine whole"),
        (Case("pyca/aes-256-gcm", "seal", SIZE), ArgumentError, "use engine python"),
        (Case("openssl/aes-256-gcm", "digest", SIZE), ArgumentError, "no operation Digest"),
        (
            Case("pyca/aes-256-gcm", "digest", SIZE, engine="python"),
            ArgumentError,
            "operation 'digest' given, seal or open expected",
        ),
        (
            Case("pyca/aes-256-gcm", "seal", SIZE, engine="python", placement="in-place"),
            ArgumentError,
            "placement in-place given, use separate",
        ),
        (
            Case("pyca/aes-256-cbc", "encrypt", SIZE, engine="python", model="keyed"),
            ArgumentError,
            "model 'keyed' given, oneshot expected",
        ),
        (
            Case("openssl/aes-256-gcm", "seal", SIZE, engine="parsplit", block_size=1024, schedule="astrology"),
            ArgumentError,
            "astrology",
        ),
    ],
)
def test_rejects_cases_that_an_implementation_lacks(
    catalogue: Catalogue, case: Case, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        driver(case, catalogue, 1)


@pytest.mark.parametrize(
    "case",
    [
        Case("openssl/aes-256-gcm", "seal", SIZE),
        Case("openssl/aes-256-gcm", "open", SIZE, model="oneshot"),
        Case("openssl/aes-256-gcm", "open", SIZE, aad_bytes=32, cache="cold"),
        Case("ring/aes-256-gcm", "seal", SIZE, aad_bytes=1 << 20, placement="in-place"),
        Case("pyca/aes-256-gcm", "open", SIZE, engine="python", aad_bytes=13),
        Case("rustcrypto/aes-256-gcm", "seal", SIZE, engine="parsplit", block_size=1024, threads=2, schedule="rayon"),
        Case("baseline/xor", "decrypt", SIZE, placement="in-place"),
        Case("blake3/blake3", "digest", 0),
        Case("pyca/aes-256-gcm", "seal", SIZE, engine="python"),
        Case("pycryptodome/aes-256-gcm", "open", SIZE, engine="python", model="oneshot"),
        Case("numba/xor", "encrypt", SIZE, engine="python"),
        Case("blake3-py/blake3", "digest", 0, engine="python"),
    ],
    ids=lambda case: case.label,
)
def test_sample_times_grow_with_the_batch(ready: Callable[..., list[Driver]], case: Case) -> None:
    (one,) = ready(case)
    one.sample(1)
    began = time.monotonic_ns()
    row = one.sample(200)
    around = time.monotonic_ns() - began
    assert 0 < row[WALL_NS] <= around
    assert row[CPU_NS] >= 0 and row[TSC_TICKS] > 0
    assert len(row) == 7 and min(row) >= 0


@pytest.mark.parametrize("name", ["blake3/blake3", "blake3-py/blake3"])
def test_calibration_reaches_the_target_without_excess(ready: Callable[..., list[Driver]], name: str) -> None:
    (one,) = ready(Case(name, "digest", 64, engine="python" if "-py" in name else "whole"))
    target = 2_000_000
    batch = one.calibrate(target)
    assert batch > 100
    fastest = min(one.sample(batch)[WALL_NS] for _ in range(5))
    assert target / 3 < fastest < target * 3


def test_slow_executions_are_not_batched(ready: Callable[..., list[Driver]]) -> None:
    (one,) = ready(Case("openssl/aes-256-gcm", "seal", 1 << 20))
    assert one.calibrate(1000) == 1
    slow = PythonDriver(
        Case("double/sha-256", "digest", SIZE, engine="python"), adapter(lambda: time.sleep(0.01) or b""), 1
    )
    assert slow.calibrate(1_000_000) == 1


def test_a_batch_is_the_number_of_python_calls() -> None:
    calls: list[None] = []

    def call() -> bytes:
        calls.append(None)
        return b"digest"

    counted = PythonDriver(Case("double/sha-256", "digest", SIZE, engine="python"), adapter(call), 1)
    counted.sample(7)
    assert len(calls) == 7


def test_the_model_determines_the_timed_call() -> None:
    class Keyed(Adapter):
        models_seen: list[str] = []

        def prepare_call(self, op: str, model: str, *arguments: object) -> Callable[[], object]:
            self.models_seen.append(model)
            return lambda: b""

    row = Row("sha-256", "hash", lambda *_: lambda: b"", tag=32)
    for model in ("keyed", "oneshot"):
        PythonDriver(Case("a/b", "digest", 1, engine="python", model=model), Keyed(row.describe("a", "1"), row, ()), 1)
    assert Keyed.models_seen == ["keyed", "oneshot"]


def test_fingerprints_are_equal_for_one_algorithm_only(
    ready: Callable[..., list[Driver]],
) -> None:
    split = {"engine": "parsplit", "schedule": "dynamic"}
    groups = [
        [Case("openssl/aes-256-gcm", "seal", SIZE), Case("rustcrypto/aes-256-gcm", "seal", SIZE, model="oneshot")],
        [
            Case("openssl/aes-256-gcm", "seal", SIZE, block_size=1024, threads=2, **split),
            Case("rustcrypto/aes-256-gcm", "seal", SIZE, block_size=1024, **split),
        ],
        [Case("rustcrypto/aes-256-gcm", "seal", SIZE, block_size=512, **split)],
        [Case(name, "seal", SIZE, aad_bytes=13) for name in GCMS],
        [Case(name, "seal", SIZE, aad_bytes=1 << 20) for name in GCMS],
        [Case(name, "seal", SIZE, block_size=1024, aad_bytes=13, **split) for name in GCMS],
        [Case("baseline/memcpy", "encrypt", SIZE)],
        [Case("baseline/xor", "encrypt", SIZE)],
    ]
    cases = [case for group in groups for case in group]
    drivers = dict(zip(cases, ready(*cases), strict=True))
    for one in drivers.values():
        assert one.fingerprint is None
        one.sample(1)
    found = [{drivers[case].fingerprint for case in group} for group in groups]
    assert all(len(fingerprints) == 1 for fingerprints in found), found
    assert len(set.union(*found)) == len(groups)


def test_the_seed_determines_the_data(ready: Callable[..., list[Driver]]) -> None:
    case = Case("openssl/aes-256-gcm", "seal", SIZE)
    found = []
    for seed in (1, 1, 2):
        (one,) = ready(case, seed=seed)
        one.sample(1)
        found.append(one.fingerprint)
    assert found[0] == found[1] != found[2]


def test_interleaved_cases_share_memory_without_interference(
    ready: Callable[..., list[Driver]],
) -> None:
    cases = [
        Case("openssl/aes-256-gcm", "open", SIZE),
        Case("openssl/aes-256-gcm", "seal", SIZE, placement="in-place"),
        Case("rustcrypto/aes-256-gcm", "open", SIZE // 2, engine="parsplit", block_size=512, schedule="rayon"),
        Case("openssl/aes-256-gcm", "open", SIZE, placement="in-place"),
        Case("baseline/xor", "encrypt", SIZE),
        Case("openssl/aes-256-gcm", "open", SIZE, aad_bytes=13),
        Case("openssl/aes-256-gcm", "open", SIZE, aad_bytes=1 << 16, placement="in-place"),
    ]
    drivers = ready(*cases)
    # Each driver compares its result with the previous one and raises if it differs.
    for step in range(70):
        drivers[step * 5 % 7].sample(1)


def test_associated_data_is_part_of_the_time(ready: Callable[..., list[Driver]]) -> None:
    without, long = ready(*(Case("rustcrypto/aes-256-gcm", "seal", SIZE, aad_bytes=n) for n in (0, 64 * SIZE)))
    times = [(without.sample(5)[WALL_NS], long.sample(5)[WALL_NS]) for _ in range(5)]
    assert min(long for _, long in times) > 5 * min(without for without, _ in times)


def test_python_calls_pass_the_associated_data(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    pyca = catalogue.find("pyca/aes-256-gcm")
    assert isinstance(pyca, Adapter)
    seen: list[bytes] = []

    def prepare_call(
        op: str, model: str, key: object, nonce: object, data: object, aad: bytes, threads: int = 1
    ) -> object:
        seen.append(aad)
        return lambda: b""

    monkeypatch.setattr(pyca, "prepare_call", prepare_call)
    for op, length in (("seal", 13), ("open", 32), ("seal", 0)):
        PythonDriver(Case(pyca.name, op, SIZE, engine="python", aad_bytes=length), pyca, 1)  # type: ignore[arg-type]
    assert seen == [_native.associated_data(length) for length in (13, 32, 32, 0)]
    assert len(set(seen[1])) > 20


def test_associated_data_is_rejected_where_none_is_taken(compiled: Callable[..., Path]) -> None:
    path = compiled("faulty", FLAGS="AEADLAB_NO_ASSOCIATED_DATA")
    catalogue = load([path])
    driver(Case("faulty/ascon-aead128", "seal", SIZE), catalogue, 1)
    with pytest.raises(ArgumentError, match="13 bytes of associated data given, 0 expected: the implementation takes"):
        driver(Case("faulty/ascon-aead128", "seal", SIZE, aad_bytes=13), catalogue, 1)


def test_a_changed_python_result_is_an_error() -> None:
    results = iter([b"a" * 32, b"a" * 32, b"b" * 32])
    case = Case("double/sha-256", "digest", SIZE, engine="python")
    changing = PythonDriver(case, adapter(lambda: next(results)), 1)
    changing.sample(2)
    with pytest.raises(VerificationError, match="differs from that of the first sample"):
        changing.sample(1)


@pytest.mark.parametrize("place", [0, 63, -64, -1])
def test_detects_changes_at_both_ends_of_each_part(place: int) -> None:
    def result(change: bool) -> tuple[bytes, bytearray]:
        text = bytearray(hashlib.shake_128(b"text").digest(1000))
        text[place] ^= change
        return b"tag", text

    results = iter([result(False), result(True)])
    case = Case("double/sha-256", "digest", SIZE, engine="python")
    changing = PythonDriver(case, adapter(lambda: next(results)), 1)
    changing.sample(1)
    with pytest.raises(VerificationError):
        changing.sample(1)


def test_opening_must_return_the_message(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("pyca/aes-256-gcm", "open", SIZE, engine="python")
    pyca = catalogue.find(case.implementation)
    assert isinstance(pyca, Adapter)
    PythonDriver(case, pyca, 1).sample(3)
    monkeypatch.setattr(pyca, "prepare_call", lambda *_: lambda: bytes(SIZE))
    with pytest.raises(VerificationError, match="from the sealed message"):
        PythonDriver(case, pyca, 1).sample(1)


def test_a_driver_without_an_arena_is_an_error(catalogue: Catalogue) -> None:
    one = driver(Case("openssl/aes-256-gcm", "seal", SIZE), catalogue, 1)
    with pytest.raises(ArgumentError, match="share_arena"):
        one.sample(1)


def test_missing_memory_is_an_error_with_advice(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: int) -> None:
        raise MemoryError("two buffers of 4294967296 bytes cannot be allocated")

    case = Case("openssl/aes-256-gcm", "seal", SIZE)
    monkeypatch.setattr("aeadlab._native.Arena", none)
    with pytest.raises(MeasurementError, match="4294967296 bytes cannot be allocated: choose a smaller message"):
        share_arena([driver(case, catalogue, 1)], [case], 1)


def test_cold_messages_are_read_from_memory(ready: Callable[..., list[Driver]]) -> None:
    warm, cold = ready(
        *(Case("baseline/memcpy", "encrypt", 1 << 18, cache=cache) for cache in ("warm", "cold"))  # type: ignore[arg-type]
    )
    warm.sample(1)
    times = [(warm.sample(10)[WALL_NS], cold.sample(10)[WALL_NS]) for _ in range(20)]
    assert sorted(after / before for before, after in times)[10] > 1.5
    assert warm.fingerprint == cold.fingerprint


@pytest.mark.parametrize(
    ("case", "preparation"),
    [
        (Case("openssl/aes-256-gcm", "seal", SIZE), "execution"),
        (Case("openssl/aes-256-gcm", "seal", SIZE, cache="cold"), "none"),
        (Case("openssl/aes-256-gcm", "seal", 64 << 20), "execution"),
        (Case("openssl/aes-256-gcm", "seal", (64 << 20) + 1), "touch"),
        (Case("openssl/aes-256-gcm", "seal", (64 << 20) + 1, cache="cold"), "none"),
        (Case("generators/rc4.locked", "generate", SIZE, block_size=256, threads=2), "execution"),
        (Case("generators/rc4.locked", "generate", (64 << 20) + 256, block_size=256), "none"),
        (Case("pyca/aes-256-gcm", "seal", (64 << 20) + 1, engine="python"), "execution"),
    ],
    ids=lambda value: getattr(value, "label", None),
)
def test_other_processes_require_a_preparation(catalogue: Catalogue, case: Case, preparation: str) -> None:
    alone, beside = (driver(case, catalogue, 1) for _ in range(2))
    share_arena([alone], [case], 1)
    share_arena([beside], [case], 1, interleaved=True)
    drivers = NativeDriver, GeneratorDriver, PythonDriver
    assert isinstance(alone, drivers) and isinstance(beside, drivers)
    assert (alone.preparation, beside.preparation) == ("none", preparation)
    assert beside.sample(2)[0] > 0


@pytest.mark.parametrize(
    ("preparation", "before"), [("none", []), ("execution", [("sample", 1)]), ("touch", [("touch", SIZE)])]
)
def test_a_preparation_precedes_each_sample(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, preparation: str, before: list[tuple[str, int]]
) -> None:
    one = driver(Case("openssl/aes-256-gcm", "seal", SIZE), catalogue, 1)
    calls: list[tuple[str, int]] = []

    class Recorded:
        def sample(self, _: object, batch: int) -> None:
            calls.append(("sample", batch))

        def touch(self, bytes: int) -> None:
            calls.append(("touch", bytes))

    for name, value in {"native": Recorded(), "arena": Recorded(), "preparation": preparation}.items():
        monkeypatch.setattr(one, name, value)
    for batch in (3, 4):
        one.sample(batch)
    assert calls == [*before, ("sample", 3), *before, ("sample", 4)]


@pytest.mark.parametrize(("preparation", "before"), [("none", []), ("execution", [1])])
def test_a_call_from_python_is_prepared_by_a_call(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, preparation: Literal["none", "execution"], before: list[int]
) -> None:
    one = driver(Case("pyca/aes-256-gcm", "seal", SIZE, engine="python"), catalogue, 1)
    assert isinstance(one, PythonDriver)
    one.preparation = preparation
    batches: list[int] = []
    sample_call = _native.sample_call

    def recorded(call: Callable[[], object], batch: int) -> object:
        batches.append(batch)
        return sample_call(call, batch)

    monkeypatch.setattr(_native, "sample_call", recorded)
    for batch in (3, 4):
        one.sample(batch)
    assert batches == [*before, 3, *before, 4]


def test_touching_leaves_the_result(ready: Callable[..., list[Driver]]) -> None:
    (one,) = ready(Case("openssl/aes-256-gcm", "open", SIZE))
    assert isinstance(one, NativeDriver) and one.arena is not None
    one.sample(1)
    before = one.fingerprint
    for length in (0, 1, SIZE, 1 << 60):
        one.arena.touch(length)
        one.sample(1)
        assert one.fingerprint == before


def test_the_arena_may_exceed_the_longest_message(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr("aeadlab._native.Arena", lambda size, *_: made.append(size))
    case = Case("openssl/aes-256-gcm", "seal", SIZE)
    for least in (0, 2 * SIZE):
        share_arena([driver(case, catalogue, 1)], [case], 1, least=least)
    assert made == [SIZE, 2 * SIZE]
