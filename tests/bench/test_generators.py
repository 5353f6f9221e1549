"""Streams of generators: their requests, their keys, their errors, and the time that samples cover."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import GeneratorDriver, driver, share_arena
from aeadlab.bench.runner import run
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.native import linked
from aeadlab.errors import ArgumentError, MeasurementError

from .conftest import MakePlan

Compiled = Callable[..., Path]
LINKED = {i.name: i.native for i in linked()}
CHACHA, FASTEST = "generators/chacha8.per-thread", "generators/aegis-128l-stream"
ONE_KEY, PIECE = 1 << 29, 16 << 10
KIB = 1024
CPU_NS = 1
FIRST_KEY = int.from_bytes(bytes(0x5A ^ i for i in range(8)), "little")
"""Key number 0 of 8 bytes; other keys add their number."""


class _Row(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("context", "key", "thread", "bytes")]


class Requests(NamedTuple):
    """The key number, the thread and the request lengths of one context."""

    key: int
    thread: int
    requests: list[int]


class Counting:
    """A generator that records its requests."""

    def __init__(self, path: Path) -> None:
        (self.algorithm,) = _native.load_plugin(str(path))
        library = ctypes.CDLL(str(path))
        self._rows = (_Row * (1 << 16)).in_dll(library, "requests")
        self._count = ctypes.c_size_t.in_dll(library, "request_count")
        self._count.value = 0

    def streams(self, **settings: int) -> _native.Streams:
        return _native.Streams(self.algorithm, **settings)

    def keys(self) -> list[int]:
        """Return the key of each request, in order."""
        assert self._count.value <= len(self._rows)
        return [row.key ^ FIRST_KEY for row in self._rows[: self._count.value]]

    def recent(self) -> list[Requests]:
        """Return the requests to each context since the last call."""
        requests: dict[int, list[int]] = defaultdict(list)
        found: dict[int, Requests] = {}
        for key, row in zip(self.keys(), self._rows, strict=False):
            requests[row.context].append(row.bytes)
            found[row.context] = Requests(key, row.thread, requests[row.context])
        self._count.value = 0
        return list(found.values())


@pytest.fixture
def counting(compiled: Compiled) -> Callable[..., Counting]:
    """``counting(MAX_BYTES=4096)``: a recording generator with this limit for each key."""
    return lambda **macros: Counting(compiled("generator", **macros))


def test_each_stream_generates_its_share_in_its_own_thread(counting: Any) -> None:
    generator = counting()
    streams = generator.streams(bytes=4 * KIB, request=256, threads=4)
    streams.sample(3)
    found = generator.recent()
    assert [one.requests for one in found] == [[256] * 12] * 4
    assert len({one.thread for one in found}) == 4
    assert {one.key for one in found} == {0}
    streams.sample(1)
    assert [(one.key, one.requests) for one in generator.recent()] == [(0, [256] * 4)] * 4, "key 0 in each sample"


def test_requests_without_a_length_are_large(counting: Any) -> None:
    generator = counting()
    generator.streams(bytes=2 * (2 * PIECE + 100), request=0, threads=2).sample(2)
    assert [one.requests for one in generator.recent()] == [[PIECE, PIECE, 100] * 2] * 2
    generator.streams(bytes=7, request=0, threads=1).sample(1)
    assert [one.requests for one in generator.recent()] == [[7]]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_streams_respect_the_limit_of_a_key_together(counting: Any, threads: int) -> None:
    most = 4 * KIB
    generator = counting(MAX_BYTES=most)
    generator.streams(bytes=threads * 20 * 256, request=256, threads=threads).sample(2)
    under: dict[int, int] = defaultdict(int)
    of_thread: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in generator.recent():
        under[one.key] += sum(one.requests)
        of_thread[one.thread].append((one.key, len(one.requests)))
    each = most // 256 // threads
    assert under and max(under.values()) == threads * each * 256 <= most
    whole, left = divmod(40, each)
    expected = [(key, each) for key in range(whole)] + [(whole, left)] * bool(left)
    assert list(of_thread.values()) == [expected] * threads


def test_streams_rekey_together(counting: Any) -> None:
    """A stream that rekeyed before the others would repeat its output for them."""
    generator = counting(MAX_BYTES=KIB)
    generator.streams(bytes=2 * 64 * KIB, request=4, threads=2).sample(1)
    keys = generator.keys()
    assert len(set(keys)) == 128 and keys == sorted(keys)


def test_partial_requests_count_as_whole_towards_the_limit(counting: Any) -> None:
    generator = counting(MAX_BYTES=3 * PIECE)
    generator.streams(bytes=PIECE + 1, request=0, threads=1).sample(4)
    assert [(one.key, one.requests) for one in generator.recent()] == [
        (0, [PIECE, 1, PIECE]), (1, [1, PIECE, 1]), (2, [PIECE, 1])
    ]  # fmt: skip


def test_linked_generators_rekey_at_their_limit() -> None:
    """Half a gigabyte: the last request under one key, and the first under the next."""
    for form in ("per-thread", "locked", "unlocked"):
        for request in (0, 1 << 20):
            streams = _native.Streams(
                LINKED[f"{FASTEST}.{form}"], bytes=ONE_KEY + (1 << 20), request=request, threads=1
            )
            streams.sample(1)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"threads": 0}, "^0 streams given, at least 1 expected$"),
        ({"threads": 3}, "^4096 bytes given, a multiple of 3 streams times 256 bytes per request expected$"),
        ({"request": 100}, "^4096 bytes given, a multiple of 1 streams times 100 bytes per request expected$"),
        ({"request": 8192}, "^4096 bytes given, a multiple of 1 streams times 8192 bytes per request expected$"),
        ({"bytes": 4097, "request": 0, "threads": 2}, "^4097 bytes given, a multiple of 2 streams"),
        (
            {"bytes": 2 * ONE_KEY, "request": ONE_KEY, "threads": 2},
            f"^2 streams with requests of {ONE_KEY} bytes given, at most {ONE_KEY} bytes in all expected: "
            "the generator's limit for one key$",
        ),
    ],
)
def test_rejects_inconsistent_lengths(settings: dict[str, int], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        _native.Streams(LINKED[CHACHA], **{"bytes": 4096, "request": 256, "threads": 1, **settings})


def test_only_generators_have_streams() -> None:
    with pytest.raises(ArgumentError, match="the algorithm has no operation Generate"):
        _native.Streams(LINKED["openssl/chacha20"], bytes=4096, request=256, threads=1)
    with pytest.raises(MeasurementError, match="^batch of 0 given, at least 1 expected$"):
        _native.Streams(LINKED[CHACHA], bytes=4096, request=256, threads=1).sample(0)


@pytest.mark.parametrize("threads", [1, 2])
def test_repeated_output_is_an_error(counting: Any, threads: int) -> None:
    generator = counting(ON_REQUEST="memset(out, 7, bytes)")
    with pytest.raises(MeasurementError, match="the output of the generator repeats"):
        generator.streams(bytes=512 * threads, request=256, threads=threads).sample(2)
    # Four equal bytes twice in a row occur by chance.
    generator.streams(bytes=8 * threads, request=4, threads=threads).sample(2)


def test_output_of_zeros_is_an_immediate_error(counting: Any) -> None:
    generator = counting(ON_REQUEST="memset(out, 0, bytes)")
    with pytest.raises(MeasurementError, match="the output of the generator repeats"):
        generator.streams(bytes=256, request=256, threads=1).sample(1)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_failure_in_any_stream_is_an_error(counting: Any, threads: int) -> None:
    generator = counting(ON_REQUEST=f"if(c->number%{threads}=={threads}-1)return AEADLAB_INTERNAL")
    with pytest.raises(MeasurementError, match="the library returned status 3"):
        generator.streams(bytes=KIB * threads, request=256, threads=threads).sample(1)


def test_a_failed_stream_does_not_block_the_others(counting: Any) -> None:
    generator = counting(MAX_BYTES=KIB, ON_REQUEST="if(c->number==1)return AEADLAB_INTERNAL")
    with pytest.raises(MeasurementError, match="the library returned status 3"):
        generator.streams(bytes=8 * KIB, request=256, threads=2).sample(1)


@pytest.mark.parametrize("threads", [2, 4])
def test_the_clock_covers_the_work_of_all_streams(threads: int) -> None:
    """With more threads than cores, the thread that starts the clock may run last."""
    each = 1 << 22
    alone, several = (
        _native.Streams(LINKED["generators/chacha20.per-thread"], bytes=count * each, request=256, threads=count)
        for count in (1, threads)
    )
    one = sorted(alone.sample(1)[CPU_NS] for _ in range(9))[4]
    assert min(several.sample(1)[CPU_NS] for _ in range(9)) > 0.75 * threads * one


def test_calibrated_batches_reach_the_target() -> None:
    streams = _native.Streams(LINKED[CHACHA], bytes=1 << 16, request=256, threads=1)
    one, many = (min(streams.sample(batch)[0] for _ in range(9)) for batch in (1, 50))
    assert 10 < many / one < 200
    batch = streams.calibrate(5_000_000)
    assert batch > 20 and min(streams.sample(batch)[0] for _ in range(3)) > 1_000_000


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def test_generator_drivers_need_no_arena(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab._native.Arena", None)
    case = Case(CHACHA, "generate", 1 << 16, block_size=256, threads=2)
    one = driver(case, catalogue, 1)
    share_arena([one], [case], 1)
    assert isinstance(one, GeneratorDriver) and one.fingerprint is None and case.message_bytes == 0
    row = one.sample(one.calibrate(100_000))
    assert len(row) == 7 and row[0] > 0 and min(row) >= 0


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (Case(CHACHA, "generate", 4096, model="oneshot"), "is a generator: whole, oneshot, separate, warm given"),
        (Case(CHACHA, "generate", 4096, "cells", block_size=256), "is a generator: cells, keyed, separate, warm given"),
        (Case(CHACHA, "generate", 4096, placement="in-place"), "is a generator: whole, keyed, in-place, warm given"),
        (Case(CHACHA, "generate", 4096, cache="cold"), "is a generator: whole, keyed, separate, cold given"),
        (
            Case(CHACHA, "generate", 4096, "parsplit", block_size=256, schedule="dynamic"),
            "is a generator: .*, whole, keyed, separate, warm expected",
        ),
        (Case(CHACHA, "generate", 4096, "python"), "use engine whole"),
        (Case(CHACHA, "encrypt", 4096), "no operation Encrypt"),
        (Case("openssl/chacha20", "generate", 4096), "no operation Generate"),
        (Case("pyca/chacha20", "generate", 4096), "use engine python"),
        (Case("pyca/chacha20", "generate", 4096, "python"), "operation 'generate' given, encrypt or decrypt expected"),
        (Case(CHACHA, "generate", 4096, block_size=256, threads=3), "a multiple of 3 streams"),
    ],
)
def test_rejects_settings_that_generators_lack(catalogue: Catalogue, case: Case, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        driver(case, catalogue, 1)


def test_a_run_interleaves_generators_with_other_cases(tmp_path: Path, make_plan: MakePlan) -> None:
    cases = (
        Case(CHACHA, "generate", 1 << 16, block_size=4),
        Case(f"{FASTEST}.locked", "generate", 1 << 16, block_size=256, threads=4),
        Case("openssl/chacha20", "encrypt", 4096),
        Case(CHACHA, "generate", 1 << 16, block_size=256, threads=3),
    )
    journal = run(make_plan(cases, rounds=3), tmp_path / "journal")
    assert list(journal.failures) == [3] and "a multiple of 3 streams" in journal.failures[3]
    assert sorted((row[1], row[0]) for row in journal.samples if not row[2]) == [
        (round, case) for round in range(3) for case in range(3)
    ]
