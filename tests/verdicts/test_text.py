"""Findings as text, for findings made by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan
from textwrap import dedent
from typing import Any

import pandas as pd
import pytest

from aeadlab.errors import UnknownNameError
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import Aspect, Finding
from aeadlab.verdicts.estimate import Estimate
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.ranges import Range, similar_effect
from aeadlab.verdicts.sources import Source
from aeadlab.verdicts.text import as_json, as_markdown, as_markdown_rows, as_text, headline

SOURCE = Source(
    "r.parquet", "baselines, profile paper", ("measured on battery",), Evidence(pd.DataFrame(), "baselines")
)
MEASURED = Estimate(2.0, 1.5, 2.5, 0.0, 12, 48)


def finding_of(key: str, document: str = "ETH", **changes: Any) -> Finding:
    texts = {"key": key, "document": document, "place": "Table 1", "statement": f"It is {key}.", "measure": "its time"}
    claim = replace(
        claims_of()[0], **texts, differs="there are fewer cores", unit="times", numbers=(), expected=None, substitute=""
    )
    fields = {"statement": claim.statement, "published": 1.5, "accepted": Range(1, inf), "verdict": "reproduced"}
    return Finding(**{"claim": claim, **fields, "estimate": MEASURED, **changes})  # type: ignore[arg-type]


@pytest.fixture
def findings() -> Findings:
    size = Aspect("size", similar_effect(1.5), "inconclusive", "the interval overlaps a bound")
    no_size = Aspect("size", similar_effect(1.5), "inconclusive", "no case")
    undecided = finding_of("slow", "Tor", verdict="inconclusive", estimate=None, reason="no case", published=nan)
    return Findings(
        (
            finding_of("fast", aspect=size, p_value=0.01, p_adjusted=0.02),
            finding_of("late", verdict="not reproduced", prediction=Estimate(3.0, 2.0, 4.0)),
            replace(undecided, aspect=no_size),
        ),
        {"baselines": SOURCE},
    )


def test_text_has_an_entry_for_each_finding(findings: Findings) -> None:
    shown = as_text(findings).replace("\N{NO-BREAK SPACE}", " ")
    assert shown == dedent(
        """\
        3 claims: 1 reproduced, 1 not reproduced, 1 inconclusive.

        reproduced      fast (ETH, Table 1)
            It is fast.
            its time: published 1.50; measured 2.00 (1.50 to 2.50); accepted above 1.00
            12 processes, 48 rounds; p = 0.01, corrected 0.02
            size: inconclusive, accepted 1.25 to 2.00
            -> size: the interval overlaps a bound

        not reproduced  late (ETH, Table 1)
            It is late.
            its time: published 1.50; measured 2.00 (1.50 to 2.50); accepted above 1.00
            12 processes, 48 rounds
            prediction, no verdict: 3.00 (2.00 to 4.00)
            -> there are fewer cores

        inconclusive    slow (Tor, Table 1)
            It is slow.
            its time: measured -; accepted above 1.00
            size: inconclusive, accepted 1.25 to 2.00
            -> no case

        r.parquet: baselines, profile paper.

        WARNING: r.parquet: measured on battery."""
    )


def test_markdown_has_a_section_for_each_document(findings: Findings) -> None:
    shown = as_markdown(findings).replace("\N{NO-BREAK SPACE}", " ")
    assert [line for line in shown.splitlines() if line.startswith(("#", "| It", "| Table", "| place", "-"))] == [
        "## ETH",
        "| place | claim | quantity | published | measured here | predicted (no verdict) | verdict |",
        "| Table 1 | It is fast. | its time | 1.50 | 2.00 (1.50 to 2.50); 12 processes, 48 rounds; p = 0.01, corrected "
        "0.02 | - | **reproduced**, size **inconclusive**: size: the interval overlaps a bound |",
        "| Table 1 | It is late. | its time | 1.50 | 2.00 (1.50 to 2.50); 12 processes, 48 rounds | 3.00 (2.00 to "
        "4.00) | **not reproduced**: there are fewer cores |",
        "## Tor",
        "| place | claim | quantity | published | measured here | verdict |",
        "| Table 1 | It is slow. | its time | - | - | **inconclusive**: no case |",
        "## Records",
        "- r.parquet: baselines, profile paper.",
        "- Warning: r.parquet: measured on battery.",
    ]
    assert shown.startswith("3 claims: ") and shown.count("Predictions are for as many logical cores") == 1


def test_a_page_does_not_name_reference_records(findings: Findings) -> None:
    reference = Findings(findings.findings, {"baselines": replace(SOURCE, cpu="Xeon")})
    assert "Xeon" in reference.reference_record
    assert as_markdown(reference).startswith(reference.reference_record)
    assert as_markdown(reference, page=True).startswith("3 claims: ")
    assert as_text(reference).split("\n\n")[0].replace("\n", " ") == reference.reference_record
    assert json.loads(as_json(reference))["reference_record"] == reference.reference_record
    assert json.loads(as_json(findings))["reference_record"] is None


def test_rows_of_keys_are_linked_and_in_their_order(findings: Findings) -> None:
    shown = as_markdown_rows(findings, ["slow", "fast"]).replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert shown[2:4] == [
        "| [Tor](docs/FINDINGS.md#tor): It is slow; its time | - | - | - | **inconclusive** |",
        "| [ETH](docs/FINDINGS.md#eth): It is fast; its time | 1.50 | 2.00 (1.50 to 2.50) | 12/48; -; 0.02 | "
        "**reproduced**, size **inconclusive** |",
    ]
    with pytest.raises(UnknownNameError, match=r"there is no claim 'fats'; .*fast"):
        as_markdown_rows(findings, ["fast", "fats"])


def test_a_headline_ends_before_details() -> None:
    assert headline("It is 5 (of 9) times faster; by far.") == "It is 5 times faster"
    assert headline("Two modes: fast and slow.") == "Two modes"
    assert headline("It is slower.") == "It is slower"


def test_json_has_all_columns(findings: Findings) -> None:
    content = json.loads(as_json(findings))
    assert content["counts"] == {"reproduced": 1, "not reproduced": 1, "inconclusive": 1}
    assert content["records"] == [
        {"record": "r.parquet", "about": "baselines, profile paper", "cautions": ["measured on battery"]}
    ]
    assert [row["key"] for row in content["findings"]] == ["fast", "late", "slow"]
    assert content["findings"][0]["size"] == "inconclusive" and content["findings"][0]["direction"] == "reproduced"
    assert as_json(findings).startswith('{\n "reference_record": null,\n "counts": {\n  "reproduced": 1')


def test_full_texts_have_the_version_of_each_criterion_and_all_levels() -> None:
    second = Aspect("size", similar_effect(1.5), "reproduced", p_value=0.001, p_adjusted=0.004, version=3)
    both = Findings((finding_of("fast", aspect=second, p_value=0.01, p_adjusted=0.02, version=2),), {})
    shown = as_text(both).replace("\N{NO-BREAK SPACE}", " ")
    words = " ".join(shown.split())
    assert "accepted above 1.00 (criterion version 2)" in words
    assert "size: reproduced, accepted 1.25 to 2.00 (criterion version 3); p = 0.001, corrected 0.004" in words
    page = as_markdown(both).replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "| **reproduced** (criterion version 2), size **reproduced** (version 3; p = 0.001, corrected 0.004) |" in page
    )
    assert "version" not in as_markdown_rows(both, ["fast"])
