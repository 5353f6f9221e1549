"""The package's exceptions are also the builtin ones that Python raises in the same situation."""

from __future__ import annotations

import builtins
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aeadlab
from aeadlab import ArgumentError, ArgumentTypeError, BufferArgumentError, BufferTypeError, ParSplit, errors

GCM = "openssl/aes-256-gcm"
CIPHER = ParSplit(GCM, block_size=64)
KEY, NONCE = bytes(32), bytes(7)
SEALED = CIPHER.encrypt(KEY, NONCE, bytes(200))
BOX = CIPHER.with_key(KEY)
ANY: Any = CIPHER
KEYED: Any = BOX
NEW: Any = ParSplit

WRONG_TYPES: dict[str, tuple[Callable[[], object], str]] = {
    "implementation None": (lambda: NEW(None), "implementation None given, a name such as openssl/aes-256-gcm or auto"),
    "implementation 5": (lambda: NEW(5), "implementation 5 given, a name such as"),
    "block size as text": (lambda: NEW(GCM, "64K"), "block size '64K' given, an integer expected"),
    "half a thread": (lambda: NEW(GCM, threads=1.5), "threads 1.5 given, an integer expected"),
    "key as text": (lambda: ANY.encrypt("k" * 32, NONCE, b""), "key of type str given, a bytes-like object expected"),
    "data None": (lambda: ANY.encrypt(KEY, NONCE, None), "data of type NoneType given, a bytes-like object expected"),
    "out 99": (lambda: ANY.encrypt(KEY, NONCE, b"", None, 99), "out of type int given, a bytes-like object expected"),
    "out 99, into": (lambda: KEYED.encrypt_into(NONCE, b"", None, 99), "out of type int given, a bytes-like object"),
    "key None": (lambda: ANY.with_key(None), "key of type NoneType given, a bytes-like object expected"),
    "first block": (lambda: ANY.decrypt_range(KEY, NONCE, SEALED, 0.5, 1), "first block 0.5 given, an integer"),
    "count": (lambda: KEYED.decrypt_range(NONCE, SEALED, 0, "1"), "count '1' given, an integer expected"),
    "source None": (lambda: ANY.encrypt_file(KEY, None, io.BytesIO()), "source of type NoneType given, a path or a"),
    "sink None": (lambda: ANY.encrypt_file(KEY, io.BytesIO(), None), "sink of type NoneType given, a path or a"),
    "chunks": (lambda: ANY.encrypt_iter(KEY, b"abc"), "chunks of type bytes given, an iterable of bytes expected"),
    "derived key": (lambda: aeadlab.message_key(KEY, bytes="x"), "a derived key of 'x' bytes requested, 1 to"),  # type: ignore[arg-type]
}
WRONG_VALUES: dict[str, tuple[Callable[[], object], str]] = {
    "beyond the end": (lambda: CIPHER.decrypt_range(KEY, NONCE, SEALED, 9, 1),
        "^1 block from block 9 requested, the message has 4: blocks 0 to 3$"),
    "keyed, beyond the end": (lambda: BOX.decrypt_range(NONCE, SEALED, 3, 2),
        "^2 blocks from block 3 requested, the message has 4: blocks 0 to 3$"),
    "far beyond": (lambda: BOX.decrypt_range(NONCE, SEALED, 2**63, 2**63), "blocks from block 9223372036854775808 req"),
    "first block": (lambda: CIPHER.decrypt_range(KEY, NONCE, SEALED, -1, 1), "first block -1 given, at least 0 exp"),
    "keyed, first block": (lambda: BOX.decrypt_range(NONCE, SEALED, -1, 1), "first block -1 given, at least 0 exp"),
    "count": (lambda: BOX.decrypt_range(NONCE, SEALED, 0, 0), "count 0 given, at least 1 expected"),
    "too large": (lambda: BOX.decrypt_range(NONCE, SEALED, 2**64, 1), "first block 18446744073709551616 given, at"),
    "key": (lambda: CIPHER.with_key(bytes(3)), "key of 3 bytes given, 32 expected"),
}  # fmt: skip
UNSUITABLE: dict[str, tuple[Callable[[], object], str]] = {
    "read-only": (lambda: CIPHER.encrypt(KEY, NONCE, b"", None, bytes(99)), "out of type bytes is read-only"),
    "read-only, into": (lambda: BOX.encrypt_into(NONCE, b"", None, bytes(99)), "out of type bytes is read-only"),
    "too small": (lambda: CIPHER.encrypt(KEY, NONCE, b"abc", None, bytearray(3)), "out of 3 bytes given, at least 19"),
    "too small, into": (lambda: BOX.encrypt_into(NONCE, b"abc", None, bytearray(3)), "out of 3 bytes given, at least"),
    "addresses": (lambda: BOX.encrypt_into(NONCE, b"", None, np.array([None] * 9)), "out of type ndarray has items of"),
    "apart": (lambda: CIPHER.encrypt(KEY, NONCE, np.zeros((4, 4))[:, 1]), "data is not contiguous"),
}


@pytest.mark.parametrize("fault", WRONG_TYPES)
def test_wrong_types_are_type_errors(fault: str) -> None:
    call, message = WRONG_TYPES[fault]
    with pytest.raises(TypeError, match=f"^{message}") as caught:
        call()
    assert isinstance(caught.value, ArgumentTypeError) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize("fault", WRONG_VALUES)
def test_wrong_values_are_value_errors(fault: str) -> None:
    call, message = WRONG_VALUES[fault]
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert isinstance(caught.value, ArgumentError) and not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("fault", UNSUITABLE)
def test_unsuitable_buffers_are_the_builtin_buffer_error(fault: str) -> None:
    call, message = UNSUITABLE[fault]
    with pytest.raises(builtins.BufferError, match=f"^{message}") as caught:
        call()
    assert isinstance(caught.value, BufferArgumentError) and isinstance(caught.value, ValueError)
    assert not isinstance(caught.value, TypeError)


def test_the_builtin_buffer_error_is_not_hidden() -> None:
    names: dict[str, object] = {}
    exec("from aeadlab import *\nfrom aeadlab.errors import *\nfound = BufferError", names)
    assert names["found"] is builtins.BufferError
    assert "BufferError" not in aeadlab.__all__


@pytest.mark.parametrize("module", [aeadlab, errors])
def test_the_old_name_is_a_deprecated_alias(module: object) -> None:
    with pytest.warns(DeprecationWarning, match="use BufferArgumentError, or the builtin"):
        found = getattr(module, "BufferError")  # noqa: B009 (a type checker does not know the name)
    assert found is BufferArgumentError
    with pytest.raises(AttributeError, match="no attribute 'Absent'"):
        getattr(module, "Absent")  # noqa: B009


def test_errors_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(BufferTypeError("key of type str given")))
    assert type(again) is BufferTypeError and str(again) == "key of type str given"
