from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import nbformat
import pytest

from aeadlab.cli import main
from aeadlab.display.progress_line import ProgressLine
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab import notebook_files, notebooks
from aeadlab.lab.notebook_files import find
from aeadlab.lab.notebooks import Outcome, execute, execute_all

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """``write(name, *cells, parameters=...)``: write a notebook to a folder used in place of the lab's."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    monkeypatch.setattr(notebook_files, "folder", lambda: folder)
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path / "results"))

    def make(name: str, *cells: str, parameters: str = 'profile: str = "quick"\nsize: int = 0') -> Path:
        v4 = nbformat.v4
        first = v4.new_code_cell(parameters, id="p", metadata={"tags": ["parameters"]})
        code = [v4.new_code_cell(cell, id=f"c{i}") for i, cell in enumerate(cells)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        book = v4.new_notebook(cells=[first, *code], metadata={"kernelspec": kernel})
        path = folder / f"{name}.ipynb"
        nbformat.write(book, path)
        return path

    return make


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        pytest.fail("wrong use started a kernel")

    monkeypatch.setattr(notebooks.papermill, "execute_notebook", fail)


def test_finds_notebooks_by_path_name_and_prefix(write: Write) -> None:
    one, two, other = write("01-one"), write("02-two"), write("02-other")
    assert find(["all"]) == [one, other, two]
    assert find(["01"]) == find(["01-one"]) == find(["01-one.ipynb"]) == find([str(one)]) == [one]
    assert find(["02-two", "all", "01"]) == [two, one, other], "each notebook once"


@pytest.mark.parametrize(
    ("name", "hint"), [("01-onne", "did you mean 01-one"), ("02", "did you mean 02-"), ("xyz", "there are 01-one, 02-")]
)
def test_unknown_or_ambiguous_name_suggests_the_nearest(write: Write, name: str, hint: str) -> None:
    for known in ("01-one", "02-two", "02-other"):
        write(known)
    with pytest.raises(UnknownNameError, match=f"no notebook is called '{name}'; {hint}"):
        find([name])
    assert main(["run", name]) == 2


@pytest.mark.usefixtures("no_kernel")
def test_rejects_unknown_parameters(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    book = write("01-one")
    with pytest.raises(ArgumentError, match="01-one.ipynb has no parameter 'sice'; did you mean size?"):
        execute(book, {"sice": 4096})
    with pytest.raises(ArgumentError, match="has no parameter 'xyz'; it has profile, size"):
        execute(book, {"xyz": 4096})
    assert main(["run", "01", "-p", "sice", "4096"]) == 2
    assert "did you mean size?" in capsys.readouterr().err


@pytest.mark.usefixtures("no_kernel")
def test_rejects_a_parameter_given_twice(write: Write) -> None:
    write("01-one")
    assert main(["run", "01", "-p", "size", "1", "-p", "size", "2"]) == 2


@pytest.mark.usefixtures("no_kernel")
def test_rejects_unknown_profiles(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("01-one")
    with pytest.raises(SystemExit, match="2"):
        main(["run", "01", "--profile", "quik"])
    assert "no profile is called 'quik'; did you mean quick?" in capsys.readouterr().err


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize("content", ["", "# not a notebook", "{}", "[]"])
def test_rejects_files_that_are_not_notebooks(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.ipynb"
    path.write_text(content)
    with pytest.raises(ArgumentError, match="other.ipynb is not a notebook"):
        execute(path, {})


@pytest.mark.usefixtures("no_kernel")
def test_checks_the_folder_before_starting_the_kernel(write: Write, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"output folder .*file/out/notebooks cannot be written"):
        execute(write("01-one"), {}, tmp_path / "file" / "out")


@pytest.mark.usefixtures("no_kernel")
def test_does_not_replace_the_notebook_by_its_copy(write: Write, tmp_path: Path) -> None:
    book = write("01-one")
    before = book.read_bytes()
    with pytest.raises(ArgumentError, match="would replace"):
        execute(book, {}, tmp_path)
    assert book.read_bytes() == before


def test_keeps_the_executed_notebook_with_page_and_files(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        "01-one",
        "import os\nfrom pathlib import Path\nfolder = Path(os.environ['AEADLAB_RESULTS'], 'records')",
        "folder.mkdir()\nfolder.joinpath('made.txt').write_text(f'{profile} {size * 2} {names}')",
        parameters='profile: str = "quick"\nsize: int = 0\nnames: list[str] = []',
    )
    output = tmp_path / "out"
    (output / "figures").mkdir(parents=True)
    (output / "figures" / "old.txt").write_text("from an earlier run")
    os.utime(output / "figures" / "old.txt", (1e9, 1e9))
    # From another folder, and with a relative path for the output.
    monkeypatch.chdir(tmp_path)
    words = ["--profile", "smoke", "-p", "size", "21", "-p", "names", '["a", "b"]', "--output", "out", "--files"]
    assert main(["run", "01", *words]) == 0
    assert (output / "records" / "made.txt").read_text() == "smoke 42 ['a', 'b']"
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("done: 01-one in ")
    made = ("notebooks/01-one.ipynb", "notebooks/01-one.html", "records/made.txt")
    assert [line.strip() for line in printed[1:4]] == [str(output / name) for name in made]
    assert printed[4:] == ["", f"page: {output / made[1]}"]
    executed = json.loads((output / "notebooks" / "01-one.ipynb").read_text())
    assert all(cell["execution_count"] for cell in executed["cells"])
    assert "<html" in (output / "notebooks" / "01-one.html").read_text()
    assert os.environ["AEADLAB_RESULTS"] == str(tmp_path / "results"), "only the kernel gets another folder"


def test_the_kernel_does_not_execute_the_current_folder(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    for name in ("json", "struct", "numpy", "ipykernel", "ipykernel_launcher", "aeadlab"):
        (hostile / f"{name}.py").write_text(f"open({str(hostile / 'ran')!r}, 'a').write(__name__ + '\\n')\n")
    monkeypatch.chdir(hostile)
    outcome = execute(write("01-one", "import json, struct, numpy, aeadlab\naeadlab.ParSplit"), {}, tmp_path / "out")
    assert outcome.error is None
    assert not (hostile / "ran").exists()


def test_failed_notebook_does_not_stop_the_others(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "current").mkdir()
    monkeypatch.chdir(tmp_path / "current")
    write("01-bad", "1 / 0", "print('not reached')")
    write("02-dead", "import os\nos._exit(3)")
    write("03-good", "import os\nassert not os.listdir(), 'it holds the sockets of the kernel'")
    assert main(["run"]) == 1
    out = capsys.readouterr().out
    assert "failed: 01-bad in " in out and "ZeroDivisionError: division by zero" in out
    assert "failed: 02-dead in " in out and "Kernel died" in out
    assert "done: 03-good in " in out
    kept = tmp_path / "results" / "notebooks"
    assert {path.name for path in kept.glob("*.html")} == {"01-bad.html", "02-dead.html", "03-good.html"}
    assert "ZeroDivisionError" in (kept / "01-bad.html").read_text()


def test_executes_all_named_notebooks_in_order(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one, two = write("01-one"), write("02-two")
    monkeypatch.setattr(notebooks, "execute", lambda path, *_: Outcome(path.stem, 1.4, "Traceback", [path]))
    outcomes = list(execute_all(find(["02", "01"]), {}, tmp_path))
    assert [outcome.files for outcome in outcomes] == [[two], [one]]
    assert outcomes[1].as_text("; no claims") == "failed: 01-one in 1 s; no claims\nTraceback"


def test_shows_the_cell_and_the_progress_of_the_kernel(write: Write, tmp_path: Path) -> None:
    """The kernel reports the work of a cell, which the parent shows with the cell's number."""
    code = (
        "import time\nfrom aeadlab.display.progress import bar\nfrom pathlib import Path\n"
        "with bar(40, 'measuring', 'sample') as shown:\n    shown.update(30)\n    time.sleep(0.3)\n"
        "    shown.update()\n    limit = time.monotonic() + 20\n"
        f"    while not Path({str(tmp_path / 'seen')!r}).exists() and time.monotonic() < limit: time.sleep(0.01)"
    )
    line = ProgressLine("aeadlab run", io.StringIO())
    texts: list[str] = []

    def watch() -> None:
        limit = time.monotonic() + 60
        while "measuring 31 of 40" not in (text := line.text(time.monotonic())) and time.monotonic() < limit:
            time.sleep(0.01)
        texts.append(text)
        (tmp_path / "seen").touch()

    watcher = Thread(target=watch)
    watcher.start()
    books = [write("01-one", "1 + 1", code), write("02-two")]
    outcomes = list(execute_all(books, {"size": 1}, tmp_path / "out", line))
    watcher.join()
    assert [outcome.error for outcome in outcomes] == [None, None]
    assert texts[0].startswith("notebook 1/2, cell 3/3, measuring 31 of 40, ")
    assert line.place == "notebook 2/2"


def test_outcome_of_a_failure_has_the_traceback(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = write("01-bad", "raise RuntimeError('on purpose')")
    monkeypatch.delenv("AEADLAB_RESULTS")
    outcome = execute(book, {"size": 1}, tmp_path / "out")
    assert "AEADLAB_RESULTS" not in os.environ, "otherwise later measurements would use this notebook's folder"
    assert outcome.error is not None
    assert "RuntimeError" in outcome.error and "on purpose" in outcome.error
    assert outcome.seconds > 0
    assert [path.name for path in outcome.files[:2]] == ["01-bad.ipynb", "01-bad.html"]
