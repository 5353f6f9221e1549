"""Verbs as a user types them, and one small record for all tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from aeadlab.bench import lock
from aeadlab.cli import main
from aeadlab.measurement import measure


@dataclass(frozen=True)
class Said:
    """What a command gave back."""

    code: int
    out: str
    err: str

    def is_wrong_use(self) -> bool:
        """Exit code 2, one line on standard error that names the verb, nothing else."""
        return self.code == 2 and not self.out and self.err.count("\n") == 1 and self.err.startswith("aeadlab ")


Command = Callable[..., Said]


@pytest.fixture
def command(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """``command("list", "--json")``: a command line run in this process, in folders of its own."""

    def run(*words: object) -> Said:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            assert isinstance(ended.code, int)
            code = ended.code
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of study baselines with an AEAD and a hash, two samples of 64 KiB each."""
    folder = tmp_path_factory.mktemp("record")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock, "PATH", folder / "lock")
        patch.setenv("AEADLAB_CACHE", str(folder / "cache"))
        names = ["openssl/aes-256-gcm", "blake3/blake3"]
        return measure("baselines", "smoke", size=65536, samples=2, implementations=names, folder=folder).path
