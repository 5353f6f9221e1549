from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.errors import ArgumentError, Error
from aeadlab.paths import check_folder

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Place the package in a folder outside a checkout, as if installed from a wheel."""
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "site-packages" / "aeadlab" / "paths.py"))
    return tmp_path


def test_the_checkout_contains_pyproject() -> None:
    assert paths.checkout() == ROOT
    assert paths.published() == ROOT / "data" / "published"
    assert paths.reference_records() == ROOT / "data" / "records"


def test_data_folders_require_a_checkout(installed: Path) -> None:
    assert paths.checkout() is None
    for folder in (paths.published, paths.reference_records):
        with pytest.raises(Error, match=r"clone the repository"):
            folder()


def test_results_folder_precedence(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.chdir(installed)
    monkeypatch.setenv("AEADLAB_RESULTS", "here")
    assert paths.results() == installed / "here"
    monkeypatch.setenv("AEADLAB_RESULTS", "")
    assert paths.results() == installed / "aeadlab-results"
    (installed / "site-packages").mkdir()
    (installed / "site-packages" / "pyproject.toml").touch()
    assert paths.results() == installed / "site-packages" / "results"


def test_results_folder_is_not_created(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path / "new"))
    assert not paths.results().exists()


def test_an_atomic_write_replaces_the_whole_file(tmp_path: Path) -> None:
    paths.write_atomically(tmp_path / "file", "long text")
    paths.write_atomically(tmp_path / "file", b"\xff")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"\xff"}


def test_an_atomic_write_can_keep_an_existing_file(tmp_path: Path) -> None:
    paths.write_atomically(tmp_path / "file", "first", overwrite=False)
    with pytest.raises(FileExistsError):
        paths.write_atomically(tmp_path / "file", "second", overwrite=False)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "first"}


def test_a_failed_atomic_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bytes = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        write_bytes(path, content[:2])
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_text("before")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        paths.write_atomically(tmp_path / "file", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "before"}


def test_check_folder_creates_an_empty_folder(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_rejects_an_output_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(ArgumentError, match=r"output folder .*file/records cannot be written \(Not a directory\)"):
        check_folder(tmp_path / "file" / "records")
