"""The new files that CONTRIBUTING.md shows suffice to add a study, its figure and a claim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fixtures.examples import find

ROOT = Path(__file__).resolve().parents[2]
SHOWN = [find("CONTRIBUTING.md", f"Add a {part}", "python")[0] for part in ("study", "figure", "claim")]
BLOCKS = [(text.splitlines()[0].removeprefix("# "), text) for text in SHOWN]
Command = Callable[..., str]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout whose package also contains the files of the guide."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "aeadlab", folder / "aeadlab", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "data", "native"):
        (folder / name).symlink_to(ROOT / name)
    for path, content in BLOCKS:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def run(checkout: Path, own_results: Path) -> Command:
    """``run("claims", "--json")``: run a command in the copy, and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "AEADLAB_LOCK": str(own_results / "lock")}

    def command(*words: str) -> str:
        code = "import sys; from aeadlab.cli import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=checkout, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return command


def test_the_guide_adds_three_files_and_changes_none() -> None:
    assert [Path(path).name for path, _ in BLOCKS] == ["study.py", "figures.py", "claims.py"]
    assert len({Path(path).parent for path, _ in BLOCKS}) == 1
    assert not any((ROOT / path).exists() for path, _ in BLOCKS)


def test_an_added_study_is_measured_and_drawn(run: Command) -> None:
    printed = run("measure", "placements", "--profile", "smoke", "--samples", "2")
    assert "openssl/aes-256-gcm" in printed
    assert "report: " in printed
    written = run("figure", "placements").splitlines()
    assert {Path(line).name for line in written} >= {"placements.pdf", "placements.csv"}


def test_an_added_claim_is_listed(run: Command) -> None:
    (finding,) = json.loads(run("claims", "--document", "example", "--json"))["findings"]
    assert finding["key"] == "openssl-before-ring"
    assert finding["reason"] == "no record of study placements: run `aeadlab measure placements`"
