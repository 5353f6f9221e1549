"""Generators: which answers they are checked with, and that each planted fault is caught by the check for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import Report, verify
from aeadlab.verify.cases import cases, octets, requests

LINKED = {i.name: i for i in native.linked()}
FORMS = ("per-thread", "inlined", "locked", "unlocked")
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
"""How many answers each is checked with, and whose."""

CHACHA = LINKED["generators/chacha20.per-thread"]
AES = LINKED["generators/aes-256-ctr.per-thread"]
ONE_KEY = 1 << 29


def others(algorithm: str) -> Iterator[Implementation]:
    return (i for i in LINKED.values() if i.description.computes == algorithm and i.description.library != "generators")


def failed(report: Report) -> set[str]:
    return {check.name for check in report.checks if not check.ok}


def test_there_are_nine_in_four_forms() -> None:
    names = {i.description.algorithm for i in LINKED.values() if i.description.kind == "generator"}
    assert names == {f"{algorithm}.{form}" for algorithm in KNOWN for form in FORMS}


@pytest.mark.parametrize("algorithm", KNOWN)
def test_the_form_without_a_lock_says_that_threads_may_get_the_same(algorithm: str) -> None:
    for form in FORMS:
        d = LINKED[f"generators/{algorithm}.{form}"].description
        warned = ("research" in d.flags, "threads may get the same bytes" in d.kernel)
        assert warned == (form == "unlocked",) * 2
        assert ("historical" in d.flags) is (algorithm == "rc4") and "thread-safe" in d.flags


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("algorithm", KNOWN)
def test_each_is_checked_with_all_answers_that_there_are(algorithm: str, form: str) -> None:
    one = LINKED[f"generators/{algorithm}.{form}"]
    report = verify(one, others(algorithm))
    assert report.ok, report.reason
    known, agreement, randomness = report.checks
    assert known.sources == KNOWN[algorithm] and not known.skipped
    assert agreement.run == len(list(cases(one.description))) and not agreement.skipped
    assert agreement.sources and set(agreement.sources.values()) == {agreement.run}
    assert randomness.run == 5


@pytest.mark.parametrize("name", [name for name in LINKED if name.startswith("generators/")])
@pytest.mark.parametrize("sizes", [(1,), (3,), (4,), (256,), (1, 3, 4, 256, 7), (1021,), (1024, 1), (0, 5, 2050)])
def test_a_stream_is_the_same_however_it_is_asked_for(name: str, sizes: tuple[int, ...]) -> None:
    one = LINKED[name]
    key = octets("key", one.description.key_bytes)
    asked = list(sizes) * (5000 // sum(sizes))
    assert one.generate(key, asked) == one.generate(key, [sum(asked)])


@pytest.mark.parametrize("algorithm", KNOWN)
def test_forms_differ_in_nothing_but_their_sharing_and_seeds_in_all(algorithm: str) -> None:
    forms = [LINKED[f"generators/{algorithm}.{form}"] for form in FORMS]
    keys = [octets(f"key {i}", forms[0].description.key_bytes) for i in range(2)]
    streams = [{one.generate(key, [4096]) for one in forms} for key in (*keys, keys[0])]
    assert [len(found) for found in streams] == [1, 1, 1]
    assert streams[0] == streams[2] != streams[1]


def each_word_twice(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    made = right.generate(key, [sum(asked)])
    return b"".join(2 * made[i : i + 4] for i in range(0, len(made), 4))[: len(made)]


def stuck(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    return bytes(octet & 0xDF for octet in right.generate(key, asked))


def without_a_seed(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    return right.generate(bytes(len(key)), asked)


def without_a_nonce(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    return right.generate(key[:32] + bytes(12), asked)


def whole_words(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    """What is left of a word at the end of a request is thrown away."""
    words = [-(-size // 4) * 4 for size in asked]
    made = right.generate(key, words)
    ends = accumulate(words, initial=0)
    return b"".join(made[start : start + size] for start, size in zip(ends, asked, strict=False))


def one_too_early(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    """The second request begins with the last byte of the first."""
    made = right.generate(key, [sum(asked)])
    return made if len(asked) < 2 else (made[: asked[0]] + made[asked[0] - 1 :])[: len(made)]


def end_of_a_buffer(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    """A request that goes over the end of a kilobyte gets the buffer's first byte behind it."""
    made = bytearray(right.generate(key, asked))
    for start, size in zip(accumulate(asked, initial=0), asked, strict=False):
        buffer, place = start - start % 1024, start % 1024
        if place and place + size > 1024:
            made[buffer + 1024] = made[buffer]
    return bytes(made)


