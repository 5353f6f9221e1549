from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.catalogue import Description, load
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab.tuning.candidates import STANDARD, allowed, exclusion_reason, shapes, thread_counts

KIB = 1024
SIZES = (64 * KIB, 256 * KIB, 1024 * KIB)


@pytest.fixture(scope="module")
def catalogue() -> Any:
    return load()


def names(catalogue: Any, patterns: Sequence[str] | None) -> list[str]:
    return [i.name for i in allowed(catalogue, patterns)]


def test_default_allows_the_standard_algorithms_without_aegis(catalogue: Any) -> None:
    default = allowed(catalogue, None)
    assert {i.description.algorithm for i in default} == set(STANDARD)
    assert {i.description.origin for i in default}.isdisjoint({"python"})
    assert not any(exclusion_reason(i) for i in default)
    assert default[0].description.algorithm == "aes-256-gcm", "in the order of STANDARD"


@pytest.mark.parametrize(
    ("patterns", "included", "excluded"),
    [
        (["openssl/aes-256-gcm"], "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm"),
        (["aes-256-gcm"], "rustcrypto/aes-256-gcm", "openssl/aes-128-gcm"),
        (["openssl/*"], "openssl/aes-128-ccm", "rustcrypto/aes-256-gcm"),
        (["aegis-*"], "libaegis/aegis-256", "openssl/aes-256-gcm"),
        (["*/aes-???-gcm-siv"], "rustcrypto/aes-128-gcm-siv", "openssl/aes-128-gcm"),
    ],
)
def test_patterns_match_names_and_algorithms(catalogue: Any, patterns: list[str], included: str, excluded: str) -> None:
    matches = names(catalogue, patterns)
    assert included in matches
    assert excluded not in matches
    assert len(set(matches)) == len(matches)


def test_keeps_the_order_of_the_patterns(catalogue: Any) -> None:
    matches = names(catalogue, ["chacha20-poly1305", "openssl/*"])
    assert matches.index("rustcrypto/chacha20-poly1305") < matches.index("openssl/aes-256-gcm")


@pytest.mark.parametrize(
    ("patterns", "error", "message"),
    [
        (["aes-512-gcm"], UnknownNameError, "no AEAD matches 'aes-512-gcm'"),
        (["no/*"], UnknownNameError, "no AEAD matches 'no/\\*'"),
        (["opensl/aes-256-gcm"], UnknownNameError, "the nearest: openssl/aes-256-gcm"),
        ([], ArgumentError, "allow is empty"),
        ("aes-256-gcm", ArgumentError, "is a text"),
    ],
)
def test_rejects_patterns_without_a_match(catalogue: Any, patterns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        allowed(catalogue, patterns)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("openssl/aes-256-gcm", ""),
        ("libaegis/aegis-128x2", ""),
        ("aeadlab/aes-256-ctr+blake3", "it is marked research"),
        ("rocca/rocca-s", "it is marked research"),
        ("baseline/delay", "it is marked baseline"),
        ("pyca/aes-256-gcm", "it is called from Python"),
        ("openssl/sha-256", "it is not an AEAD (hash)"),
    ],
)
def test_exclusion_reasons(catalogue: Any, name: str, reason: str) -> None:
    assert exclusion_reason(catalogue.find(name)).startswith(reason)
    assert bool(exclusion_reason(catalogue.find(name))) == bool(reason)


@pytest.mark.parametrize("flag", ["research", "historical", "baseline", "not-cryptographic"])
def test_excludes_every_forbidden_flag(flag: str) -> None:
    marked = Description("toy", "aead", "aead", "1", nonce_bytes=12, flags=frozenset({flag, "thread-safe"}))
    assert exclusion_reason(SimpleNamespace(description=marked)) == f"it is marked {flag}"  # type: ignore[arg-type]


def test_excludes_short_nonces() -> None:
    short = Description("toy", "aead", "aead", "1", nonce_bytes=8)
    assert "8 bytes" in exclusion_reason(SimpleNamespace(description=short))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("most", "expected"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (64, [1, 2, 4, 8, 16, 32, 64])]
)
def test_thread_counts_are_powers_of_two_and_the_maximum(most: int, expected: list[int]) -> None:
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
    ids=["large", "not thread-safe", "short: one thread", "at most one thread for each block", "shorter than a block"],
)
def test_shapes_differ_for_the_message(length: int, threads: int, safe: bool, expected: list[tuple[int, int]]) -> None:
    assert shapes(length, SIZES, threads, safe, 512 * KIB) == expected
