"""Arguments are memory of numbers, bool or bytes; addresses are never taken for data."""

from __future__ import annotations

import array
import ctypes
import mmap
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from aeadlab import ParSplit, SealedFile, _native, decrypt_iter, message_key
from aeadlab.catalogue import Catalogue, Implementation, load
from aeadlab.catalogue.octets import octets
from aeadlab.errors import ArgumentError, AuthenticationError, BufferArgumentError, Error

OBJECTS = np.array([b"a", None, 3, "text"], object)


class Pointers(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int), ("text", ctypes.c_char_p)]


class Packed(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("kind", ctypes.c_char), ("address", ctypes.c_void_p)]


class Either(ctypes.Union):
    _fields_ = [("number", ctypes.c_long), ("address", ctypes.c_void_p)]


class Nested(ctypes.Structure):
    _fields_ = [("inner", Pointers * 2), ("number", ctypes.c_int)]


class Numbers(ctypes.Structure):
    _fields_ = [("O", ctypes.c_int * 3), ("P", ctypes.c_double)]


REJECTED: dict[str, Any] = {
    "an array of objects": OBJECTS,
    "an empty array of objects": OBJECTS[:0],
    "a table of objects": OBJECTS.reshape(2, 2),
    "an array of records with an object": np.zeros(3, [("a", "i4"), ("b", "O")]),
    "an array of records with an array of objects": np.zeros(3, [("a", "i4"), ("b", "O", (2, 3))]),
    "an array of records with a record with an object": np.zeros(3, [("a", [("b", "O")])]),
    "a memoryview of objects": memoryview(OBJECTS),
    "a memoryview of objects, cast": memoryview(OBJECTS).cast("B"),
    "a slice of a memoryview of objects, cast": memoryview(memoryview(OBJECTS).cast("B"))[4:12],
    "pointers of ctypes": (ctypes.c_void_p * 4)(),
    "texts of ctypes": (ctypes.c_char_p * 4)(),
    "wide texts of ctypes": (ctypes.c_wchar_p * 4)(),
    "typed pointers of ctypes": (ctypes.POINTER(ctypes.c_int) * 4)(),
    "functions of ctypes": (ctypes.CFUNCTYPE(None) * 4)(),
    "objects of ctypes": (ctypes.py_object * 4)(),
    "a struct of ctypes with a pointer": Pointers(),
    "a packed struct of ctypes": Packed(),
    "a union of ctypes": Either(),
    "nested structs of ctypes": Nested(),
    "dates": np.zeros(2, "M8[s]"),
    "texts of variable length": np.array(["a", "b"], np.dtypes.StringDType()),
    "every second item": np.zeros(8, np.uint8)[::2],
    "columns first": np.asfortranarray(np.zeros((2, 3))),
    "a series": pd.Series([1, 2]),
    "a series of objects": pd.Series([b"a", None]),
    "a table": pd.DataFrame({"a": [1]}),
    "a column of Arrow": pa.array([1, 2]),
    # Without shape or strides; ctypes has no rule for addresses in bytes of unions.
    "one number": np.array(5, np.complex128),
    "numbers of ctypes": (ctypes.c_int * 2 * 2)(),
    "a struct of ctypes": Numbers(),
    "text": "text",
    "None": None,
    "a number": 5,
    "a list": [1, 2],
    "a list of bytes": [b"a"],
}

PAGE = mmap.mmap(-1, 16)
PAGE[:] = bytes(range(16))

ACCEPTED: dict[str, Any] = {
    "bytes": bytes(range(16)),
    "a bytearray": bytearray(range(16)),
    "a memoryview": memoryview(bytes(range(16))),
    "a memoryview of integers": memoryview(array.array("i", range(4))),
    "a table in a memoryview": memoryview(bytes(range(16))).cast("B", (4, 4)),
    "octets": np.arange(16, dtype=np.uint8),
    "integers in another order": np.arange(2, dtype=">i8"),
    "a table of numbers": np.arange(4.0, dtype=np.float32).reshape(2, 2),
    "half floats": np.arange(8, dtype=np.float16),
    "complex numbers": np.arange(1, dtype=np.complex128),
    "long doubles": np.zeros(1, np.longdouble),
    "bools": np.ones(16, bool),
    "bytes of one length": np.array([b"12345678"] * 2),
    "texts of one length": np.array(["ab", "cd"]),
    "void": np.zeros(2, "V8"),
    "records": np.zeros(1, [("O", "i4", (3,)), ("P", "f4")]),
    "padded records": np.zeros(1, np.dtype([("a", "u1"), ("b", "i8")], align=True)),
    "nothing": b"",
    "an empty array": np.zeros((0, 4)),
    "array.array": array.array("l", range(2)),
    "a mapped file": PAGE,
    "a buffer of Arrow": pa.py_buffer(bytes(range(16))),
}


def content(given: Any) -> bytes:
    return bytes(memoryview(given).tobytes())


@pytest.mark.parametrize("given", REJECTED.values(), ids=[*REJECTED])
def test_rejects_memory_that_may_hold_addresses(given: Any) -> None:
    for reject in (octets, _native.check_buffer):
        with pytest.raises(BufferArgumentError, match="^here ") as caught:
            reject(given, "here")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", ACCEPTED.values(), ids=[*ACCEPTED])
def test_returns_the_octets_of_other_memory(given: Any) -> None:
    assert bytes(octets(given, "here")) == content(given)
    assert _native.check_buffer(given, "here") == len(content(given))


def test_the_message_names_argument_type_format_and_remedy() -> None:
    with pytest.raises(
        BufferArgumentError, match=r"^data of type ndarray has items of format \"O\" and 8 bytes, which may hold "
    ):
        octets(OBJECTS, "data")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


