"""A host's record in the caller's folder: its bytes as they are, under a name that says whose it is."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from aeadlab.cluster.host import Answer
from aeadlab.errors import RecordError
from aeadlab.records import Record, load_record


def store(answer: Answer, label: str, folder: Path) -> Record:
    """Write a host's record as ``<its name>-<label>.parquet`` and ``.json``; what is there already is not touched.

    Raises
    ------
    aeadlab.errors.RecordError
        If the bytes were damaged on their way, a file of this name has other content, or cannot be written.
    """
    if hashlib.sha256(answer.parquet + answer.provenance).hexdigest() != answer.sha256:
        raise RecordError(f"record {answer.name} was damaged on its way: repeat the command, the host still has it")
    path = folder / f"{answer.name}-{label}.parquet"
    _write_once(path.with_suffix(".json"), answer.provenance)
    _write_once(path, answer.parquet)
    return load_record(path)


def _write_once(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        # A hard link fails where the name is taken, which a rename would not.
        os.link(partial, path)
    except FileExistsError as error:
        # The same record once more: its host did not hear that it had arrived.
        if path.read_bytes() != content:
            raise RecordError(
                f"{path} exists with other content and is left as it is: give another folder with --output and repeat "
                "the command, the host still has its record"
            ) from error
    except OSError as error:
        raise RecordError(
            f"{path} could not be written ({error.strerror}): repeat the command, the host still has its record"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
