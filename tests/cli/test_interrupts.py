"""Ctrl-C ends a command within a second, with the completed part, from which the same command resumes."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import psutil
import pytest

from aeadlab.bench.journal import Journal
from aeadlab.records.reading import load_record
from tests.fixtures.interrupting import SECONDS, Interrupted, command_line, has_child, interrupt

pytestmark = pytest.mark.alone

ROOT = str(Path(__file__).resolve().parents[2])
START = f"import sys\nsys.path.insert(0, {ROOT!r})\nimport pathlib, time\nfrom aeadlab.display.progress import bar\n"
CELLS = {
    "cell": "pathlib.Path(BEGUN).touch()\nfor number in range(3000):\n    print(number, flush=True); time.sleep(0.02)",
    # The kernel writes its progress four times each second.
    "measuring": "with bar(3000, 'measuring', 'sample', resumes=True) as shown:\n    for number in range(3000):\n"
    "        shown.update()\n        time.sleep(0.02)\n        number == 40 and pathlib.Path(BEGUN).touch()",
}


@pytest.fixture
def lock(own_folders: Path) -> Path:
    """Return the file of a lock of this test's own, in its temporary folders."""
    return own_folders / "lock"


def check(ended: Interrupted, message: str) -> None:
    assert (ended.code, ended.out) == (130, "")
    assert re.fullmatch(message, ended.last), ended.err
    assert ended.left == []
    assert ended.seconds < SECONDS


