from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.errors import Error

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As if the package lay in a folder without a checkout, as a wheel is installed."""
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "site-packages" / "aeadlab" / "paths.py"))
    return tmp_path


def test_the_checkout_is_the_folder_of_pyproject() -> None:
    assert paths.checkout() == ROOT
    assert paths.published() == ROOT / "data" / "published"
    assert paths.reference_records() == ROOT / "data" / "records"


def test_without_a_checkout_there_is_no_data_and_the_error_says_what_to_do(installed: Path) -> None:
    assert paths.checkout() is None
    for folder in (paths.published, paths.reference_records):
        with pytest.raises(Error, match=r"clone the repository"):
            folder()


def test_results_follow_the_environment_then_the_checkout_then_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, installed: Path
) -> None:
    monkeypatch.chdir(installed)
    monkeypatch.setenv("AEADLAB_RESULTS", "here")
    assert paths.results() == installed / "here"
    monkeypatch.setenv("AEADLAB_RESULTS", "")
    assert paths.results() == installed / "aeadlab-results"
    (installed / "site-packages").mkdir()
    (installed / "site-packages" / "pyproject.toml").touch()
    assert paths.results() == installed / "site-packages" / "results"


def test_asking_for_results_makes_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path / "new"))
    assert not paths.results().exists()
