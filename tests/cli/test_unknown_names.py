"""A misspelt name of any kind is wrong use: one line with the nearest name of the same kind, exit status 2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab import ParSplit, errors
from aeadlab.records.reading import load_record
from aeadlab.studies.draw import show

WriteRecord = Callable[..., Path]
Command = Callable[..., Any]
STAMP = "20260102T030405Z"

WRONG = [
    ("implementation", "verify opensl/aes-256-gcm", "nearest: openssl/aes-256-gcm"),
    ("implementation", "measure baselines --implementation opensl/aes-256-gcm", "nearest: openssl/aes-256-gcm"),
    ("implementation", "masks opensl/aes-256-gcm", "nearest: openssl/aes-256-gcm"),
    ("implementation", "speed opensl/aes-256-gcm", "nearest: openssl/aes-256-gcm"),
    ("implementation", "tune --allow opensl/aes-256-gcm", "nearest: openssl/aes-256-gcm"),
    ("implementation", "rank --implementation opensl/aes-256-gcm", "did you mean openssl/aes-256-gcm?"),
    ("implementation", "compare opensl/aes-256-gcm ring/aes-256-gcm", "did you mean openssl/aes-256-gcm?"),
    ("library", "list --library opensl", "did you mean openssl?"),
    ("algorithm", "list --algorithm aes-265-gcm", "did you mean aes-256-gcm?"),
    ("algorithm", "speed aes-265-gcm", "nearest: aes-256-gcm"),
    ("algorithm", "tune --allow aes-265-gcm", "did you mean aes-256-gcm?"),
    ("kind", "list --kind aed", "did you mean aead?"),
    ("study", "measure baselnies", "did you mean baselines?"),
    ("study", "figure baselnies", "did you mean baselines?"),
    ("study", "report baselnies", "did you mean baselines?"),
    ("study", "rank --study baselnies", "did you mean baselines?"),
    ("study", "compare latest previous --study baselnies", "did you mean baselines?"),
    ("profile", "measure baselines --profile quik", "did you mean quick?"),
    ("profile", "run 00 --profile quik", "did you mean quick?"),
    ("document", "claims --document netbds", "did you mean NetBSD?"),
    ("claim", "claims --write {page}", "did you mean fastest-aead?"),
    ("notebook", "run 03-blok-size", "did you mean 03-block-size?"),
    ("parameter", "run 00 -p profil quick", "did you mean profile?"),
    ("venue", "figure cells --record {record} --venue ieeee", "did you mean ieee?"),
    ("mask", "measure baselines --mask no-vase", "did you mean no-vaes?"),
    ("mask", "masks --mask no-vase", "did you mean no-vaes?"),
    ("record", "report {misspelt}", f"did you mean cells-{STAMP}"),
    ("record", "rank {misspelt}", f"did you mean cells-{STAMP}"),
    ("record", "compare {record} {misspelt}", f"did you mean cells-{STAMP}"),
    ("record", "figure cells --record {misspelt}", f"did you mean cells-{STAMP}"),
    ("record", "claims --record {misspelt}", f"did you mean cells-{STAMP}"),
    ("column", "rank --by byte", "did you mean bytes?"),
    ("verb", "sped aes-256-gcm", "did you mean speed?"),
    ("option", "speed aes-256-gcm --sise 16K", "did you mean --size?"),
]


@pytest.mark.parametrize(
    ("kind", "words", "near"), WRONG, ids=[f"{kind}: {words.split()[0]}" for kind, words, _ in WRONG]
)
def test_command_lines(
    command: Command, write_record: WriteRecord, tmp_path: Path, kind: str, words: str, near: str
) -> None:
    record, page = write_record(STAMP, study="cells"), tmp_path / "page.md"
    page.write_text("<!-- claims fastest-aed --><!-- /claims -->")
    paths = {"record": record, "misspelt": record.with_name(record.name.replace("cells", "cels")), "page": page}
    result = command(*words.format_map(paths).split())
    assert result.is_invalid_use(), result
    assert near in result.err


def test_python_functions(write_record: WriteRecord) -> None:
    with pytest.raises(errors.ArgumentError, match="did you mean static"):
        ParSplit("openssl/aes-256-gcm", schedule="statik")
    with pytest.raises(errors.UnknownNameError, match="nearest: openssl/aes-256-gcm"):
        ParSplit("opensl/aes-256-gcm")
    record = write_record(study="cells")
    with pytest.raises(errors.UnknownNameError, match="study cells has no figure 'cels'; did you mean cells?"):
        show(load_record(record), "cels")
