"""Command lines run in this process, and a small record."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeadlab.bench import lock
from aeadlab.cli import main
from aeadlab.display import progress_line
from aeadlab.lab.measurement import measure
from aeadlab.reporting import answer


@dataclass(frozen=True)
class Result:
    """Exit status and output of a command."""

    code: int
    out: str
    err: str

    def is_invalid_use(self) -> bool:
        """Return whether the status is 2 and the only output is one line on standard error."""
        return self.code == 2 and not self.out and self.err.count("\n") == 1 and self.err.startswith("aeadlab")


Command = Callable[..., Result]


@pytest.fixture
def command(own_folders: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs a command line in temporary folders: ``command("list", "--json")``.

    Standard error has no progress, which depends on the time that a command takes, and no report is drawn, which would
    take seconds; `drawn_reports` draws them.
    """
    monkeypatch.setattr(progress_line, "FIRST_SECONDS", 3600.0)
    monkeypatch.setattr(answer, "write_report", lambda record: record.path.with_suffix(".html"))

    def run(*words: object) -> Result:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as exit_:
            assert isinstance(exit_.code, int)
            code = exit_.code
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory, prepared_cache: Path) -> Path:
    """Measure study baselines with an AEAD and a hash, two samples of 64 KiB each; return the record's path."""
    folder = tmp_path_factory.mktemp("record")
    shutil.copytree(prepared_cache, folder / "cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock, "PATH", folder / "lock")
        patch.setenv("AEADLAB_CACHE", str(folder / "cache"))
        names = ["openssl/aes-256-gcm", "blake3/blake3"]
        return measure("baselines", "smoke", size=65536, samples=2, implementations=names, folder=folder).path
