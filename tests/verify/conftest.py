"""Test doubles: correct implementations in which single operations are replaced by faulty ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue.adapters import pyca, pycryptodome
from aeadlab.catalogue.implementation import Buffer, Implementation


@pytest.fixture(scope="session")
def prepared_cache(tried_plugins: Path) -> Path:
    """Nothing is verified before these tests."""
    return tried_plugins


class Double(Implementation):
    """An implementation that calls a correct one, or `faults[op]` with the correct one as first argument."""

    def __init__(self, correct: Implementation, faults: dict[str, Callable[..., bytes]], **facts: Any) -> None:
        super().__init__(replace(correct.description, **{"library": "double", **facts}))
        self._correct = correct
        self._faults = faults

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        return self._call("seal", key, nonce, data, aad)

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        return self._call("open", key, nonce, sealed, aad)

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        return self._call("encrypt", key, nonce, data)

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        return self._call("decrypt", key, nonce, data)

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        return self._call("digest", key, nonce, data)

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        return self._call("generate", key, requests)

    def _call(self, op: str, *arguments: Buffer | Sequence[int]) -> bytes:
        if op in self._faults:
            return self._faults[op](self._correct, *arguments)
        result = getattr(self._correct, op)(*arguments)
        assert isinstance(result, bytes)
        return result


MakeDouble = Callable[..., Double]


@pytest.fixture
def double() -> MakeDouble:
    """``double(correct, seal=..., open=..., facts={...})``: an implementation of library ``double``."""

    def make(correct: Implementation, *, facts: dict[str, Any] | None = None, **faults: Callable[..., bytes]) -> Double:
        return Double(correct, faults, **(facts or {}))

    return make


@pytest.fixture(scope="session")
def by_name() -> dict[str, Implementation]:
    return {i.name: i for library in (pyca, pycryptodome) for i in library.implementations()}


@pytest.fixture(scope="session")
def gcm(by_name: dict[str, Implementation]) -> Implementation:
    return by_name["pyca/aes-256-gcm"]


@pytest.fixture(scope="session")
def other_gcm(by_name: dict[str, Implementation]) -> Implementation:
    return by_name["pycryptodome/aes-256-gcm"]
