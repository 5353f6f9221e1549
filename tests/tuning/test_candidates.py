from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.catalogue import Description, load
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.tuning.candidates import STANDARD, allowed, objection, shapes, thread_counts

KIB = 1024
SIZES = (64 * KIB, 256 * KIB, 1024 * KIB)


@pytest.fixture(scope="module")
def catalogue() -> Any:
    return load()


def names(catalogue: Any, patterns: Sequence[str] | None) -> list[str]:
    return [i.name for i in allowed(catalogue, patterns)]


def test_the_standard_ones_are_allowed_and_aegis_is_not(catalogue: Any) -> None:
    found = allowed(catalogue, None)
    assert {i.description.algorithm for i in found} == set(STANDARD)
    assert {i.description.origin for i in found}.isdisjoint({"python"})
    assert not any(objection(i) for i in found)
    assert found[0].description.algorithm == "aes-256-gcm", "the order is that of STANDARD"


@pytest.mark.parametrize(
    ("patterns", "some", "never"),
    [
        (["openssl/aes-256-gcm"], "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm"),
        (["aes-256-gcm"], "rustcrypto/aes-256-gcm", "openssl/aes-128-gcm"),
        (["openssl/*"], "openssl/aes-128-ccm", "rustcrypto/aes-256-gcm"),
        (["aegis-*"], "libaegis/aegis-256", "openssl/aes-256-gcm"),
        (["*/aes-???-gcm-siv"], "rustcrypto/aes-128-gcm-siv", "openssl/aes-128-gcm"),
    ],
)
def test_patterns(catalogue: Any, patterns: list[str], some: str, never: str) -> None:
    found = names(catalogue, patterns)
    assert some in found
    assert never not in found
    assert len(set(found)) == len(found)


def test_the_order_of_the_patterns_is_kept(catalogue: Any) -> None:
    found = names(catalogue, ["chacha20-poly1305", "openssl/*"])
    assert found.index("rustcrypto/chacha20-poly1305") < found.index("openssl/aes-256-gcm")


@pytest.mark.parametrize(
    ("patterns", "error", "why"),
    [
        (["aes-512-gcm"], ArgumentError, "no AEAD matches 'aes-512-gcm'"),
        (["no/*"], ArgumentError, "no AEAD matches 'no/\\*'"),
        (["opensl/aes-256-gcm"], UnknownNameError, "the nearest: openssl/aes-256-gcm"),
        ([], ArgumentError, "no AEAD is allowed"),
        ("aes-256-gcm", ArgumentError, "is one word"),
    ],
)
def test_what_names_nothing_is_an_error(catalogue: Any, patterns: Any, error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        allowed(catalogue, patterns)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("openssl/aes-256-gcm", ""),
        ("libaegis/aegis-128x2", ""),
        ("aeadlab/aes-256-ctr+blake3", "it is marked research"),
        ("rocca/rocca-s", "it is marked research"),
        ("baseline/delay", "it is marked baseline"),
        ("pyca/aes-256-gcm", "it is called from Python"),
        ("openssl/sha-256", "it is no AEAD (hash)"),
    ],
)
def test_objections(catalogue: Any, name: str, why: str) -> None:
    assert objection(catalogue.find(name)).startswith(why)
    assert bool(objection(catalogue.find(name))) == bool(why)


@pytest.mark.parametrize("flag", ["research", "historical", "baseline", "not-cryptographic"])
def test_no_mark_is_overlooked(flag: str) -> None:
    marked = Description("toy", "aead", "aead", "1", nonce_bytes=12, flags=frozenset({flag, "thread-safe"}))
    assert objection(SimpleNamespace(description=marked)) == f"it is marked {flag}"  # type: ignore[arg-type]


def test_a_short_nonce_is_an_objection() -> None:
    short = Description("toy", "aead", "aead", "1", nonce_bytes=8)
    assert "8 bytes" in objection(SimpleNamespace(description=short))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("most", "expected"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (64, [1, 2, 4, 8, 16, 32, 64])]
)
def test_thread_counts(most: int, expected: list[int]) -> None:
    assert list(thread_counts(most)) == expected


@pytest.mark.parametrize(
    ("length", "threads", "safe", "expected"),
    [
        (64 << 20, 2, True, [(size, count) for size in SIZES for count in (1, 2)]),
        (64 << 20, 2, False, [(size, 1) for size in SIZES]),
        (256 * KIB, 2, True, [(64 * KIB, 1), (256 * KIB, 1)]),
        (512 * KIB, 4, True, [(64 * KIB, 1), (64 * KIB, 2), (64 * KIB, 4), (256 * KIB, 1), (256 * KIB, 2)]),
        (1, 64, True, [(64 * KIB, 1)]),
    ],
    ids=["large", "not thread-safe", "short: one thread", "no more threads than blocks", "under a block"],
)
def test_shapes(length: int, threads: int, safe: bool, expected: list[tuple[int, int]]) -> None:
    assert shapes(length, SIZES, threads, safe, 512 * KIB) == expected
