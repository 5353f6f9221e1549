"""Parts of one message that are sealed in any order, by other processes and with other libraries."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings, strategies as st

import aeadlab
from aeadlab import ArgumentError, Partial
from tests.fixtures.one_message import AAD, CHACHA, GCM_256, NONCE, PAIRS, TAG, Pair, hash_key, inverse, multiply, text

ROOT = Path(__file__).resolve().parents[2]
LENGTH = 101
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


def parts_of(message: Any, data: bytes, cuts: list[int]) -> list[tuple[int, bytes, Partial]]:
    """Seal the parts between the cuts; return the offset, ciphertext and partial value of each."""
    edges = [0, *cuts, len(data)]
    return [(a, *message.seal(a, data[a:b])) for a, b in zip(edges, edges[1:], strict=False)]


@settings(deadline=None, max_examples=300)
@given(
    data=st.data(), length=st.integers(0, 2000), nonce=st.binary(min_size=8, max_size=40), aad=st.binary(max_size=50)
)
def test_any_parts_in_any_order_make_the_message(data: st.DataObject, length: int, nonce: bytes, aad: bytes) -> None:
    pair = data.draw(st.sampled_from(PAIRS))
    nonce = nonce if pair is not CHACHA else nonce.ljust(12, b"\0")[:12]
    plain = text(length)
    blocks = st.integers(0, length // 16)
    # At most one empty part at a place: a second one looks like a repeated one.
    cuts = sorted(16 * block for block in data.draw(st.sets(blocks, max_size=10))) if length else []
    edges = [0, *cuts, length]
    order = data.draw(st.permutations(list(zip(edges, edges[1:], strict=False))))
    sealed, partials = bytearray(length), []
    for start, end in order:
        # Each part is sealed with a key and a message of its own, as another machine would do.
        options: dict[str, Any] = {"threads": data.draw(st.integers(1, 8))}
        if pair is not CHACHA and data.draw(st.booleans()):
            options["implementation"] = f"openssl/{pair.name}"
        message = pair.own(pair.key, **options).multipart(nonce, aad, length)
        if data.draw(st.booleans()):
            ciphertext, partial = message.seal(start, plain[start:end])
            sealed[start:end] = ciphertext
        else:
            sealed[start:end] = plain[start:end]
            view = memoryview(sealed)[start:end]
            partial = message.seal_into(start, view, view)
        assert (partial.offset, partial.length) == (start, end - start)
        partials.append(bytes(partial) if data.draw(st.booleans()) else partial)
    shuffled = data.draw(st.permutations(partials))
    tag = pair.own(pair.key).multipart(nonce, aad, length).finish(iter(shuffled))
    assert bytes(sealed) + tag == pair.pyca(pair.key).encrypt(nonce, plain, aad)


@pairs
def test_long_parts_make_the_message(pair: Pair) -> None:
    data = text((1 << 20) + 5)
    message = pair.own(pair.key).multipart(NONCE, None, len(data))
    made = parts_of(message, data, [777 * 16, 256 << 10, (256 << 10) + 16])
    tag = message.finish([partial for _, _, partial in reversed(made)])
    assert b"".join(sealed for _, sealed, _ in made) + tag == pair.pyca(pair.key).encrypt(NONCE, data, None)
    assert message.length == len(data)


SEALER = """
import sys, aeadlab
name, offset, data = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
nonce, aad, length = bytes(range(0x40, 0x4C)), b"associated", 101
sealed, partial = getattr(aeadlab, name)(bytes(range(32))).multipart(nonce, aad, length).seal(offset, data)
print(sealed.hex(), bytes(partial).hex())
"""


@pytest.mark.parametrize("pair", [GCM_256, CHACHA], ids=lambda pair: pair.name)
def test_parts_come_from_other_processes(pair: Pair) -> None:
    data = text(LENGTH)
    sealed, partials = [b""] * 3, []
    for number, start, end in ((2, 80, 101), (0, 0, 16), (1, 16, 80)):
        command = [sys.executable, "-c", SEALER, pair.own.__name__, str(start), data[start:end].hex()]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        ciphertext, partial = map(bytes.fromhex, done.stdout.split())
        sealed[number] = ciphertext
        partials.append(partial)
    tag = pair.own(pair.key).multipart(NONCE, AAD, LENGTH).finish(partials)
    assert b"".join(sealed) + tag == pair.pyca(pair.key).encrypt(NONCE, data, AAD)


@pairs
def test_lost_repeated_and_overlapping_parts_are_named(pair: Pair) -> None:
    message, data = pair.own(pair.key).multipart(NONCE, AAD, LENGTH), text(LENGTH)
    first, second, third = (partial for _, _, partial in parts_of(message, data, [32, 64]))
    _, whole = message.seal(0, data)
    _, middle = message.seal(48, data[48:80])
    expected = pair.pyca(pair.key).encrypt(NONCE, data, AAD)[-TAG:]
    assert message.finish([whole]) == expected
    wrong = {
        "no part covers bytes 0 to 32 of the message": [second, third],
        "no part covers bytes 32 to 64 of the message": [first, third],
        "no part covers bytes 64 to 101 of the message": [first, second],
        "no part covers bytes 0 to 101 of the message": [],
        "the part at byte 32 overlaps the one that ends at byte 64: give each once": [first, second, second, third],
        "the part at byte 0 overlaps the one that ends at byte 101": [whole, whole],
        "the part at byte 48 overlaps the one that ends at byte 64": [first, second, middle, third],
        "the part at byte 32 overlaps the one that ends at byte 101": [whole, second],
    }
    for text_, partials in wrong.items():
        for order in permutations(partials):
            with pytest.raises(ArgumentError, match=text_):
                message.finish(order)
    for order in permutations([first, second, third]):
        assert message.finish(order) == expected


@pairs
def test_parts_of_another_message_are_rejected(pair: Pair) -> None:
    data = text(LENGTH)
    own = pair.own(pair.key)
    message = own.multipart(NONCE, AAD, LENGTH)
    (_, _, first), (_, _, second) = parts_of(message, data, [48])
    others = {
        "key": pair.own(bytes(len(pair.key))).multipart(NONCE, AAD, LENGTH),
        "nonce": own.multipart(bytes(12), AAD, LENGTH),
        "associated data": own.multipart(NONCE, AAD + b"x", LENGTH),
        "no associated data": own.multipart(NONCE, None, LENGTH),
        "length": own.multipart(NONCE, AAD, LENGTH + 1),
    }
    for what, other in others.items():
        _, foreign = other.seal(0, data[:48])
        with pytest.raises(ArgumentError, match="the part at byte 0 belongs to another message: key, nonce, assoc"):
            pytest.fail(f"{what}: {message.finish([foreign, second])!r}")
    # Bytes that move from the associated data to the nonce make another message.
    if pair is not CHACHA:
        _, moved = own.multipart(NONCE + AAD[:1], AAD[1:], LENGTH).seal(0, data[:48])
        with pytest.raises(ArgumentError, match="belongs to another message"):
            message.finish([moved, second])
    algorithm = GCM_256 if pair is CHACHA else CHACHA
    _, foreign = algorithm.own(algorithm.key).multipart(NONCE, AAD, LENGTH).seal(0, data[:48])
    with pytest.raises(ArgumentError, match="belongs to another message"):
        message.finish([foreign, second])
    assert message.finish([first, second]) == pair.pyca(pair.key).encrypt(NONCE, data, AAD)[-TAG:]


@pairs
def test_damaged_partial_values_are_rejected(pair: Pair) -> None:
    message, data = pair.own(pair.key).multipart(NONCE, AAD, LENGTH), text(LENGTH)
    _, whole = message.seal(0, data)
    stored = bytes(whole)
    value_bytes = 17 if pair is CHACHA else 16
    assert len(stored) == 32 + value_bytes
    for length in (*range(48), 50, 100):
        cut = stored.ljust(100, b"\0")[:length]
        with pytest.raises(ArgumentError, match=f"partial value of {length} bytes given, 48 or 49 expected"):
            message.finish([cut])
        with pytest.raises(ArgumentError, match=f"partial value of {length} bytes given, 48 or 49 expected"):
            Partial.from_bytes(cut)
    for other in (stored[:48],) if pair is CHACHA else (stored + b"\0",):
        with pytest.raises(ArgumentError, match="the part at byte 0 has a value that no part has"):
            message.finish([other])
    for bit in range(8 * 16):
        changed = bytearray(stored)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ArgumentError, match="belongs to another message"):
            message.finish([changed])
    for bit in range(8 * 16, 8 * 32):
        changed = bytearray(stored)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ArgumentError, match="no part covers|ends after the message|multiples of 16 expected"):
            message.finish([changed])
    for given_ in ("text", 3, None):
        with pytest.raises(TypeError, match="partial value of type"):
            message.finish([given_])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        message.finish(whole)  # type: ignore[arg-type]
    assert message.finish([Partial.from_bytes(bytearray(stored))]) == message.finish([whole])


@pairs
def test_a_changed_value_makes_a_tag_that_opening_rejects(pair: Pair) -> None:
    message, data = pair.own(pair.key).multipart(NONCE, AAD, LENGTH), text(LENGTH)
    sealed, whole = message.seal(0, data)
    changed = bytearray(bytes(whole))
    changed[33] ^= 1
    with pytest.raises(aeadlab.InvalidTag):
        pair.own(pair.key).decrypt(NONCE, sealed + message.finish([changed]), AAD)


@pairs
def test_parts_at_wrong_places_are_rejected_before_any_work(pair: Pair) -> None:
    message = pair.own(pair.key).multipart(NONCE, AAD, LENGTH)
    out = bytearray(b"\xaa" * 16)
    aligned = "multiples of 16 expected, except for the end of the message"
    for offset, size, expected in (
        (8, 16, f"a part from byte 8 to 24 given, {aligned}"),
        (16, 15, f"a part from byte 16 to 31 given, {aligned}"),
        (96, 4, f"a part from byte 96 to 100 given, {aligned}"),
        (96, 6, "a part of 6 bytes at byte 96 ends after the message, which has 101"),
        (112, 0, "a part of 0 bytes at byte 112 ends after the message, which has 101"),
        (2**64 - 1, 1, "ends after the message, which has 101"),
    ):
        with pytest.raises(ArgumentError, match=expected):
            message.seal(offset, bytes(size))
        with pytest.raises(ArgumentError, match=expected):
            message.seal_into(offset, bytes(size), memoryview(out)[:size])
    for offset, expected in ((-1, "offset -1 given, at least 0"), (2**70, f"offset {2**70} given"), ("0", "offset")):
        with pytest.raises(ArgumentError, match=expected):
            message.seal(offset, bytes(16))  # type: ignore[arg-type]
    assert out == b"\xaa" * 16
    with pytest.raises(ArgumentError, match="of 17 bytes given, 16 expected"):
        message.seal_into(0, bytes(16), bytearray(17))
    with pytest.raises(ArgumentError, match="data of type str given"):
        message.seal(0, "text")  # type: ignore[arg-type]


def test_an_empty_message_has_a_tag() -> None:
    for pair in PAIRS:
        message = pair.own(pair.key).multipart(NONCE, AAD, 0)
        sealed, partial = message.seal(0, b"")
        expected = pair.pyca(pair.key).encrypt(NONCE, b"", AAD)
        assert sealed + message.finish([partial]) == message.finish([]) == expected
        with pytest.raises(ArgumentError, match="overlaps|repeated|once"):
            message.finish([partial, partial])


def test_parts_of_the_longest_message_have_their_offsets() -> None:
    """Counter and lengths of the last blocks of a message of 64 GiB, of which only parts are computed."""
    length = 2**36 - 32
    message = GCM_256.own(GCM_256.key).multipart(NONCE, AAD, length)
    sealed, partial = message.seal(length - 48, bytes(48))
    assert (partial.offset, partial.length) == (length - 48, 48)
    # The keystream of CTR with 32-bit counters: the last block has the number 2^32 - 1.
    ecb = Cipher(algorithms.AES(GCM_256.key), modes.ECB()).encryptor()
    assert sealed == b"".join(ecb.update(NONCE + (2**32 - 3 + i).to_bytes(4, "big")) for i in range(3))
    with pytest.raises(ArgumentError, match=f"no part covers bytes 0 to {length - 48}"):
        message.finish([partial])


def test_objects_with_secrets_are_not_pickled_and_not_printed() -> None:
    for pair in PAIRS:
        cipher = pair.own(pair.key)
        message = cipher.multipart(NONCE, AAD, LENGTH)
        _, partial = message.seal(0, text(LENGTH))
        for secret in (cipher, message, partial):
            for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError, match="pickle"):
                    attempt(secret)
            shown = repr(secret) + str(secret)
            for value in (pair.key, bytes(partial)[32:]):
                assert value.hex() not in shown and repr(value)[2:-1] not in shown
        assert repr(partial) == "<aeadlab.Partial, 101 bytes at 0>"


def test_a_partial_value_reveals_the_key_of_the_hash() -> None:
    """The reason for keeping it secret, as docs/ONE-MESSAGE.md explains."""
    block, partial = GCM_256.own(GCM_256.key).multipart(NONCE, None, 16).seal(0, bytes(16))
    value = int.from_bytes(bytes(partial)[32:], "big")
    assert multiply(value, inverse(int.from_bytes(block, "big"))) == hash_key(GCM_256.key)
    block, partial = CHACHA.own(CHACHA.key).multipart(NONCE, None, 16).seal(0, bytes(16))
    prime, value = 2**130 - 5, int.from_bytes(bytes(partial)[32:], "little")
    revealed = value * pow(int.from_bytes(block, "little") + 2**128, -1, prime) % prime
    stream = Cipher(algorithms.ChaCha20(CHACHA.key, bytes(4) + NONCE), None).encryptor().update(bytes(16))
    assert revealed == int.from_bytes(stream, "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
