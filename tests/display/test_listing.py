from __future__ import annotations

import re

import pandas as pd
import pytest

from aeadlab.display.conditions import CONDITIONS, case_name, in_words, shared, varied
from aeadlab.display.listing import as_html, as_text, reasons_html
from aeadlab.records.reading import load_record
from aeadlab.stats import medians
from tests.conftest import WriteRecord

OPENSSL = "openssl/aes-256-gcm"
ORDINARY = {
    **{"bytes": 1 << 20, "op": "seal", "engine": "whole", "block_size": 0, "threads": 1, "schedule": ""},
    **{"model": "keyed", "tags": "concatenated", "placement": "separate", "aad_bytes": 0, "cache": "warm", "mask": ""},
}
SPLIT = {**ORDINARY, "engine": "parsplit", "block_size": 65536, "threads": 2, "schedule": "dynamic"}


def cases(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame([{"implementation": OPENSSL, **row} for row in rows])


def test_properties_of_implementations_are_not_varied() -> None:
    python = {"implementation": "pyca/aes-256-gcm", **ORDINARY, "engine": "python"}
    assert varied(cases(ORDINARY, python)) == []
    assert varied(cases(ORDINARY, {**ORDINARY, "engine": "parsplit", "schedule": "dynamic"})) == ["engine"]
    both = cases(ORDINARY, {**SPLIT, "schedule": "static"}, SPLIT)
    assert varied(both) == ["engine", "block_size", "threads", "schedule"]


def test_conditions_in_words_omit_defaults() -> None:
    assert in_words(ORDINARY, CONDITIONS) == "1 MiB, seal, whole message, 1 thread, keyed"
    odd = {**SPLIT, "tags": "digest", "placement": "in-place", "aad_bytes": 1024, "cache": "cold", "mask": "zen2"}
    words = in_words(odd, CONDITIONS)
    for part in ("dynamic, keyed", "digest tags", "in place, 1 KiB of associated data", "cold caches, without zen2"):
        assert part in words
    assert words.startswith("1 MiB, seal, ParSplit, blocks of 64 KiB, 2 threads, dynamic")
    memcpy = {"implementation": "baseline/memcpy", **ORDINARY, "op": "encrypt"}
    assert case_name({"implementation": OPENSSL, **ORDINARY}, ["op"]) == f"{OPENSSL} seal"
    assert case_name(ORDINARY, ["op", "bytes"]) == "seal, 1 MiB"
    assert shared(cases(ORDINARY, memcpy)) == "1 MiB, seal, whole message, 1 thread, keyed"


@pytest.fixture
def table(write_record: WriteRecord) -> pd.DataFrame:
    return medians(load_record(write_record(rounds=6, factors={"ring/aes-256-gcm": 2.0})).samples)


def test_html_and_text_hold_the_medians_with_their_intervals(table: pd.DataFrame) -> None:
    page, lines = as_html(table), as_text(table)
    assert page.count("<tr>") == 1 + len(table) == 11
    assert re.search(
        rf"{OPENSSL}</th><td[^>]*>4 KiB</td><td>seal</td><td[^>]*>0.0\d+</td><td[^>]*>0.0\d+ to 0.0\d+", page
    )
    assert lines[0] == "whole message, 1 thread, keyed"
    assert re.fullmatch(rf"{OPENSSL} 4 KiB, seal +0.0\d+ GiB/s \(0.0\d+ to 0.0\d+\)", lines[1])
    assert lines[-1] == "and 2 more" and len(lines) == 10
    few = table.assign(gib_per_s_low=float("nan"), share=float("nan"))
    assert "(" not in as_text(few)[1] and not re.search(r"\bnan\b", as_html(few))
    assert "and 9 more" in as_html(table, most=1)
    assert "No case" in as_html(table.head(0)) and as_text(pd.DataFrame()) == ["no case has a counted sample"]


def test_names_and_reasons_cannot_write_html(table: pd.DataFrame) -> None:
    page = as_html(table.assign(implementation="<b>/x", model="<i>"))
    page += reasons_html("Not timed:", {"a/b": "<script>", "c/d": "c/d is absent"})
    assert (
        "&lt;b&gt;/x" in page and "&lt;i&gt;" in page and "a/b: &lt;script&gt;" in page and "<li>c/d is absent" in page
    )
    assert not {"<b>", "<i>", "<script>"} & set(re.findall("<[a-z]+>", page))
    assert reasons_html("Not timed:", {}) == ""
