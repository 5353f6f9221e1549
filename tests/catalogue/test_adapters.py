from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from aeadlab.catalogue.adapters.base import REUSED, Adapter, Row, result_of
from aeadlab.catalogue.implementation import Buffer
from aeadlab.catalogue.kinds import OPS
from aeadlab.errors import ArgumentError, AuthenticationError, VerificationError

MODULES = {
    "pyrage": "pyrage",
    "pyca": "cryptography",
    "pycryptodome": "Crypto",
    "blake3_py": "blake3",
    "numba": "numba",
    "pynacl": "nacl",
}


def all_adapters() -> list[Adapter]:
    adapters = []
    # hashlib belongs to the standard library.
    for module in (*MODULES, "hashlib"):
        for implementation in import_module(f"aeadlab.catalogue.adapters.{module}").implementations():
            assert isinstance(implementation, Adapter)
            adapters.append(implementation)
    return adapters


ALL = all_adapters()
BY_NAME = {adapter.name: adapter for adapter in ALL}
every = pytest.mark.parametrize("adapter", ALL, ids=lambda adapter: adapter.name)


def forward(adapter: Adapter) -> Callable[[Any, Any, Any], bytes]:
    """Return the first operation; for a file, which differs each time, sealing and opening."""
    kind = adapter.description.kind
    if kind == "file":
        return lambda key, nonce, data: adapter.open(key, nonce, adapter.seal(key, nonce, data))
    return {"aead": adapter.seal, "cipher": adapter.encrypt}.get(kind, adapter.digest)


def arguments(adapter: Adapter, length: int = 64) -> tuple[bytes, bytes, bytes]:
    d = adapter.description
    return bytes(range(d.key_bytes)), bytes(range(d.nonce_bytes)), bytes(i * 7 % 256 for i in range(length))


def joined(result: object) -> bytes:
    if isinstance(result, tuple):
        return b"".join(result)
    return bytes(memoryview(result))  # type: ignore[arg-type]


def test_provides_the_implementations_of_the_studies() -> None:
    expected = {"pyca/aes-256-gcm", "pycryptodome/aes-256-gcm", "blake3-py/blake3", "numba/xor"}
    expected |= {"pynacl/xchacha20-poly1305", "hashlib/sha-256", "numba/chacha20", "numba/rc4"}
    assert expected <= set(BY_NAME)
    assert "baseline" in BY_NAME["numba/xor"].description.flags
    assert all(adapter.description.version and adapter.description.origin == "python" for adapter in ALL)


@every
def test_prepared_calls_equal_the_methods(adapter: Adapter) -> None:
    """For each model and operation, and for a repeated call."""
    key, nonce, data = arguments(adapter)
    kind = adapter.description.kind
    aad = b"header" if kind == "aead" else b""
    assert "oneshot" in adapter.models
    for model in adapter.models:
        for op in OPS[kind]:
            if kind == "file" and op == "seal":
                call = adapter.prepare_call(op, model, key, nonce, data, aad)
                assert all(adapter.open(key, nonce, joined(result_of(call, call()))) == data for _ in range(2))
                continue
            if kind in ("aead", "file"):
                given = adapter.seal(key, nonce, data, aad) if op == "open" else data
                expected = getattr(adapter, op)(key, nonce, given, aad)
            else:
                given = adapter.encrypt(key, nonce, data) if op == "decrypt" else data
                expected = getattr(adapter, op)(key, nonce, given)
            call = adapter.prepare_call(op, model, key, nonce, given, aad)
            assert joined(result_of(call, call())) == expected
            assert joined(result_of(call, call())) == expected


REUSING = [adapter for adapter in ALL if adapter.description.algorithm.endswith(REUSED)]


def test_reused_memory_has_rows_of_its_own_beside_fresh_output() -> None:
    names = {adapter.name for adapter in REUSING}
    for library in ("pyca", "pycryptodome"):
        assert {f"{library}/aes-256-gcm.reused", f"{library}/chacha20-poly1305.reused"} <= names
    for adapter in REUSING:
        fresh = BY_NAME[adapter.name.removesuffix(REUSED)]
        assert adapter.models == fresh.models and adapter.description.signature == fresh.description.signature


@pytest.mark.parametrize("adapter", REUSING, ids=lambda adapter: adapter.name)
def test_calls_with_reused_memory_write_to_the_same_bytes(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter, 100_000)
    fresh = BY_NAME[adapter.name.removesuffix(REUSED)]
    for model in adapter.models:
        for op, given in (("seal", data), ("open", fresh.seal(key, nonce, data))):
            call = adapter.prepare_call(op, model, key, nonce, given)
            results = [result_of(call, call()) for _ in range(2)]
            first, again = (result[0] if isinstance(result, tuple) else result for result in results)
            assert first is again and isinstance(first, bytearray)
            other = fresh.prepare_call(op, model, key, nonce, given)
            results = [result_of(other, other()) for _ in range(2)]
            first, again = (result[0] if isinstance(result, tuple) else result for result in results)
            assert first is not again


