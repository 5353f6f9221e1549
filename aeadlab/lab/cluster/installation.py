"""The installed aeadlab of a process: all hosts of a cluster must have the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aeadlab.errors import BuildError
from aeadlab.records import provenance


@dataclass(frozen=True)
class Installation:
    """The aeadlab of a process."""

    version: str
    code: str
    """Hash of the Python sources."""
    native: str
    """Hash of the extension's sources."""
    problem: str = ""
    """Reason why it cannot measure; empty if it can."""

    def difference(self, other: Installation) -> str:
        """Return the first difference from the caller's installation `other`; empty if there is none."""
        facts = (
            ("version", self.version, other.version),
            ("Python code", self.code[:8], other.code[:8]),
            ("extension", self.native[:8], other.native[:8]),
        )
        return next((f"{name} {own}, the caller's {others}" for name, own, others in facts if own != others), "")


def code_hash() -> str:
    """Return the SHA-256 over names and contents of the package's Python files on disk."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(package).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


_IMPORTED_CODE = code_hash()
"""Hash when this process started: a worker runs for weeks, and keeps the modules that it has imported."""


def local_installation() -> Installation:
    """Return the aeadlab of this process."""
    try:
        version = metadata.version("aeadlab")
    except metadata.PackageNotFoundError:
        version = "not installed"
    try:
        native = provenance.check_build()["sources"]
    except BuildError as error:
        return Installation(version, _IMPORTED_CODE, "", str(error))
    changed = code_hash() != _IMPORTED_CODE
    return Installation(
        version, _IMPORTED_CODE, native, "aeadlab changed after its worker started: restart the worker" * changed
    )
