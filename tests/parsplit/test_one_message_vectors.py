"""Published vectors and forgeries of one message, in segments and with the kernels' own choice."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import aeadlab
from aeadlab import ArgumentError, InvalidTag
from aeadlab.verify.sources import known
from aeadlab.verify.vectors import Vector
from tests.fixtures.one_message import AAD, GCM_256, NONCE, PAIRS, TAG, Pair, text

BLACK_BOX = {"implementation": "openssl/aes-256-gcm"}
SEALERS = [(pair, {}) for pair in PAIRS] + [(GCM_256, BLACK_BOX)]
sealers = pytest.mark.parametrize(("pair", "options"), SEALERS, ids=[p.name + "-library" * bool(o) for p, o in SEALERS])


@cache
def vectors(algorithm: str) -> tuple[Vector, ...]:
    return tuple(answer for answer in known(algorithm) if isinstance(answer, Vector))


def outcome(pair: Pair, options: dict[str, str], segment: int | None, vector: Vector) -> str:
    """Assert that a vector has its published result; return which one."""
    v = vector
    try:
        cipher = pair.own(v.key, 3, segment_bytes=segment, **options)
    except ArgumentError as error:
        assert v.forbidden_length and "key of" in str(error), v.label
        return "length rejected"
    try:
        opened = cipher.decrypt(v.nonce, v.output, v.aad)
    except ArgumentError as error:
        forbidden = len(v.nonce) == 0 if pair.own is aeadlab.AESGCM else len(v.nonce) != 12
        assert forbidden and "nonce of" in str(error) and not v.valid, v.label
        return "length rejected"
    except InvalidTag:
        assert not v.valid or v.tag_bytes != TAG, v.label
        if v.tag_bytes == TAG:
            return "rejected"
        if not v.valid:
            return "shorter tag rejected"
        # A shorter tag is the beginning of a complete one, and never accepted in its place.
        assert cipher.encrypt(v.nonce, v.message, v.aad)[: len(v.output)] == v.output, v.label
        return "shorter tag"
    assert v.valid and opened == v.message, v.label
    assert cipher.encrypt(v.nonce, v.message, v.aad) == v.output, v.label
    return "accepted"


@sealers
@pytest.mark.parametrize("segment", [16, 64, None])
def test_every_vector_of_wycheproof_and_nist(pair: Pair, options: dict[str, str], segment: int | None) -> None:
    counts: dict[str, Counter[str]] = {}
    for vector in vectors(pair.name):
        if options and not 8 <= len(vector.nonce) <= 128:
            continue  # OpenSSL's own limit; the kernel of the lab has none
        counts.setdefault(vector.source, Counter())[outcome(pair, options, segment, vector)] += 1
    wycheproof = counts["Wycheproof"]
    assert wycheproof["accepted"] >= 60 and wycheproof["rejected"] >= 20
    if pair.own is aeadlab.AESGCM:
        cavp = counts["NIST CAVP"]
        assert options or wycheproof["length rejected"] >= 2
        assert cavp["accepted"] >= 1000 and cavp["rejected"] >= 300
        assert cavp["shorter tag"] >= 5000 and cavp["shorter tag rejected"] >= 1000
    else:
        assert counts["OpenSSL"].keys() == {"accepted", "rejected"} and counts["BoringSSL"]["accepted"] >= 60


@sealers
@pytest.mark.parametrize("segment", [16, None])
def test_every_flipped_bit_is_detected_and_the_output_wiped(
    pair: Pair, options: dict[str, str], segment: int | None
) -> None:
    key, data = pair.key, text(77)
    sealed = pair.pyca(key).encrypt(NONCE, data, AAD)
    cipher = pair.own(key, 3, segment_bytes=segment, **options)
    assert cipher.decrypt(NONCE, sealed, AAD) == data
    inputs = NONCE, sealed, AAD
    for index, part in enumerate(inputs):
        for bit in range(8 * len(part)):
            changed = bytearray(part)
            changed[bit // 8] ^= 1 << bit % 8
            forged = [changed if i == index else value for i, value in enumerate(inputs)]
            with pytest.raises(InvalidTag, match="output wiped"):
                cipher.decrypt(*forged)
            out = bytearray(b"\xaa" * len(data))
            with pytest.raises(InvalidTag):
                cipher.decrypt_into(*forged, out)
            assert out == bytes(len(data)), "the output is not wiped"
            memory = bytearray(forged[1])
            with pytest.raises(InvalidTag):
                cipher.decrypt_into(forged[0], memory, forged[2], memoryview(memory)[:-TAG])
            assert memory[:-TAG] == bytes(len(data)), "the text is not wiped"
    for bit in range(8 * len(key)):
        changed = bytearray(key)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InvalidTag):
            pair.own(changed, 3, segment_bytes=segment, **options).decrypt(*inputs)


@sealers
def test_every_other_length_is_detected(pair: Pair, options: dict[str, str]) -> None:
    sealed = pair.pyca(pair.key).encrypt(NONCE, text(77), AAD)
    cipher = pair.own(pair.key, 2, segment_bytes=16, **options)
    wrong = [sealed[:length] for length in range(len(sealed))]
    wrong += [sealed[:77] + bytes(more) + sealed[77:] for more in range(1, 40)]
    wrong += [sealed + bytes(more) for more in range(1, 40)] + [bytes(more) + sealed for more in range(1, 40)]
    # Bytes that move between associated data and message have the same blocks, and other lengths.
    for forged in wrong:
        with pytest.raises(InvalidTag):
            cipher.decrypt(NONCE, forged, AAD)
    for aad in (None, AAD[:-1], AAD + b"\0", AAD + bytes(16 - len(AAD)), AAD + bytes(16)):
        with pytest.raises(InvalidTag):
            cipher.decrypt(NONCE, sealed, aad)
    with pytest.raises(InvalidTag):
        cipher.decrypt(NONCE, sealed[16:], AAD + bytes(16 - len(AAD)) + sealed[:16])


@sealers
def test_a_long_message_is_wiped_by_all_threads(pair: Pair, options: dict[str, str]) -> None:
    size = (2 << 20) + 5
    sealed = bytearray(pair.pyca(pair.key).encrypt(NONCE, text(size), AAD))
    cipher = pair.own(pair.key, 3, **options)
    for position in (0, size // 2, size - 1, size, size + TAG - 1):
        sealed[position] ^= 1
        out = bytearray(b"\xaa") * size
        with pytest.raises(InvalidTag):
            cipher.decrypt_into(NONCE, sealed, AAD, out)
        assert not any(out)
        sealed[position] ^= 1
    assert cipher.decrypt(NONCE, sealed, AAD) == text(size)
