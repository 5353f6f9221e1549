"""The driver of files: threads, and the check of each file by the reference of its format."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import FileDriver, driver
from aeadlab.catalogue import load
from aeadlab.catalogue.adapters.base import ONCE, Adapter, Row
from aeadlab.errors import ArgumentError, VerificationError

CATALOGUE = load()
FILES = [one for one in CATALOGUE if one.description.kind == "file"]


@pytest.mark.parametrize("op", ["seal", "open"])
@pytest.mark.parametrize("name", [one.name for one in FILES])
def test_samples_of_every_file(name: str, op: str) -> None:
    case = Case(name, op, 100_000, "python", "oneshot")  # type: ignore[arg-type]
    parallel = "parallel" in CATALOGUE.find(name).description.flags
    for threads in (1, 3) if parallel else (1,):
        made = driver(replace(case, threads=threads), CATALOGUE, 1)
        assert isinstance(made, FileDriver)
        assert made.sample(2)[0] > 0 and made.fingerprint is None
    if not parallel:
        with pytest.raises(ArgumentError, match="3 threads given, 1 expected: it takes no thread count"):
            driver(replace(case, threads=3), CATALOGUE, 1)


def test_a_python_aead_takes_no_threads() -> None:
    with pytest.raises(ArgumentError, match="2 threads given"):
        driver(Case("pyca/aes-256-gcm", "seal", 1000, "python", threads=2), CATALOGUE, 1)


def wrong(length: int, op: str, model: str, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> object:
    """Return the call of pyca, whose result is wrong for messages beyond `length`."""
    right = CATALOGUE.find("pyca/cobblestone-128")
    assert isinstance(right, Adapter)
    if op == "seal":
        return partial(right.seal, key, b"", data[:length], aad)
    return lambda: right.open(key, b"", data, aad)[:length]


@pytest.mark.parametrize(("op", "reason"), [("seal", "to another message"), ("open", "the result differs")])
def test_a_wrong_file_of_the_measured_length_is_no_sample(op: str, reason: str) -> None:
    row = Row("cobblestone-128", "file", partial(wrong, 50_000), 16, models=ONCE)  # type: ignore[arg-type]
    liar = Adapter(row.describe("liar", "1"), row)
    right = Case("liar/cobblestone-128", op, 50_000, "python", "oneshot")  # type: ignore[arg-type]
    FileDriver(right, liar, 1).sample(1)
    with pytest.raises(VerificationError, match=reason):
        FileDriver(replace(right, bytes=50_001), liar, 1).sample(1)
