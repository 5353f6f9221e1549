from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab.catalogue import Catalogue, adapters, load, native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import BuildError, Error, UnknownNameError

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def test_find_returns_every_implementation_by_name(catalogue: Catalogue) -> None:
    implementations = list(catalogue)
    assert len(implementations) == len(catalogue) > 20
    assert max(Counter(i.name for i in implementations).values()) == 1
    for implementation in implementations:
        assert catalogue.find(implementation.name) is implementation
        d = implementation.description
        assert implementation.name == f"{d.library}/{d.algorithm}"
        assert d.version and d.origin and d.block_bytes >= 1


def test_contains_the_implementations_of_the_paper(catalogue: Catalogue) -> None:
    expected = {
        *("baseline/memcpy", "baseline/xor", "numba/xor"),
        *("openssl/aes-256-gcm", "rustcrypto/aes-256-gcm", "pyca/aes-256-gcm", "pycryptodome/aes-256-gcm"),
        *(
            "aeadlab/aes-256-ctr+blake3",
            "blake3/blake3",
            "blake3-py/blake3",
            "rustcrypto/ghash",
            "openssl/aes-256-gmac",
        ),
    }
    assert expected <= {i.name for i in catalogue}
    assert "cryptopp" in catalogue.absent or "cryptopp/aes-256-gcm" in {i.name for i in catalogue}


@pytest.mark.parametrize(
    ("kind", "library", "algorithm"),
    [
        (None, None, None),
        ("aead", None, None),
        (None, "openssl", None),
        (None, None, "aes-256-gcm"),
        ("aead", "openssl", "aes-256-gcm"),
        ("hash", "openssl", "aes-256-gcm"),
        ("no-such", None, None),
    ],
)
def test_select_returns_all_matches_in_order(
    catalogue: Catalogue, kind: str | None, library: str | None, algorithm: str | None
) -> None:
    def matches(i: Implementation) -> bool:
        d = i.description
        given = ((kind, d.kind), (library, d.library), (algorithm, d.algorithm))
        return all(selected is None or selected == value for selected, value in given)

    assert catalogue.select(kind, library, algorithm) == [i for i in catalogue if matches(i)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("openssl/aes-256-gmc", "openssl/aes-256-gcm"),
        ("OpenSSL/AES-256-GCM", "nearest: openssl/aes-256-gcm"),
        ("opensl/aes-256-gcm", "openssl/aes-256-gcm"),
        ("openssl", "`aeadlab list --library openssl` lists its implementations"),
        ("zzzzzzzz", "`aeadlab list` lists all"),
        ("", "`aeadlab list` lists all"),
    ],
)
def test_unknown_name_reports_the_nearest(catalogue: Catalogue, name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.find(name)
    assert f"no implementation is called {name!r}" in str(caught.value)
    assert hint in str(caught.value)
    assert isinstance(caught.value, LookupError | Error)


def test_find_linked_name_imports_no_python_library() -> None:
    code = (
        "import sys; from aeadlab import load; load().find('openssl/aes-256-gcm'); print(*sys.modules);"
        "load().find('pyca/aes-256-gcm'); assert 'cryptography' in sys.modules"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numba", "cryptography", "Crypto", "blake3"}.isdisjoint(modules)


def test_missing_python_library_is_absent_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.adapters.blake3_py", raising=False)
    monkeypatch.setitem(sys.modules, "blake3", None)
    catalogue = load()
    names = {i.name for i in catalogue}
    assert "pyca/aes-256-gcm" in names
    assert "blake3-py/blake3" not in names
    assert catalogue.absent["blake3-py"].startswith("the Python package cannot be imported: ")
    with pytest.raises(UnknownNameError, match="blake3-py/blake3 is absent: the Python package cannot be imported"):
        catalogue.find("blake3-py/blake3")


def test_rejects_two_adapters_with_the_same_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, catalogue: Catalogue
) -> None:
    twin = "from aeadlab.catalogue.adapters import pyca\nimplementations = pyca.implementations\n"
    (tmp_path / "twin.py").write_text(twin)
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(tmp_path)])
    with pytest.raises(Error, match="is already in the catalogue"):
        list(load())
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.adapters.twin")


def test_missing_extension_reports_the_build_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.native")
    monkeypatch.delattr("aeadlab.catalogue.native")
    monkeypatch.setitem(sys.modules, "aeadlab._native", None)
    monkeypatch.delattr("aeadlab._native")
    with pytest.raises(BuildError, match=r"the compiled extension is missing .*: run `make build`"):
        load().find("openssl/aes-256-gcm")


def test_absent_returns_a_copy(compiled: Callable[..., Path]) -> None:
    path = compiled("other")
    catalogue = load([path])
    catalogue.absent.clear()
    assert str(path) in catalogue.absent


def test_repr_of_an_implementation(catalogue: Catalogue) -> None:
    implementation = catalogue.find("baseline/xor")
    assert repr(implementation) == f"<baseline/xor cipher ({implementation.description.version})>"


def test_package_exports_exactly_its_public_names() -> None:
    for name in aeadlab.__all__:
        assert getattr(aeadlab, name) is not None
    assert dir(aeadlab) == sorted(aeadlab.__all__)
    assert aeadlab.load is load
    with pytest.raises(AttributeError, match="module 'aeadlab' has no attribute 'lod'"):
        aeadlab.lod  # noqa: B018


def test_linked_returns_equal_descriptions_each_time() -> None:
    assert [i.description for i in native.linked()] == [i.description for i in native.linked()]
