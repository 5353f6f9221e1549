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


def test_every_implementation_is_found_by_its_own_name_and_by_no_other(catalogue: Catalogue) -> None:
    everything = list(catalogue)
    assert len(everything) == len(catalogue) > 20
    assert max(Counter(i.name for i in everything).values()) == 1
    for implementation in everything:
        assert catalogue.find(implementation.name) is implementation
        d = implementation.description
        assert implementation.name == f"{d.library}/{d.algorithm}"
        assert d.version and d.origin and d.block_bytes >= 1


def test_what_issue_and_paper_need_is_there(catalogue: Catalogue) -> None:
    wanted = {
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
    assert wanted <= {i.name for i in catalogue}
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
def test_selecting_keeps_what_matches_all_and_the_order(
    catalogue: Catalogue, kind: str | None, library: str | None, algorithm: str | None
) -> None:
    def matches(i: Implementation) -> bool:
        d = i.description
        given = ((kind, d.kind), (library, d.library), (algorithm, d.algorithm))
        return all(wanted is None or wanted == found for wanted, found in given)

    assert catalogue.select(kind, library, algorithm) == [i for i in catalogue if matches(i)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openssl/aes-256-gmc", "openssl/aes-256-gcm"),
        ("OpenSSL/AES-256-GCM", "nearest: openssl/aes-256-gcm"),
        ("opensl/aes-256-gcm", "openssl/aes-256-gcm"),
        ("openssl", "`aeadlab list --library openssl` shows its implementations"),
        ("zzzzzzzz", "`aeadlab list` shows all"),
        ("", "`aeadlab list` shows all"),
    ],
)
def test_an_unknown_name_gets_the_nearest(catalogue: Catalogue, name: str, said: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.find(name)
    assert f"no implementation is called {name!r}" in str(caught.value)
    assert said in str(caught.value)
    assert isinstance(caught.value, LookupError | Error)


def test_a_linked_name_is_found_without_importing_python_libraries() -> None:
    code = (
        "import sys; from aeadlab import load; load().find('openssl/aes-256-gcm'); print(*sys.modules);"
        "load().find('pyca/aes-256-gcm'); assert 'cryptography' in sys.modules"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numba", "cryptography", "Crypto", "blake3"}.isdisjoint(modules)


def test_a_python_library_that_cannot_be_imported_is_absent_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.adapters.blake3_py", raising=False)
    monkeypatch.setitem(sys.modules, "blake3", None)
    catalogue = load()
    names = {i.name for i in catalogue}
    assert "pyca/aes-256-gcm" in names
    assert "blake3-py/blake3" not in names
    assert catalogue.absent["blake3-py"].startswith("the Python package cannot be imported: ")
    with pytest.raises(UnknownNameError, match="blake3-py/blake3 is absent: the Python package cannot be imported"):
        catalogue.find("blake3-py/blake3")


def test_two_adapters_with_one_name_are_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, catalogue: Catalogue
) -> None:
    twin = "from aeadlab.catalogue.adapters import pyca\nimplementations = pyca.implementations\n"
    (tmp_path / "twin.py").write_text(twin)
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(tmp_path)])
    with pytest.raises(Error, match="is already in the catalogue"):
        list(load())
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.adapters.twin")


def test_a_missing_extension_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "aeadlab.catalogue.native")
    monkeypatch.delattr("aeadlab.catalogue.native")
    monkeypatch.setitem(sys.modules, "aeadlab._native", None)
    monkeypatch.delattr("aeadlab._native")
    with pytest.raises(BuildError, match=r"the compiled extension is missing .*: run `make build`"):
        load().find("openssl/aes-256-gcm")


def test_what_is_absent_cannot_be_changed_by_who_asks(compiled: Callable[..., Path]) -> None:
    path = compiled("other")
    catalogue = load([path])
    catalogue.absent.clear()
    assert str(path) in catalogue.absent


def test_an_implementation_shows_what_it_is(catalogue: Catalogue) -> None:
    implementation = catalogue.find("baseline/xor")
    assert repr(implementation) == f"<baseline/xor cipher ({implementation.description.version})>"


def test_the_package_gives_every_public_name_and_no_other() -> None:
    for name in aeadlab.__all__:
        assert getattr(aeadlab, name) is not None
    assert dir(aeadlab) == sorted(aeadlab.__all__)
    assert aeadlab.load is load
    with pytest.raises(AttributeError, match="module 'aeadlab' has no attribute 'lod'"):
        aeadlab.lod  # noqa: B018


def test_linked_libraries_are_read_anew_and_stay_the_same() -> None:
    assert [i.description for i in native.linked()] == [i.description for i in native.linked()]
