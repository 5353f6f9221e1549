"""The examples of the README and the overloads of ParSplit pass strict type checkers, as a user's program would."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALLS = ROOT / "tests" / "fixtures" / "typed_calls.py"
WRONG = """
from aeadlab import ParSplit

text: str = ParSplit("openssl/aes-256-gcm").encrypt(bytes(32), bytes(7), b"")
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the calls, the README's examples, and a program with a wrong type."""
    folder = tmp_path_factory.mktemp("programs")
    shutil.copy(CALLS, folder / "calls.py")
    examples = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        (folder / f"readme_{number}.py").write_text(example)
    (folder / "wrong.py").write_text(WRONG)
    return folder


def test_the_calls_run() -> None:
    runpy.run_path(str(CALLS), run_name="__main__")


def test_mypy_accepts_the_programs_and_finds_the_wrong_type(programs: Path) -> None:
    # The settings and the cache of `make lint-types`: the first run in another folder takes ten seconds longer.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *sorted(programs.glob("*.py"))],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1 and "wrong.py:4" in errors[0] and "bytes" in errors[0], done.stdout + done.stderr


def test_pyright_accepts_the_programs_and_finds_the_wrong_type(programs: Path) -> None:
    # It is locked with the other packages, and brings its own Node.js: it needs no network.
    assert importlib.util.find_spec("basedpyright"), (
        f"basedpyright is not installed: run {sys.executable} -m pip install --require-hashes -r requirements.lock"
    )
    settings = {"include": ["."], "typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    checker = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    command = [*checker, "--outputjson", "--project", str(programs)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [f"{Path(one['file']).name}: {one['message']}" for one in found if one["severity"] == "error"]
    assert len(errors) == 1 and errors[0].startswith("wrong.py: Type"), errors
