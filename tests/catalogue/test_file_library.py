"""File formats of Go modules behind a C function."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aeadlab.catalogue import file_library, load
from aeadlab.catalogue.adapters import go_age, minio_sio
from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.errors import ArgumentError, AuthenticationError

KEY = bytes(range(32))
built = pytest.mark.skipif(
    shutil.which("go") is None or not (file_library.BUILT / "go.so").is_file(), reason="the build has no Go"
)


@pytest.mark.parametrize("adapter", [go_age, minio_sio])
def test_without_go_the_reason_is_that_of_the_build(
    adapter: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_library, "BUILT", tmp_path)
    with pytest.raises(ImportError, match="run `make build`"):
        adapter.implementations()  # type: ignore[attr-defined]
    (tmp_path / "go.absent").write_text("Go is not installed\n", encoding="utf-8")
    with pytest.raises(ImportError, match="Go is not installed"):
        adapter.implementations()  # type: ignore[attr-defined]


@built
def test_the_catalogue_has_both_with_the_versions_of_their_modules() -> None:
    required = (Path(__file__).parents[2] / "native/file-formats/go/go.mod").read_text(encoding="utf-8")
    for name, module in (("go-age/age.reused", "filippo.io/age"), ("minio-sio/dare.reused", "github.com/minio/sio")):
        assert f"{module} v{load().find(name).description.version}\n" in required


@built
@pytest.mark.parametrize("length", [1, 65536, 65537, 1 << 20])
def test_go_opens_age_of_this_project_and_the_other_way_round(length: int) -> None:
    go, own, data = load().find("go-age/age.reused"), load().find("aeadlab/age"), bytes(length)
    assert own.open(KEY, b"", go.seal(KEY, b"", data)) == data
    assert go.open(KEY, b"", own.seal(KEY, b"", data)) == data


@built
def test_a_short_output_and_a_changed_file_are_no_results() -> None:
    sio = load().find("minio-sio/dare.reused")
    assert isinstance(sio, Adapter)
    with pytest.raises(ArgumentError, match="dare cannot seal 0 bytes"):
        sio.seal(KEY, b"", b"")
    sealed = sio.seal(KEY, b"", bytes(100))
    with pytest.raises(AuthenticationError):
        sio.open(KEY, b"", sealed[:-1])
    call = sio.prepare_call("seal", "oneshot", KEY, b"", bytes(100_000))
    assert call() == 100_000 + 64
    call.output = bytearray(10)  # type: ignore[attr-defined]
    function = call.func  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="dare cannot seal 100000 bytes"):
        function(call.output)  # type: ignore[attr-defined]
