from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import agreement
from aeadlab.verify.reference import references


def named(double: Any, right: Implementation, library: str, **faults: Callable[..., bytes]) -> Implementation:
    made = double(right, facts={"library": library}, **faults)
    assert isinstance(made, Implementation)
    return made


def wrong_at(length: int) -> Callable[..., bytes]:
    def digest(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        answer = right.digest(key, nonce, data)
        return answer if len(data) != length else bytes(len(answer))

    return digest


def reject(*_: object) -> bytes:
    raise ArgumentError("no")


def test_both_sides_of_a_tie_fail(double: Any, by_name: dict[str, Implementation]) -> None:
    right = by_name["pyca/sha-256"]
    broken = named(double, right, "b", digest=wrong_at(4097))
    for first, second in ((right, broken), (broken, right)):
        check = agreement.check(first, [second])
        assert check is not None and check.failed == 1 and check.failures[0].startswith("4097 bytes")


def test_the_majority_decides(double: Any, by_name: dict[str, Implementation]) -> None:
    right, second = by_name["pyca/sha-256"], by_name["pycryptodome/sha-256"]
    broken = named(double, right, "c", digest=wrong_at(4097))
    good = agreement.check(right, [second, broken])
    assert good is not None and good.ok
    assert good.sources["pycryptodome/sha-256"] == good.run and good.sources["c/sha-256"] == good.run - 1
    bad = agreement.check(broken, [right, second])
    assert bad is not None and bad.failed == 1


def test_reference_outvotes_libraries(double: Any) -> None:
    (reference,) = references("ghash")
    right = named(double, reference, "right")
    wrong = [named(double, reference, name, digest=wrong_at(1024)) for name in ("b", "c", "d")]
    check = agreement.check(right, [reference, *wrong])
    assert check is not None and check.ok
    check = agreement.check(wrong[0], [reference, *wrong[1:]])
    assert check is not None and check.failed == 1 and "reference" in check.failures[0]


def test_excludes_libraries_that_fail_known_answers(double: Any, by_name: dict[str, Implementation]) -> None:
    right = by_name["pyca/sha-256"]
    broken = [named(double, right, name, digest=wrong_at(1)) for name in ("b", "c", "d")]
    check = agreement.check(right, [*broken, by_name["pycryptodome/sha-256"]])
    assert check is not None and check.ok
    assert check.skipped == {f"{i.name} fails its known answers": 1 for i in broken}


def test_does_not_apply_without_another_library(by_name: dict[str, Implementation]) -> None:
    assert agreement.check(by_name["pyca/sha-256"], [by_name["pyca/sha-256"], by_name["pyca/sha-512"]]) is None


def test_rejecting_a_supported_length_is_a_failure(double: Any, by_name: dict[str, Implementation]) -> None:
    right = by_name["pyca/sha-256"]

    def reject_empty(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.digest(key, nonce, data) if data else reject()

    check = agreement.check(named(double, right, "b", digest=reject_empty), [right, by_name["pycryptodome/sha-256"]])
    assert check is not None and check.failed == 1 and check.failures[0].startswith("0 bytes: unsupported")


def test_skips_lengths_that_no_library_supports(double: Any, by_name: dict[str, Implementation]) -> None:
    right = by_name["pyca/aes-256-xts"]
    check = agreement.check(right, [named(double, right, "b")])
    assert check is not None and check.ok
    assert check.skipped == {"length that most libraries do not support": 3}, "0, 1 and 15 bytes"


def test_equal_exceptions_do_not_agree(double: Any, by_name: dict[str, Implementation]) -> None:
    def crash(*_: object) -> bytes:
        raise RuntimeError("not initialised")

    right = double(by_name["pyca/sha-256"], facts={"algorithm": "rot13"})
    first, second = (named(double, right, name, digest=crash) for name in ("b", "c"))
    check = agreement.check(first, [second])
    assert check is not None and check.failed == check.run > 0


def test_detects_a_counter_that_does_not_carry(double: Any, by_name: dict[str, Implementation]) -> None:
    """AES-CTR with the 32-bit counter of GCM is correct for almost all nonces."""

    def encrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        left = 16 * (2**32 - int.from_bytes(nonce[12:], "big"))
        first = right.encrypt(key, nonce, data[:left])
        return first + (right.encrypt(key, nonce[:12] + bytes(4), data[left:]) if len(data) > left else b"")

    right = by_name["pyca/aes-256-ctr"]
    broken = named(double, right, "b", encrypt=encrypt)
    check = agreement.check(broken, [by_name["pycryptodome/aes-256-ctr"], right])
    assert check is not None and check.failed == 2, "the two cases whose last 4 and 8 bytes overflow"


def test_variants_of_one_library_have_one_vote(double: Any, by_name: dict[str, Implementation]) -> None:
    right, second = by_name["pyca/sha-256"], by_name["pycryptodome/sha-256"]
    variants = [
        double(right, facts={"library": "many", "algorithm": f"sha-256.{n}"}, digest=wrong_at(4097)) for n in range(3)
    ]
    good = agreement.check(right, [second, *variants])
    assert good is not None and good.ok
    bad = agreement.check(variants[0], [right, second])
    assert bad is not None and bad.failed == 1


def test_lengths_above_a_declared_limit_are_left_out(double: Any, by_name: dict[str, Implementation]) -> None:
    def digest(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.digest(key, nonce, data) if len(data) <= 1000 else reject()

    right = by_name["pyca/sha-256"]
    limited = double(right, facts={"library": "limited", "max_bytes": 1000}, digest=digest)
    check = agreement.check(limited, [right])
    assert check is not None and check.ok and check.skipped["length above the declared limit"] > 10
    undeclared = named(double, right, "undeclared", digest=digest)
    check = agreement.check(undeclared, [right])
    assert check is not None and not check.ok
