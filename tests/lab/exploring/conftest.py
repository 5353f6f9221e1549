"""Isolated folders and lock, a shared verification cache, and one exploration."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.bench import lock
from aeadlab.display import front_end
from aeadlab.lab.exploring import Exploration, look_at

NAMES = ["openssl/aes-256-gcm", "blake3/blake3"]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, prepared_cache: Path) -> Path:
    return Path(shutil.copytree(prepared_cache, tmp_path_factory.mktemp("cache"), dirs_exist_ok=True))


@pytest.fixture(autouse=True)
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path) -> Path:
    monkeypatch.setattr(lock, "PATH", tmp_path / "lock")
    monkeypatch.setenv("AEADLAB_CACHE", str(cache))
    monkeypatch.setenv(paths.RESULTS, str(tmp_path / "results"))
    monkeypatch.delenv(front_end.WIDGETS, raising=False)
    return tmp_path / "results"


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Exploration:
    """Return an exploration of an AEAD and a hash over 4 KiB, six samples each, for tests that only read it."""
    folder = tmp_path_factory.mktemp("seen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock, "PATH", folder / "lock")
        patch.setenv("AEADLAB_CACHE", str(cache))
        return look_at(NAMES, bytes=4096, samples=6, output=folder)
