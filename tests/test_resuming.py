from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from aeadlab.resuming import KEPT_SECONDS, Unfinished

COMMAND = {"verify": ["a", "b"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path))
    return tmp_path / "unfinished"


def interrupted(kind: type[BaseException] = KeyboardInterrupt) -> None:
    with pytest.raises(kind), Unfinished(COMMAND, seed=7) as unfinished:
        unfinished.add("a", {"ok": True})
        raise kind


def test_an_interrupted_command_resumes_with_its_values_and_results(folder: Path) -> None:
    interrupted()
    with Unfinished(COMMAND, seed=8) as unfinished:
        assert (unfinished.values, unfinished.done) == ({"seed": 7}, {"a": {"ok": True}})
    assert not list(folder.iterdir()), "the command ended"
    assert Unfinished(COMMAND, seed=8).values == {"seed": 8}


def test_another_command_an_old_file_or_a_damaged_one_is_not_resumed(folder: Path) -> None:
    interrupted()
    assert not Unfinished({"verify": ["a"]}).done
    (path,) = folder.iterdir()
    content, old = path.read_bytes(), time.time() - KEPT_SECONDS - 1
    for damaged in (b"", b"[]", b'{"done": 1, "values": {}}', content[:-5]):
        path.write_bytes(damaged)
        assert not Unfinished(COMMAND).done
    path.write_bytes(content)
    assert Unfinished(COMMAND).done
    os.utime(path, (old, old))
    assert not Unfinished(COMMAND).done


def test_an_error_ends_the_command(folder: Path) -> None:
    interrupted(ZeroDivisionError)
    assert not Unfinished(COMMAND).done
