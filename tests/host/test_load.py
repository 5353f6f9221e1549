from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab.host.load import busy_cores
from aeadlab.host.system_files import SystemFiles


def test_busy_cores_counts_only_cores_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2}, raising=False)
    (tmp_path / "proc").mkdir()
    stat = tmp_path / "proc/stat"
    stat.write_text(
        "cpu 9 9 9 9 9 9 9 9\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\n"
    )

    def later(_: float) -> None:
        stat.write_text("cpu0 10 0 0 5 5 0 0 0 0 0\ncpu1 9 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 20 0 0 0 0 0 0\n")

    monkeypatch.setattr("time.sleep", later)
    assert busy_cores(files=SystemFiles(tmp_path)) == pytest.approx(0.5), "cpu1 is not a core of this process"