def from_the_start_again(right: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
    made = right.generate(key, asked)
    return made[:65536] + made[: max(len(made) - 65536, 0)]


ALL = {"known answers", "agreement", "randomness"}
FAULTS: dict[str, tuple[Callable[..., bytes], set[str]]] = {
    "a stuck bit": (stuck, ALL),
    "each word twice": (each_word_twice, ALL),
    "one stream for all seeds": (without_a_seed, {"known answers", "agreement"}),
    "one stream for all nonces": (without_a_nonce, {"known answers", "agreement"}),
    "whole words only": (whole_words, {"known answers", "agreement"}),
    "a request that begins a byte too early": (one_too_early, {"known answers", "agreement"}),
    "the end of a buffer": (end_of_a_buffer, {"agreement"}),
    "from the start again after 64 KiB": (from_the_start_again, {"agreement", "randomness"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_caught(double: Any, fault: str) -> None:
    generate, checks = FAULTS[fault]
    report = verify(double(CHACHA, generate=generate), others("chacha20"))
    assert failed(report) == checks and not report.ok and not report.unverifiable


@pytest.mark.parametrize("fault", ["whole words only", "a request that begins a byte too early"])
def test_it_is_the_lengths_of_requests_that_find_faults_between_them(double: Any, fault: str) -> None:
    """In one request, as a benchmark makes it, these two are right."""
    generate, _ = FAULTS[fault]
    key = octets("key", 44)
    assert double(CHACHA, generate=generate).generate(key, [4096]) == CHACHA.generate(key, [4096])
    assert requests(40)[:2] == [4, 1] and sum(requests(9999)) == 9999


@pytest.mark.parametrize("bits", [32, 64])
def test_a_counter_that_does_not_carry_is_caught(double: Any, by_name: dict[str, Implementation], bits: int) -> None:
    ecb = by_name["pyca/aes-256-ecb"]

    def generate(_: Implementation, key: bytes, asked: Sequence[int]) -> bytes:
        high, low = divmod(int.from_bytes(key[32:], "big"), 1 << bits)
        blocks = range(-(-sum(asked) // 16))
        counters = (high << bits | (low + i) % (1 << bits) for i in blocks)
        return ecb.encrypt(key[:32], b"", b"".join(c.to_bytes(16, "big") for c in counters))[: sum(asked)]

    report = verify(double(AES, generate=generate), others("aes-256-ctr"))
    assert failed(report) == {"agreement"}
    agreement = report.check("agreement")
    assert agreement is not None and agreement.failed < 3


def test_a_generator_that_refuses_everything_fails_everything(double: Any) -> None:
    def refuse(*_: object) -> bytes:
        raise ArgumentError("no")

    assert failed(verify(double(CHACHA, generate=refuse), others("chacha20"))) == ALL


def test_no_vector_of_its_lengths_is_a_failure(double: Any) -> None:
    longer = double(CHACHA, facts={"key_bytes": 45}, generate=lambda right, key, asked: right.generate(key[1:], asked))
    report = verify(longer, others("chacha20"))
    assert failed(report) == {"known answers"} and not report.unverifiable
    assert "none ran, which is not a pass: other key or nonce length (3)" in report.reason


def test_one_that_nobody_else_has_is_unverifiable(double: Any) -> None:
    report = verify(double(CHACHA, facts={"algorithm": "dice"}), LINKED.values())
    assert report.unverifiable and not report.ok and not failed(report)


@pytest.mark.parametrize("asked", [[ONE_KEY + 1], [1, ONE_KEY], [4] * 3 + [ONE_KEY]])
@pytest.mark.parametrize("form", FORMS)
def test_more_than_one_key_gives_is_refused_and_said(form: str, asked: list[int]) -> None:
    one = LINKED[f"generators/aegis-128l-stream.{form}"]
    with pytest.raises(ArgumentError, match=f"^{sum(asked)} bytes given, at most {ONE_KEY} under one key"):
        one.generate(bytes(32), asked)


@pytest.mark.parametrize("asked", ["2**40", "2**62", "2**63, 2**63"])
def test_what_no_memory_holds_is_refused_too(asked: str) -> None:
    code = (
        "from aeadlab import _native\n"
        "one = next(i for i in _native.linked() if i.algorithm == 'rc4.per-thread')\n"
        f"one.generate(bytes(16), [{asked}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and f"bytes given, at most {ONE_KEY} under one key" in done.stderr
