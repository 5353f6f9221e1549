from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aeadlab import _native, paths
from aeadlab.catalogue import Catalogue, Description, Implementation, load
from aeadlab.errors import BuildError
from aeadlab.host import machine
from aeadlab.records import provenance
from aeadlab.records.provenance import check_build, collect, identity, sources_hash
from tests.fixtures.repository import git

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """Return the native sources of a small checkout."""
    (tmp_path / "pyproject.toml").touch()
    folder = tmp_path / "native"
    for name, text in {
        "Cargo.toml": "[workspace]",
        "include/aeadlab.h": "int a;",
        "abi/src/lib.rs": "mod a;",
        "parsplit/tests/one.rs": "#[test]",
        "libraries/src/openssl.rs": "// one",
        "plugins/cryptopp/plugin.cpp": "// not linked",
        "target/release/build.rs": "// made",
        "abi/README.md": "read",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_check_build_accepts_this_extension() -> None:
    info = check_build()
    assert info["profile"] == "release"
    assert info["sources"] == sources_hash(ROOT / "native")


def test_rejects_a_debug_build(monkeypatch: pytest.MonkeyPatch) -> None:
    info = {**dict(_native.build_info()), "profile": "debug"}
    monkeypatch.setattr(_native, "build_info", lambda: list(info.items()))
    with pytest.raises(BuildError, match="debug build, whose times are not comparable: run `make build`"):
        check_build()


def test_rejects_an_extension_older_than_its_sources(monkeypatch: pytest.MonkeyPatch, native: Path) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: native.parent)
    built = dict(_native.build_info())["sources"]
    message = rf"older than its sources \({built[:8]}, now {sources_hash(native)[:8]}\): run `make build`"
    with pytest.raises(BuildError, match=message):
        check_build()


def test_check_build_needs_no_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert check_build()["profile"] == "release"


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("Cargo.toml", True),
        ("include/aeadlab.h", True),
        ("abi/src/lib.rs", True),
        ("libraries/src/openssl.rs", True),
        ("python/src/new.rs", True),
        ("parsplit/tests/one.rs", False),
        ("plugins/cryptopp/plugin.cpp", False),
        ("target/release/build.rs", False),
        ("abi/README.md", False),
    ],
)
def test_sources_hash_covers_the_extensions_sources_only(native: Path, name: str, counts: bool) -> None:
    before = sources_hash(native)
    (native / name).parent.mkdir(parents=True, exist_ok=True)
    (native / name).write_text("changed")
    assert (sources_hash(native) != before) == counts


def test_a_renamed_source_changes_the_hash(native: Path) -> None:
    before = sources_hash(native)
    (native / "libraries/src/openssl.rs").rename(native / "libraries/src/aws_lc.rs")
    assert sources_hash(native) != before


def test_collects_machine_builds_and_implementations(catalogue: Catalogue) -> None:
    chosen = [catalogue.find("openssl/aes-256-gcm"), catalogue.find("pyca/aes-256-gcm")]
    found = collect(chosen, {"openssl/aes-256-gcm": {"ok": True}}, machine.facts())
    assert json.loads(json.dumps(found)) == found
    assert found["machine"]["cpu_count"] >= 1 and found["machine"]["kernel"]
    assert found["machine"]["python_version"].startswith("3.")
    assert found["extension"] == dict(_native.build_info())
    assert {"profile", "sources"} <= set(found["extension"])
    assert found["packages"]["numpy"] and found["packages"]["cryptography"]
    assert found["verified"] == {"openssl/aes-256-gcm": {"ok": True}}
    assert "quality" in found and found["date"].endswith("Z")
    openssl, pyca = (found["implementations"][i.name] for i in chosen)
    assert openssl["kind"] == "aead" and openssl["origin"] == "linked" and openssl["version"].startswith("3.")
    assert pyca["origin"] == "python" and "OpenSSL" in pyca["build"]


def test_collect_accepts_sources_edited_during_the_run(
    monkeypatch: pytest.MonkeyPatch, native: Path, catalogue: Catalogue
) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: native.parent)
    with pytest.raises(BuildError):
        check_build()
    assert collect([], {}, machine.facts())["extension"] == dict(_native.build_info())


class Plugin(Implementation):
    def seal(self, *_: object, **__: object) -> bytes:
        raise NotImplementedError

    open = encrypt = decrypt = digest = seal


def test_a_plugin_is_identified_by_content_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.so"
    path.write_bytes(b"\x7fELF")
    plugin = Plugin(Description("mine", "aes-256-gcm", "aead", "1", origin=str(path)))
    described = collect([plugin], {}, machine.facts())["implementations"]["mine/aes-256-gcm"]
    assert described["origin"] == "mine.so"
    assert described["sha256"] == hashlib.sha256(b"\x7fELF").hexdigest()
    before = identity([plugin])
    assert identity([plugin]) == before
    path.write_bytes(b"\x7fELF2")
    assert identity([plugin]) != before


@pytest.mark.parametrize("what", ["computer", "extension", "library", "selection"])
def test_identity_depends_on_computer_build_and_selection(
    monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue, what: str
) -> None:
    pyca = catalogue.find("pyca/aes-256-gcm")
    before = identity([pyca])
    chosen: list[Implementation] = [pyca]
    if what == "computer":
        monkeypatch.setattr(provenance.platform, "node", lambda: "elsewhere")
    elif what == "extension":
        monkeypatch.setattr(_native, "build_info", lambda: [("sources", "0")])
    elif what == "library":
        chosen = [Plugin(Description(**{**vars(pyca.description), "version": "0.1"}))]
    else:
        chosen = []
    assert identity(chosen) != before and len(identity(chosen)) == len(before) == 16


def test_a_package_that_is_absent_has_no_version() -> None:
    assert provenance._version("numpy") == np.__version__
    assert provenance._version("no-such-package") is None


def commit() -> Any:
    return collect([], {}, machine.facts())["commit"]


def test_commit_id_and_dirty_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    # git must not find a repository above the folder.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit() is None, "no repository"
    git(tmp_path, "init", "-q")
    assert commit() is None, "no commit"
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert commit() == {"id": head, "dirty": False}
    (tmp_path / "file").write_text("two")
    assert commit() == {"id": head, "dirty": True, "files": ["file"]}
    (tmp_path / "file").write_text("one")
    for written in ("data/records/new.parquet", "figures/figure.pdf", "docs/FINDINGS.md"):
        (tmp_path / written).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / written).touch()
    assert commit() == {"id": head, "dirty": False}, "the lab wrote these"
    (tmp_path / "docs/CLAIMS.md").touch()
    assert commit() == {"id": head, "dirty": True, "files": ["docs/CLAIMS.md"]}
    monkeypatch.setenv("PATH", "")
    assert commit() is None, "no git"
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert commit() is None, "installed from a wheel"