def test_verify_resumes_after_an_interrupt(lock: Path, own_folders: Path) -> None:
    words, start = ("verify", "aes-256-ocb"), time.time_ns()

    def examined() -> dict[Path, int]:
        times = {path: path.stat().st_mtime_ns for path in (own_folders / "cache/examined").glob("*.json")}
        return {path: when for path, when in times.items() if when > start}

    ended = interrupt(lock, *words, when=lambda _: len(examined()) >= 2)
    message = r"aeadlab verify: interrupted after (\d+) of \d+ implementations; the same command resumes"
    check(ended, message)
    assert re.search("after [1-9]", ended.last)
    before = examined()
    done = subprocess.run(command_line(lock, *words), capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "random lengths: seed " in done.stdout
    after = examined()
    assert before.items() <= after.items() and len(after) > len(before)
    assert not list((own_folders / "cache/unfinished").iterdir())


def test_verify_resumes_with_the_same_seed_during_random_lengths(lock: Path, own_folders: Path) -> None:
    words = ("verify", "aegis-128l")
    ended = interrupt(lock, *words, when=has_child("aeadlab.verify.lengths"))
    check(ended, r"aeadlab verify: interrupted after \d+ of \d+ implementations?; the same command resumes")
    (stored,) = (own_folders / "cache/unfinished").iterdir()
    done = subprocess.run(command_line(lock, *words), capture_output=True, text=True, check=True)
    (seed,) = re.findall(r"random lengths: seed (\d+)", done.stdout)
    assert not stored.exists()
    again = subprocess.run(command_line(lock, *words), capture_output=True, text=True, check=True)
    assert f"random lengths: seed {seed}\n" not in again.stdout, "a command that was not interrupted draws another"


def notebook(path: Path, cell: str) -> Path:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    first = nbformat.v4.new_code_cell("profile = 'smoke'", metadata={"tags": ["parameters"]})
    cells = [first, *(nbformat.v4.new_code_cell(source) for source in (START, cell))]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


@pytest.mark.parametrize(
    ("moment", "completed"),
    [
        ("kernel", r"0 of 3 cells; the same command resumes with this notebook"),
        ("cell", r"2 of 3 cells; the same command resumes with this notebook"),
        ("measuring", r"[1-9]\d* of 3,000 samples; the same command resumes"),
    ],
)
def test_run_ends_at_each_moment(lock: Path, tmp_path: Path, moment: str, completed: str) -> None:
    begun = tmp_path / "begun"
    cell = CELLS.get(moment, "pass").replace("BEGUN", repr(str(begun)))
    when: Callable[[psutil.Process], object] = (
        has_child("ipykernel") if moment == "kernel" else lambda _: begun.exists()
    )
    ended = interrupt(lock, "run", notebook(tmp_path / "long.ipynb", cell), "--output", tmp_path / "output", when=when)
    check(ended, f"aeadlab run: interrupted in long after {completed}")


def test_run_resumes_with_the_interrupted_notebook(lock: Path, own_folders: Path, tmp_path: Path) -> None:
    count, begun = tmp_path / "count", tmp_path / "begun"
    one = notebook(tmp_path / "one.ipynb", f"pathlib.Path({str(count)!r}).open('a').write('x')")
    wait = f"if not pathlib.Path({str(begun)!r}).exists():\n    pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"
    words = ("run", one, notebook(tmp_path / "two.ipynb", wait), "--output", tmp_path / "output")
    ended = interrupt(lock, *words, when=lambda _: begun.exists())
    assert ended.code == 130 and ended.seconds < SECONDS
    assert ended.out.startswith("done: one in ")
    assert ended.last.endswith("interrupted in two after 2 of 3 cells; the same command resumes with this notebook")
    assert list((own_folders / "cache/unfinished").iterdir())
    done = subprocess.run(command_line(lock, *words), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("done before the interrupt: one in ") and "done: two in " in done.stdout
    assert count.read_text() == "x"
    assert not list((own_folders / "cache/unfinished").iterdir()), "no completed part remains"


def test_measure_states_the_samples_and_resumes(lock: Path, own_folders: Path) -> None:
    words = ("measure", "baselines", "--profile", "smoke", "--size", "1M", "--samples", "400")
    words += ("--implementation", "baseline/memcpy")
    folder = own_folders / "results/records/unfinished"

    def taken(_: psutil.Process) -> bool:
        return any(path.read_bytes().count(b"\n") >= 100 for path in folder.glob("*.jsonl"))

    ended = interrupt(lock, *words, when=taken)
    (journal,) = folder.glob("*.jsonl")
    stored = Journal.read(journal)
    samples = f"{len(stored.done()):,} of {stored.plan.samples:,} samples"
    check(ended, f"aeadlab measure: interrupted after {samples}; the same command resumes")
    subprocess.run(command_line(lock, *words), capture_output=True, check=True)
    times = [row[4] for row in stored.samples]
    (path,) = (own_folders / "results/records").glob("*.parquet")
    assert load_record(path).samples["wall_ns"].tolist()[: len(times)] == times


@pytest.mark.parametrize(
    ("words", "child"),
    [
        (("measure", "baselines", "--profile", "smoke"), "-m"),
        (("speed", "ring/aes-256-gcm", "--samples", "2000"), "aeadlab.bench.worker"),
        (("tune", "--fresh", "--allow", "ring/aes-256-gcm"), "-m"),
    ],
    ids=["measure", "speed", "tune"],
)
def test_others_end_while_a_child_verifies_or_measures(lock: Path, words: tuple[str, ...], child: str) -> None:
    check(interrupt(lock, *words, when=has_child(child)), rf"aeadlab {words[0]}: interrupted( after .*)?")


SWALLOWING = """
import time
class Callback:
    def __del__(self):
        open(sys.argv.pop(1), "w").close()
        time.sleep(60)
def wait(_):
    Callback()
    time.sleep(60)
cli.list.run = wait
"""


def test_an_interrupt_during_a_callback_that_ignores_exceptions_is_not_lost(lock: Path, tmp_path: Path) -> None:
    """Such as one of an import, of which a command has thousands."""
    begun = tmp_path / "begun"
    setup = "import aeadlab.cli.list\n" + SWALLOWING.replace("sys.argv.pop(1)", repr(str(begun)))
    check(interrupt(lock, "list", when=lambda _: begun.exists(), setup=setup), "aeadlab list: interrupted")
