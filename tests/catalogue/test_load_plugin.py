from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import aeadlab
from aeadlab.catalogue import plugins
from aeadlab.errors import PluginError
from aeadlab.parsplit import implementations
from aeadlab.studies.candidates import BASELINES

Compiled = Callable[..., Path]


@pytest.fixture(autouse=True)
def forgotten(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove the plugins that a test registers."""
    monkeypatch.setattr(plugins, "_registered", {})
    yield
    implementations._catalogue.cache_clear()


@pytest.mark.parametrize("kind", ["file", "file as text", "folder"])
def test_later_catalogues_and_parsplit_have_the_plugin(compiled: Compiled, kind: str) -> None:
    path = compiled("toy")
    aeadlab.ParSplit("openssl/aes-256-gcm")
    given = {"file": path, "file as text": str(path), "folder": path.parent}[kind]
    (toy,) = aeadlab.load_plugin(given)
    assert toy.name == "toy/xor-tag"
    assert aeadlab.load().find("toy/xor-tag").description == toy.description
    cipher = aeadlab.ParSplit("toy/xor-tag", threads=2)
    sealed = cipher.encrypt(bytes(32), bytes(7), b"message" * 20000)
    assert cipher.decrypt(bytes(32), bytes(7), sealed) == b"message" * 20000


def test_loading_twice_adds_the_plugin_once(compiled: Compiled) -> None:
    for _ in range(2):
        assert [i.name for i in aeadlab.load_plugin(compiled("toy"))] == ["toy/xor-tag"]
    assert not [place for place in aeadlab.load().absent if "toy" in place]


def test_worker_processes_load_the_plugin(compiled: Compiled, tmp_path: Path) -> None:
    path = compiled("ascon", ETH=1)
    plugin = Path(shutil.copy(path, tmp_path / "mine.so"))
    plugin.with_suffix(".toml").write_text(
        'shape = "eth"\nlibrary = "mine"\nalgorithm = "ascon-aead128"\nkey_bytes = 16\nnonce_bytes = 16\n'
        "tag_bytes = 16\nthread_safe = true\n"
    )
    aeadlab.load_plugin(plugin)
    record = aeadlab.measure("baselines", "smoke", size=4096, samples=2, implementations=["mine/ascon-aead128"])
    assert set(record.samples["implementation"]) == {"mine/ascon-aead128", *BASELINES}
    assert set(record.samples["engine"]) == {"whole", "parsplit"}


def test_an_unusable_plugin_is_an_error_and_not_registered(compiled: Compiled, tmp_path: Path) -> None:
    bad = Path(shutil.copy(compiled("toy", ABI=7), tmp_path / "bad.so"))
    shutil.copy(compiled("toy"), tmp_path / "good.so")
    for given in (bad, tmp_path):
        with pytest.raises(PluginError, match="bad.so is not a plugin: it has ABI version 7"):
            aeadlab.load_plugin(given)
    assert plugins.registered() == ()
    assert "toy" not in {i.description.library for i in aeadlab.load()}


def test_rejects_a_folder_without_plugins(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="contains no plugin: no file of the folder ends in .so"):
        aeadlab.load_plugin(tmp_path)
    with pytest.raises(PluginError, match="missing.so is not a plugin: No such file"):
        aeadlab.load_plugin(tmp_path / "missing.so")


def test_rejects_a_name_in_use(compiled: Compiled) -> None:
    with pytest.raises(PluginError, match="a library called from Python has the name pyca"):
        aeadlab.load_plugin(compiled("toy", LIBRARY='"pyca"'))
