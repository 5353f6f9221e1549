from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.verify.lengths.question import Question, answer

LENGTHS = (0, 1, 4096, 70_001)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


PAIRS = (
    ("openssl/aes-256-gcm", "pyca/aes-256-gcm", "open"),
    ("aws-lc/chacha20-poly1305", "pynacl/chacha20-poly1305", "seal"),
    ("openssl/aes-256-ctr", "pycryptodome/aes-256-ctr", "encrypt"),
    ("rustcrypto/chacha20", "numba/chacha20", "decrypt"),
    ("openssl/sha-256", "hashlib/sha-256", "digest"),
    ("blake3/blake3-keyed", "blake3-py/blake3-keyed", "digest"),
)


@pytest.mark.parametrize(("native", "python", "op"), PAIRS)
def test_native_and_python_answers_are_equal(catalogue: Catalogue, native: str, python: str, op: str) -> None:
    digests = set()
    for length in LENGTHS:
        first, second = (answer(catalogue.find(name), Question(op, length)) for name in (native, python))
        assert first.digest and first == second, length
        digests.add(first.digest)
    assert len(digests) == len(LENGTHS)


def test_the_answer_depends_only_on_what_is_compared(catalogue: Catalogue) -> None:
    gcm = catalogue.find("openssl/aes-256-gcm")
    whole = [Question("seal", 5000), Question("open", 5000), Question("open", 5000, placement="in-place")]
    assert len({answer(gcm, question) for question in whole}) == len({q.compared for q in whole}) == 1
    split = [Question(op, 5000, split=True, block_size=1000) for op in ("seal", "open")]
    assert len({answer(gcm, question) for question in split}) == 1
    assert answer(gcm, split[0]) != answer(gcm, whole[0]) and split[0].compared != whole[0].compared


AAD_PAIRS = (("openssl/aes-256-gcm", "pyca/aes-256-gcm"), ("aws-lc/chacha20-poly1305", "pynacl/chacha20-poly1305"))


@pytest.mark.parametrize("names", AAD_PAIRS)
def test_the_answer_includes_the_associated_data(catalogue: Catalogue, names: tuple[str, str]) -> None:
    digests = set()
    for aad_bytes in (0, 13, 32, 1 << 20):
        questions = [Question(op, 5000, aad_bytes=aad_bytes) for op in ("seal", "open")]
        answers = {answer(catalogue.find(name), question) for name in names for question in questions}
        native = catalogue.find(names[0])
        answers.add(answer(native, Question("open", 5000, placement="in-place", aad_bytes=aad_bytes)))
        assert len(answers) == len({question.compared for question in questions}) == 1
        digests |= answers
        split = Question("open", 5000, split=True, block_size=1000, aad_bytes=aad_bytes)
        assert answer(native, split).digest
        digests.add(answer(native, split))
    assert len(digests) == 8 and all(found.digest for found in digests)


@pytest.mark.parametrize("shortened", [False, True])
def test_a_python_library_that_ignores_associated_data_is_caught(catalogue: Catalogue, shortened: bool) -> None:
    real: Any = catalogue.find("pyca/aes-256-gcm")

    def bind(op: str, model: str, key: Any, nonce: Any, data: Any, aad: Any) -> Any:
        return real._row.bind(op, model, key, nonce, data, aad[:8] if shortened else b"")

    ignoring = Adapter(real.description, replace(real._row, bind=bind), real._rejections)
    sealed, opened = (Question(op, 500, aad_bytes=13) for op in ("seal", "open"))
    assert answer(ignoring, sealed).digest != answer(real, sealed).digest
    assert answer(ignoring, opened).fault == "it accepts a message of 500 bytes with shorter associated data"


def test_unsupported_questions_are_skipped(catalogue: Catalogue) -> None:
    assert (
        "at most 16777215 expected"
        in answer(catalogue.find("openssl/aes-256-ccm"), Question("seal", 1 << 24)).unsupported
    )
    assert (
        "at most 16777215 expected" in answer(catalogue.find("pyca/aes-256-ccm"), Question("seal", 1 << 24)).unsupported
    )
    assert (
        "0 expected" in answer(catalogue.find("openssl/aes-256-ctr"), Question("encrypt", 9, aad_bytes=1)).unsupported
    )
    assert "multiple of 16" in answer(catalogue.find("openssl/aes-128-cbc"), Question("encrypt", 17)).unsupported
