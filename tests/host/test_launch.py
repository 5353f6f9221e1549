"""Child processes do not execute the current folder, folders of plugins, or what PYTHONPATH puts before packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import aeadlab
from aeadlab import process
from aeadlab.catalogue import Catalogue, load, plugins
from aeadlab.errors import ChildError
from aeadlab.host import launch
from aeadlab.process import Child
from aeadlab.verify import child

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]

ROOT = Path(aeadlab.__file__).resolve().parent.parent
MODULES = ("json.py", "struct.py", "numpy.py", "subprocess.py", "runpy.py", "ctypes.py", "aeadlab/__init__.py")
NAMES = ["openssl/aes-256-gcm", "baseline/memcpy"]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder of modules that record in the file ``ran`` that they were imported, and then fail."""
    folder = tmp_path / "hostile"
    for name in MODULES:
        import_module(name.split(".")[0].split("/")[0])
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(folder / 'ran')!r}, 'a').write(__name__ + '\\n')\nraise ImportError('hostile')\n")
    return folder


@pytest.fixture(params=["current folder", "PYTHONPATH", "PYTHONPATH with an empty entry", "folder of plugins"])
def place(request: pytest.FixtureRequest, hostile: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hostile folder in a place where Python, or the lab, looks; this process has imported its modules before."""
    match request.param:
        case "current folder":
            monkeypatch.chdir(hostile)
            monkeypatch.syspath_prepend("")
        case "PYTHONPATH":
            monkeypatch.setenv("PYTHONPATH", str(hostile))
            monkeypatch.syspath_prepend(str(hostile))
        case "PYTHONPATH with an empty entry":
            monkeypatch.chdir(hostile)
            monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}{ROOT}")
            monkeypatch.syspath_prepend(str(hostile))
        case "folder of plugins":
            shutil.copy(compiled("toy"), hostile)
            monkeypatch.setenv(plugins.VARIABLE, str(hostile))
            monkeypatch.chdir(hostile)
    return hostile


def names(catalogue: Catalogue) -> set[str]:
    return {i.name for i in catalogue}


def test_loading_plugins(place: Path, compiled: Compiled, tmp_path: Path) -> None:
    # A new file has no cached result.
    path = Path(shutil.copy(compiled("toy"), tmp_path / "new.so"))
    plugins.probe(path)
    assert not (place / "ran").exists()


def test_verification(place: Path) -> None:
    found = list(child.examined(NAMES, []))
    assert [examination.faults for examination in found] == [()] * len(NAMES)
    assert not (place / "ran").exists()


def test_measurement(place: Path) -> None:
    record = aeadlab.measure("baselines", "smoke", size=4096, samples=2, implementations=NAMES)
    assert set(record.samples["status"]) == {"ok"}
    assert not (place / "ran").exists()


@pytest.mark.parametrize("path", [str(ROOT), f"{ROOT}{os.pathsep}", f"{os.pathsep}{ROOT}"])
@pytest.mark.parametrize("words", [["list"], ["verify", *NAMES, "toy/xor-tag"]], ids=str)
def test_commands(hostile: Path, words: list[str], path: str, compiled: Compiled, tmp_path: Path) -> None:
    """The current folder has modules of all names, and PYTHONPATH may name it by an empty entry."""
    # A new file has no cached result.
    plugin = shutil.copy(compiled("toy"), tmp_path / "new.so")
    expected = names(load()) | {"toy/xor-tag"} if words == ["list"] else set(words[1:])
    if path.startswith(os.pathsep):
        # Before its first line, Python looks for the package in the folders of PYTHONPATH.
        shutil.rmtree(hostile / "aeadlab")
    # As the script `aeadlab`, whose own folder is in the path in place of the current one.
    command = [sys.executable, "-P", "-c", "import sys; from aeadlab.cli import main; sys.exit(main())", *words]
    done = subprocess.run(
        [*command, "--json", "--plugins", plugin],
        cwd=hostile,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    progress = [line for line in done.stderr.splitlines() if line.startswith("aeadlab verify: ") and " gone" in line]
    assert (done.returncode, done.stderr.splitlines()) == (0, progress)
    printed = json.loads(done.stdout)
    if words == ["list"]:
        assert {i["name"] for i in printed["implementations"]} == expected
    else:
        assert {r["implementation"] for r in printed["reports"] if r["ok"] or r["unverifiable"]} == expected
    assert not (hostile / "ran").exists()


def test_no_failure_to_start_is_remembered(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_folders: Path
) -> None:
    path = Path(shutil.copy(compiled("toy"), tmp_path / "new.so"))
    small = {"size": 4096, "samples": 2, "implementations": ["baseline/memcpy"]}
    # Its verification is cached, so that the next measurement first starts a worker.
    aeadlab.measure("baselines", "smoke", **small)  # type: ignore[arg-type]
    cached = sorted((own_folders / "cache").rglob("*"))
    with monkeypatch.context() as patch:
        patch.setattr(process, "INTERPRETER", (sys.executable, "-c", "import no_such_module"))
        with pytest.raises(ChildError, match="aeadlab.catalogue.probe did not start: .*no_such_module"):
            load([path]).find("toy/xor-tag")
        with pytest.raises(ChildError, match="aeadlab.verify did not start"):
            list(child.examined(NAMES, []))
        with pytest.raises(ChildError, match="aeadlab.bench.worker did not start"):
            aeadlab.measure("baselines", "smoke", **small)  # type: ignore[arg-type]
    assert sorted((own_folders / "cache").rglob("*")) == cached
    assert "toy/xor-tag" in names(load([path]))


def reply_of(module: str) -> dict[str, object] | None:
    with Child(module) as started:
        return started.receive(60)


def test_packages_that_only_the_parent_finds_are_available(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Module systems of clusters provide packages by PYTHONPATH."""
    (tmp_path / "only_there.py").write_text("VALUE = 7\n")
    (tmp_path / "json.py").write_text("raise ImportError('hostile')\n")
    (tmp_path / "answer.py").write_text(
        "import json, only_there, sys, aeadlab\nfrom aeadlab.process import Channel\n"
        "Channel().reply({'value': only_there.VALUE, 'json': json.__file__, 'path': sys.path, "
        "'aeadlab': aeadlab.__file__, 'flags': sys.flags.isolated, 'arguments': sys.argv[1:]})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    reply = reply_of("answer")
    assert reply is not None
    assert (reply["value"], reply["flags"], reply["arguments"]) == (7, 1, [])
    assert reply["json"] == json.__file__
    assert reply["aeadlab"] == str(Path(aeadlab.__file__).absolute())
    found = reply["path"]
    assert isinstance(found, list) and found.index(str(tmp_path)) > found.index(os.path.dirname(os.__file__))


def test_relative_entries_and_the_current_folder_are_not_passed_on(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(hostile)
    monkeypatch.chdir(hostile)
    for entry in ("", ".", "sub", str(hostile), str(tmp_path / "link"), str(tmp_path)):
        monkeypatch.syspath_prepend(entry)
    path = json.loads(process._variables("id", {})[launch.VARIABLE])["path"]
    assert str(tmp_path) in path
    assert {"", ".", "sub", str(hostile), str(tmp_path / "link")}.isdisjoint(path)


def test_another_package_of_the_name_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editable installation names another checkout in the path of every Python."""
    (tmp_path / "aeadlab").mkdir()
    (tmp_path / "aeadlab/__init__.py").write_text("raise ImportError('another')\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(entry for entry in sys.path if Path(entry) != ROOT)])
    path = json.loads(process._variables("id", {})[launch.VARIABLE])["path"]
    assert path[0] == str(tmp_path)
    assert [examination.faults for examination in child.examined(["baseline/memcpy"], [])] == [()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_child_whose_parent_has_ended_exits() -> None:
    settings = json.dumps({"parent": 1, "limits": {}, "path": []})
    done = subprocess.run(
        [*process.INTERPRETER, "-m", "aeadlab.bench.isolated_worker"],
        input='{"kernel": "openssl/aes-256-gcm"}\n',
        env={**os.environ, launch.VARIABLE: settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "its parent, process 1, has ended\n")


def test_a_process_that_reserved_more_memory_than_its_limit_runs_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sanitizers reserve terabytes."""
    code = (
        "import mmap, resource, sys; from aeadlab.host import launch\n"
        "held = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
        "launch.set_limits({'RLIMIT_DATA': 4 << 30, 'RLIMIT_CPU': 60})\n"
        "print(resource.getrlimit(resource.RLIMIT_DATA)[0], resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "-1 60\n"
