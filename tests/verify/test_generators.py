"""Generators: their known answers, and the detection of each planted fault."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, product
from typing import Any

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import Report, verify
from aeadlab.verify.cases import cases, pseudorandom, requests

LINKED = {i.name: i for i in native.linked()}
FORMS = ("per-thread", "inlined", "locked", "unlocked")
FURTHER = ("rc4.looked-up", "hc-128.looked-up", "hc-128.called", "hc-128.branched")
STROMBERGSON = "draft-strombergson-chacha-test-vectors-01"
KNOWN = {
    "rc4": {"RFC 6229": 36},
    "hc-128": {"Wu": 3, "eSTREAM": 12},
    "chacha8": {STROMBERGSON: 5},
    "chacha12": {STROMBERGSON: 3},
    "chacha20": {"RFC 7539": 3},
    "salsa20": {"eSTREAM": 6},
    "aes-256-ctr": {"NIST SP 800-38A": 1, "RFC 3686": 3},
    "aegis-128l-stream": {"draft-irtf-cfrg-aegis-aead": 1},
    "blake3-xof": {"BLAKE3 team": 1},
}
"""Number of known answers of each generator by publisher."""

CHACHA = LINKED["generators/chacha20.per-thread"]
AES = LINKED["generators/aes-256-ctr.per-thread"]
ONE_KEY = 1 << 29


def others(algorithm: str) -> Iterator[Implementation]:
    return (
        i
        for i in LINKED.values()
        if i.description.base_algorithm == algorithm and i.description.library != "generators"
    )


def failed(report: Report) -> set[str]:
    return {check.name for check in report.checks if not check.ok}


def test_catalogue_has_nine_generators_in_four_forms_and_further_ones() -> None:
    names = {i.description.algorithm for i in LINKED.values() if i.description.kind == "generator"}
    assert names == {f"{algorithm}.{form}" for algorithm in KNOWN for form in FORMS} | set(FURTHER)


@pytest.mark.parametrize("algorithm", KNOWN)
def test_unlocked_form_warns_of_equal_output_in_threads(algorithm: str) -> None:
    for form in FORMS:
        d = LINKED[f"generators/{algorithm}.{form}"].description
        warned = ("research" in d.flags, "threads may get the same bytes" in d.kernel)
        assert warned == (form == "unlocked",) * 2
        assert ("historical" in d.flags) is (algorithm == "rc4") and "thread-safe" in d.flags


@pytest.mark.parametrize(("algorithm", "form"), [*product(KNOWN, FORMS), *(name.split(".") for name in FURTHER)])
def test_each_form_is_checked_with_all_known_answers(algorithm: str, form: str) -> None:
    one = LINKED[f"generators/{algorithm}.{form}"]
    report = verify(one, others(algorithm))
    assert report.ok, report.reason
    known, agreement, contexts, randomness = report.checks
    assert known.sources == KNOWN[algorithm] and not known.skipped
    assert agreement.run == len(list(cases(one.description))) and not agreement.skipped
    assert agreement.sources and set(agreement.sources.values()) == {agreement.run}
    assert contexts.ok and "interrupted calls" in contexts.sources
    assert randomness.run == 5


@pytest.mark.parametrize("name", [name for name in LINKED if name.startswith("generators/")])
@pytest.mark.parametrize("sizes", [(1,), (3,), (4,), (256,), (1, 3, 4, 256, 7), (1021,), (1024, 1), (0, 5, 2050)])
def test_output_is_independent_of_request_sizes(name: str, sizes: tuple[int, ...]) -> None:
    one = LINKED[name]
    key = pseudorandom("key", one.description.key_bytes)
    requested = list(sizes) * (5000 // sum(sizes))
    assert one.generate(key, requested) == one.generate(key, [sum(requested)])


@pytest.mark.parametrize("algorithm", KNOWN)
def test_forms_of_a_generator_have_the_same_output(algorithm: str) -> None:
    forms = [LINKED[f"generators/{algorithm}.{form}"] for form in FORMS]
    keys = [pseudorandom(f"key {i}", forms[0].description.key_bytes) for i in range(2)]
    streams = [{one.generate(key, [4096]) for one in forms} for key in (*keys, keys[0])]
    assert [len(found) for found in streams] == [1, 1, 1]
    assert streams[0] == streams[2] != streams[1]


def each_word_twice(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    made = right.generate(key, [sum(requested)])
    return b"".join(2 * made[i : i + 4] for i in range(0, len(made), 4))[: len(made)]


def stuck(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    return bytes(octet & 0xDF for octet in right.generate(key, requested))


def without_a_seed(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    return right.generate(bytes(len(key)), requested)


def without_a_nonce(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    return right.generate(key[:32] + bytes(12), requested)


def whole_words(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    """Discard the rest of a word at the end of a request."""
    words = [-(-size // 4) * 4 for size in requested]
    made = right.generate(key, words)
    ends = accumulate(words, initial=0)
    return b"".join(made[start : start + size] for start, size in zip(ends, requested, strict=False))


def one_too_early(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    """Begin the second request with the last byte of the first."""
    made = right.generate(key, [sum(requested)])
    return made if len(requested) < 2 else (made[: requested[0]] + made[requested[0] - 1 :])[: len(made)]


def repeats_at_the_end_of_a_buffer(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    """Repeat the first byte of a buffer of 1024 bytes if a request extends beyond its end."""
    made = bytearray(right.generate(key, requested))
    for start, size in zip(accumulate(requested, initial=0), requested, strict=False):
        buffer, place = start - start % 1024, start % 1024
        if place and place + size > 1024:
            made[buffer + 1024] = made[buffer]
    return bytes(made)


def from_the_start_again(right: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
    made = right.generate(key, requested)
    return made[:65536] + made[: max(len(made) - 65536, 0)]


ALL = {"known answers", "agreement", "randomness"}
FAULTS: dict[str, tuple[Callable[..., bytes], set[str]]] = {
    "a stuck bit": (stuck, ALL),
    "each word twice": (each_word_twice, ALL),
    "one stream for all seeds": (without_a_seed, {"known answers", "agreement"}),
    "one stream for all nonces": (without_a_nonce, {"known answers", "agreement"}),
    "whole words only": (whole_words, {"known answers", "agreement"}),
    "a request that begins a byte too early": (one_too_early, {"known answers", "agreement"}),
    "the end of a buffer": (repeats_at_the_end_of_a_buffer, {"agreement"}),
    "from the start again after 64 KiB": (from_the_start_again, {"agreement", "randomness"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_detects_each_fault(double: Any, fault: str) -> None:
    generate, checks = FAULTS[fault]
    report = verify(double(CHACHA, generate=generate), others("chacha20"))
    assert failed(report) == checks and not report.ok and not report.unverifiable


@pytest.mark.parametrize("fault", ["whole words only", "a request that begins a byte too early"])
def test_request_sizes_reveal_faults_between_requests(double: Any, fault: str) -> None:
    """A single request has the correct output."""
    generate, _ = FAULTS[fault]
    key = pseudorandom("key", 44)
    assert double(CHACHA, generate=generate).generate(key, [4096]) == CHACHA.generate(key, [4096])
    assert requests(40)[:2] == [4, 1] and sum(requests(9999)) == 9999


@pytest.mark.parametrize("bits", [32, 64])
def test_detects_a_counter_that_does_not_carry(double: Any, by_name: dict[str, Implementation], bits: int) -> None:
    ecb = by_name["pyca/aes-256-ecb"]

    def generate(_: Implementation, key: bytes, requested: Sequence[int]) -> bytes:
        high, low = divmod(int.from_bytes(key[32:], "big"), 1 << bits)
        blocks = range(-(-sum(requested) // 16))
        counters = (high << bits | (low + i) % (1 << bits) for i in blocks)
        return ecb.encrypt(key[:32], b"", b"".join(c.to_bytes(16, "big") for c in counters))[: sum(requested)]

    report = verify(double(AES, generate=generate), others("aes-256-ctr"))
    assert failed(report) == {"agreement"}
    agreement = report.check("agreement")
    assert agreement is not None and agreement.failed < 3


def test_generator_that_rejects_all_requests_fails(double: Any) -> None:
    def reject(*_: object) -> bytes:
        raise ArgumentError("no")

    assert failed(verify(double(CHACHA, generate=reject), others("chacha20"))) == ALL


def test_fails_without_a_vector_of_its_lengths(double: Any) -> None:
    longer = double(
        CHACHA, facts={"key_bytes": 45}, generate=lambda right, key, requested: right.generate(key[1:], requested)
    )
    report = verify(longer, others("chacha20"))
    assert failed(report) == {"known answers"} and not report.unverifiable
    assert "no case ran: other key or nonce length (3)" in report.reason


def test_generator_of_a_single_library_is_unverifiable(double: Any) -> None:
    report = verify(double(CHACHA, facts={"algorithm": "dice"}), LINKED.values())
    assert report.unverifiable and not report.ok and not failed(report)


@pytest.mark.parametrize("requested", [[ONE_KEY + 1], [1, ONE_KEY], [4] * 3 + [ONE_KEY]])
@pytest.mark.parametrize("form", FORMS)
def test_rejects_more_output_than_one_key_allows(form: str, requested: list[int]) -> None:
    one = LINKED[f"generators/aegis-128l-stream.{form}"]
    with pytest.raises(ArgumentError, match=f"^{sum(requested)} bytes given, at most {ONE_KEY} under one key"):
        one.generate(bytes(32), requested)


@pytest.mark.parametrize("requested", ["2**40", "2**62", "2**63, 2**63"])
def test_rejects_more_output_than_memory_holds(requested: str) -> None:
    code = (
        "from aeadlab import _native\n"
        "one = next(i for i in _native.linked() if i.algorithm == 'rc4.per-thread')\n"
        f"one.generate(bytes(16), [{requested}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and f"bytes given, at most {ONE_KEY} under one key" in done.stderr