@every
def test_rejects_wrong_lengths(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    d = adapter.description
    op = forward(adapter)
    with pytest.raises(ArgumentError, match=rf"{d.name}: key of {d.key_bytes + 1} bytes given, {d.key_bytes} expected"):
        op(key + b"k", nonce, data)
    with pytest.raises(ArgumentError, match=rf"{d.name}: nonce of 1048600 bytes given"):
        op(key, bytes(1048600), data)
    if d.nonce_bytes:
        with pytest.raises(ArgumentError, match="nonce of 0 bytes given"):
            op(key, b"", data)
    if d.kind == "aead":
        short = d.tag_bytes - 1
        with pytest.raises(
            ArgumentError, match=f"sealed message of {short} bytes given, at least {d.tag_bytes} expected"
        ):
            adapter.open(key, nonce, bytes(short))
    if d.block_bytes > 1:
        with pytest.raises(ArgumentError, match=f"a multiple of {d.block_bytes} expected"):
            op(key, nonce, data + b"!")


@every
def test_rejects_operations_of_other_kinds(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    for op in {"seal", "open", "encrypt", "decrypt", "digest", "generate"} - {*OPS[adapter.description.kind]}:
        with pytest.raises(ArgumentError, match=f"operation '{op}' given"):
            adapter.prepare_call(op, "oneshot", key, nonce, data)


@every
def test_accepts_bytearrays_and_memoryviews(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    op = forward(adapter)
    assert op(bytearray(key), memoryview(nonce), memoryview(bytearray(data))) == op(key, nonce, data)


@pytest.mark.parametrize("name", [adapter.name for adapter in ALL if adapter.description.kind == "aead"])
def test_changed_tag_raises_authentication_error(name: str) -> None:
    adapter = BY_NAME[name]
    key, nonce, data = arguments(adapter)
    sealed = adapter.seal(key, nonce, data, b"header")
    with pytest.raises(AuthenticationError, match=f"{name}: the tag does not match"):
        adapter.open(key, nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"header")
    assert adapter.open(key, nonce, sealed, b"header") == data


def test_rejects_models_that_a_library_lacks() -> None:
    adapter = BY_NAME["pycryptodome/aes-256-gcm"]
    with pytest.raises(ArgumentError, match="model 'keyed' given, oneshot expected"):
        adapter.prepare_call("seal", "keyed", *arguments(adapter))


def test_keyed_calls_set_up_the_key_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The object of the key is constructed at preparation for ``keyed``, at each call for ``oneshot``."""
    from cryptography.hazmat.primitives.ciphers import aead

    from aeadlab.catalogue.adapters import pyca

    keys = []

    def counting(key: bytes) -> aead.AESGCM:
        keys.append(key)
        return aead.AESGCM(key)

    bind = pyca._aead(counting)
    for model, times in (("keyed", 1), ("oneshot", 3)):
        keys.clear()
        call = bind("seal", model, bytes(32), bytes(12), b"message", b"")
        for _ in range(3):
            call()
        assert len(keys) == times


@pytest.mark.parametrize(("module", "package"), MODULES.items())
def test_absent_library_raises_import_error(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = import_module(f"aeadlab.catalogue.adapters.{module}")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError):
        adapter.implementations()


def test_import_of_adapters_imports_no_library() -> None:
    names = ", ".join(f"aeadlab.catalogue.adapters.{module}" for module in MODULES)
    code = f"import {names}, sys; print([p for p in {[*MODULES.values()]} if p in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("argument", ["key", "nonce", "input", "associated data"])
@pytest.mark.parametrize("op", ["seal", "open"])
def test_a_changed_argument_is_reported(op: str, argument: str) -> None:
    """A library in C can change the content of bytes, which Python cannot."""

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Any:
        changed = {"key": key, "nonce": nonce, "input": data, "associated data": aad}[argument]

        def call() -> bytes:
            ctypes.memset(id(changed) + bytes.__basicsize__ - 1, 7, 1)
            if op == "open":
                raise KeyError("no")
            return b"sealed"

        return call

    row = Row("toy", "aead", bind, key=16, nonce=12, tag=16)
    adapter = Adapter(row.describe("test", "1"), row, rejections=(KeyError,))
    # New objects, because others may share those of constants.
    inputs = [bytes(bytearray(range(length))) for length in (16, 12, 32, 5)]
    with pytest.raises(VerificationError, match=f"it writes to its {argument}$"):
        getattr(adapter, op)(*inputs)
