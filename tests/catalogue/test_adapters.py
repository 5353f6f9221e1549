from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.kinds import OPS

MODULES = {
    "pyca": "cryptography",
    "pycryptodome": "Crypto",
    "blake3_py": "blake3",
    "numba": "numba",
    "pynacl": "nacl",
}


def gathered() -> list[Adapter]:
    found = []
    # hashlib is Python's own and always there.
    for module in (*MODULES, "hashlib"):
        for implementation in import_module(f"aeadlab.catalogue.adapters.{module}").implementations():
            assert isinstance(implementation, Adapter)
            found.append(implementation)
    return found


ALL = gathered()
BY_NAME = {adapter.name: adapter for adapter in ALL}
every = pytest.mark.parametrize("adapter", ALL, ids=lambda adapter: adapter.name)


def arguments(adapter: Adapter, length: int = 64) -> tuple[bytes, bytes, bytes]:
    d = adapter.description
    return bytes(range(d.key_bytes)), bytes(range(d.nonce_bytes)), bytes(i * 7 % 256 for i in range(length))


def joined(result: object) -> bytes:
    if isinstance(result, tuple):
        return b"".join(result)
    return bytes(memoryview(result))  # type: ignore[arg-type]


def test_what_the_lab_needs_is_there() -> None:
    wanted = {"pyca/aes-256-gcm", "pycryptodome/aes-256-gcm", "blake3-py/blake3", "numba/xor"}
    wanted |= {"pynacl/xchacha20-poly1305", "hashlib/sha-256", "numba/chacha20", "numba/rc4"}
    assert wanted <= set(BY_NAME)
    assert "baseline" in BY_NAME["numba/xor"].description.flags
    assert all(adapter.description.version and adapter.description.origin == "python" for adapter in ALL)


@every
def test_prepared_calls_give_what_the_methods_give(adapter: Adapter) -> None:
    """Each model, each operation, and again: a timed call is repeated."""
    key, nonce, data = arguments(adapter)
    kind = adapter.description.kind
    aad = b"header" if kind == "aead" else b""
    assert "oneshot" in adapter.models
    for model in adapter.models:
        for op in OPS[kind]:
            if kind == "aead":
                given = adapter.seal(key, nonce, data, aad) if op == "open" else data
                wanted = getattr(adapter, op)(key, nonce, given, aad)
            else:
                given = adapter.encrypt(key, nonce, data) if op == "decrypt" else data
                wanted = getattr(adapter, op)(key, nonce, given)
            call = adapter.prepared(op, model, key, nonce, given, aad)
            assert joined(call()) == wanted
            assert joined(call()) == wanted


@every
def test_wrong_lengths_say_what_is_wanted(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    d = adapter.description
    op = {"aead": adapter.seal, "cipher": adapter.encrypt}.get(d.kind, adapter.digest)
    with pytest.raises(
        ArgumentError, match=rf"{d.name}: a key of {d.key_bytes + 1} bytes was given, {d.key_bytes} are"
    ):
        op(key + b"k", nonce, data)
    with pytest.raises(ArgumentError, match=rf"{d.name}: a nonce of 1048600 bytes was given"):
        op(key, bytes(1048600), data)
    if d.nonce_bytes:
        with pytest.raises(ArgumentError, match="a nonce of 0 bytes was given"):
            op(key, b"", data)
    if d.kind == "aead":
        short = d.tag_bytes - 1
        with pytest.raises(ArgumentError, match=f"{short} bytes cannot be opened, the tag alone takes {d.tag_bytes}"):
            adapter.open(key, nonce, bytes(short))
    if d.block_bytes > 1:
        with pytest.raises(ArgumentError, match=f"a multiple of {d.block_bytes} is wanted"):
            op(key, nonce, data + b"!")


@every
def test_other_kinds_of_call_are_refused(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    for op in {"seal", "open", "encrypt", "decrypt", "digest", "generate"} - {*OPS[adapter.description.kind]}:
        with pytest.raises(ArgumentError, match=f"'{op}' was asked"):
            adapter.prepared(op, "oneshot", key, nonce, data)


@every
def test_views_count_bytes_not_items(adapter: Adapter) -> None:
    key, nonce, data = arguments(adapter)
    d = adapter.description
    op = {"aead": adapter.seal, "cipher": adapter.encrypt}.get(d.kind, adapter.digest)
    assert op(bytearray(key), memoryview(nonce), memoryview(bytearray(data))) == op(key, nonce, data)


@pytest.mark.parametrize("name", [adapter.name for adapter in ALL if adapter.description.kind == "aead"])
def test_a_changed_tag_is_an_authentication_error(name: str) -> None:
    adapter = BY_NAME[name]
    key, nonce, data = arguments(adapter)
    sealed = adapter.seal(key, nonce, data, b"header")
    with pytest.raises(AuthenticationError, match=f"{name}: the tag does not match"):
        adapter.open(key, nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"header")
    assert adapter.open(key, nonce, sealed, b"header") == data


def test_models_that_a_library_lacks_are_refused() -> None:
    adapter = BY_NAME["pycryptodome/aes-256-gcm"]
    with pytest.raises(ArgumentError, match="no model 'keyed' in Python; it has oneshot"):
        adapter.prepared("seal", "keyed", *arguments(adapter))


def test_keyed_calls_set_the_key_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key's object is made when the call is prepared in model keyed, at each call in model oneshot."""
    from cryptography.hazmat.primitives.ciphers import aead

    from aeadlab.catalogue.adapters import pyca

    made = []

    def counting(key: bytes) -> aead.AESGCM:
        made.append(key)
        return aead.AESGCM(key)

    bind = pyca._aead(counting)
    for model, times in (("keyed", 1), ("oneshot", 3)):
        made.clear()
        call = bind("seal", model, bytes(32), bytes(12), b"message", b"")
        for _ in range(3):
            call()
        assert len(made) == times


@pytest.mark.parametrize(("module", "package"), MODULES.items())
def test_an_absent_library_is_an_import_error(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = import_module(f"aeadlab.catalogue.adapters.{module}")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError):
        adapter.implementations()


def test_libraries_are_imported_only_when_asked_for() -> None:
    names = ", ".join(f"aeadlab.catalogue.adapters.{module}" for module in MODULES)
    code = f"import {names}, sys; print([p for p in {[*MODULES.values()]} if p in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