CIPHER = ParSplit("openssl/aes-256-gcm", block_size=16, threads=2)
KEY, NONCE = bytes(32), bytes(7)
SEALED = CIPHER.encrypt(KEY, NONCE, bytes(40))

CALLS: dict[str, Callable[[Any], object]] = {
    "data": lambda given: CIPHER.encrypt(KEY, NONCE, given),
    "key": lambda given: CIPHER.encrypt(given, NONCE, b""),
    "nonce": lambda given: CIPHER.encrypt(KEY, given, b""),
    "aad": lambda given: CIPHER.encrypt(KEY, NONCE, b"", given),
    "out": lambda given: CIPHER.encrypt(KEY, NONCE, b"", out=given),
    "sealed": lambda given: CIPHER.decrypt(KEY, NONCE, given),
    "out of decrypt": lambda given: CIPHER.decrypt(KEY, NONCE, SEALED, out=given),
    "a range": lambda given: CIPHER.decrypt_range(KEY, NONCE, given, 0, 1),
    "a chunk": lambda given: list(CIPHER.encrypt_iter(KEY, [given])),
    "a sealed chunk": lambda given: list(decrypt_iter(KEY, [given])),
    "the key of a context": lambda given: CIPHER.with_key(given),
    "data of a context": lambda given: CIPHER.with_key(KEY).encrypt(NONCE, given),
    "sealed data of a context": lambda given: CIPHER.with_key(KEY).decrypt(NONCE, given),
    "the salt": lambda given: message_key(KEY, given),
    "the info": lambda given: message_key(KEY, info=given),
    "the shared key": lambda given: message_key(given),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=[*CALLS])
def test_no_argument_of_parsplit_is_taken_for_its_addresses(call: Callable[[Any], object]) -> None:
    for name in REJECTED:
        if REJECTED[name] is not None:
            with pytest.raises(Error):
                call(REJECTED[name])


def test_plaintext_is_not_written_into_an_array_of_objects() -> None:
    import io

    sealed = io.BytesIO()
    CIPHER.encrypt_file(KEY, io.BytesIO(bytes(100)), sealed)
    sealed.seek(0)
    file = SealedFile(KEY, sealed)
    given = OBJECTS.copy()
    with pytest.raises(BufferArgumentError, match="buffer of type ndarray has items"):
        file.readinto(given)
    assert given.tolist() == OBJECTS.tolist()


def every(catalogue: Catalogue) -> list[Implementation]:
    """The linked implementations and those of Python libraries that take a message."""
    origins = ("linked", "python")
    return [i for i in catalogue if i.description.origin in origins and i.description.kind != "generator"]


def call(implementation: Implementation, key: Any, nonce: Any, data: Any) -> bytes:
    if implementation.description.kind == "file":
        # A file differs each time.
        return implementation.open(key, nonce, implementation.seal(key, nonce, data))
    op = {"aead": "seal", "cipher": "encrypt"}.get(implementation.description.kind, "digest")
    return bytes(getattr(implementation, op)(key, nonce, data))


def arguments(implementation: Implementation) -> tuple[bytes, bytes, bytes]:
    d = implementation.description
    # XTS rejects equal halves of a key, and a message shorter than a block.
    return bytes(range(d.key_bytes)), bytes(d.nonce_bytes), bytes(48 - 48 % d.block_bytes)


def test_every_implementation_takes_the_same_memory(catalogue: Catalogue) -> None:
    for implementation in every(catalogue):
        key, nonce, data = arguments(implementation)
        expected = call(implementation, key, nonce, data)
        for name in ("a memoryview", "octets", "integers"):
            make: dict[str, Callable[[bytes], Any]] = {
                "a memoryview": memoryview,
                "octets": lambda octets: np.frombuffer(octets, np.uint8),
                "integers": lambda octets: (
                    np.frombuffer(octets, np.uint16).reshape(-1, 1) if len(octets) % 2 == 0 else octets
                ),
            }
            given = [make[name](part) for part in (key, nonce, data)]
            assert call(implementation, *given) == expected, (implementation.name, name)
        for position in range(3):
            for wrong in (OBJECTS, REJECTED["a memoryview of objects, cast"], REJECTED["pointers of ctypes"]):
                given = [key, nonce, data]
                given[position] = wrong
                with pytest.raises(BufferArgumentError):
                    call(implementation, *given)


def test_every_implementation_takes_the_lengths_of_its_description_only(catalogue: Catalogue) -> None:
    for implementation in every(catalogue):
        d = implementation.description
        key, nonce, data = arguments(implementation)
        for size in {0, 1, d.key_bytes - 1, d.key_bytes + 1, 2 * d.key_bytes, 16, 24, 32, 64} - {d.key_bytes, -1}:
            with pytest.raises(ArgumentError):
                call(implementation, bytes(range(size)), nonce, data)
        for size in {*range(33), 64, 128} - {d.nonce_bytes}:
            if "any-nonce-length" in d.flags:
                try:
                    call(implementation, key, bytes(size), data)
                except ArgumentError:
                    continue
            else:
                with pytest.raises(ArgumentError):
                    call(implementation, key, bytes(size), data)
        result = call(implementation, key, nonce, data)
        kept = len(data) if d.kind in ("aead", "cipher", "file") else 0
        assert len(result) == kept + d.tag_bytes, d.name
        if d.kind == "aead" and "baseline" not in d.flags:
            assert implementation.open(key, nonce, result) == data
            for size in {*range(len(data), len(result)), len(result) + 1}:
                with pytest.raises((ArgumentError, AuthenticationError)):
                    implementation.open(key, nonce, (result + b"\0")[:size])
