"""sio of MinIO, written in Go: DARE 2.0 with AES-256-GCM, in one thread."""

from __future__ import annotations

from collections.abc import Sequence

from aeadlab.catalogue.file_library import go_implementations
from aeadlab.catalogue.implementation import Implementation


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    return go_implementations("minio-sio", "github.com/minio/sio", "dare", bytes)
