"""`aeadlab.speed`: the table, the answers and the errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import aeadlab
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab.exploring.answer import answers
from aeadlab.lab.speed import Speed, speed
from aeadlab.stats import medians

OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, session_cache: Path) -> Any:
    folder = tmp_path_factory.mktemp("speed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aeadlab.bench.lock.PATH", folder / "lock")
        patch.setenv("AEADLAB_CACHE", str(session_cache))
        patch.setenv("AEADLAB_RESULTS", str(folder / "results"))
        yield folder


@pytest.fixture(scope="module")
def measured(folders: Path) -> Speed:
    return aeadlab.speed([OPENSSL, RING], size=[1400, 4096], samples=4)


def test_measures_verified_cases_beside_memcpy(measured: Speed, folders: Path) -> None:
    table = measured.table
    assert set(table["implementation"]) == {OPENSSL, RING, "baseline/memcpy"}
    assert set(table["bytes"]) == {1400, 4096} and (table["n"] == 4).all()
    assert measured.record.samples["process"].nunique() == 4
    assert measured.record.path.parent == folders / "results" / "explorations"
    assert measured.record.provenance["verified"][OPENSSL]["ok"]


def test_answers_each_length_in_a_sentence(measured: Speed) -> None:
    assert len(measured.answers) == 2
    for size, answer in zip(("1400 B", "4 KiB"), measured.answers, strict=True):
        assert size in answer and "openssl" in answer and "ring" in answer
        assert "times as fast as" in answer or "no difference larger than the noise" in answer
    text = measured.as_text()
    assert max(map(len, text.splitlines())) <= 80
    assert " ".join(text.split()).endswith(" ".join(measured.answers[-1].split()))
    assert measured.as_dict()["answers"] == measured.answers
    assert measured._repr_html_().count("<table") == 1


def _answer(times: dict[str, float], **conditions: Any) -> str:
    """Return the answer for cases of these median times, in five processes."""
    rows = []
    for name, seconds in times.items():
        for replica in (0, 1) if name == OPENSSL else (0,):
            for number in range(9):
                jitter = 1 + 0.01 * replica + 0.0001 * number
                rows.append({"implementation": name, "round": number, "replica": replica, "seconds": seconds * jitter})
    samples = pd.DataFrame(rows).assign(
        library=lambda frame: frame["implementation"].str.partition("/")[0],
        algorithm=lambda frame: frame["implementation"].str.partition("/")[2],
        **{"kind": "aead", "op": "seal", "bytes": 1400, "engine": "whole", "model": "keyed", "block_size": 0},
        **{
            "threads": 1,
            "schedule": "",
            "placement": "separate",
            "aad_bytes": 0,
            "cache": "warm",
            "mask": "",
            "tags": "concatenated",
            "warmup": False,
        },
        **{"status": "ok", "order": range(len(rows)), "process": [row["round"] // 2 for row in rows], "flags": ""},
    )
    samples = samples.assign(**conditions)
    table = samples[samples["replica"] == 0].groupby(["implementation", "op", "bytes"], as_index=False).first()
    (answer,) = answers(table.assign(share=0.5, gib_per_s=1.0), samples)
    return answer


def test_names_the_factor_only_beyond_the_noise() -> None:
    assert _answer({OPENSSL: 1e-6, RING: 1.37e-6}).startswith("openssl is 1.37 times as fast as ring at 1400 B")
    assert _answer({OPENSSL: 1.005e-6, RING: 1e-6}).startswith("ring and openssl: no difference larger than the noise")
    three = _answer({OPENSSL: 1e-6, RING: 1.37e-6, "aws-lc/aes-256-gcm": 0.5e-6})
    assert three.startswith("aws-lc is the fastest of 3 at 1400 B: 2.00 times as fast as openssl, the second")
    # The samples choose the fastest two of three, so that their interval holds for all three pairs at once.
    assert "95 % interval for all 3 pairs at once 2.00 to 2.00 (" in three.replace("\N{NO-BREAK SPACE}", " ")
    assert "95 % interval 1.37 to 1.37 (" in _answer({OPENSSL: 1e-6, RING: 1.37e-6}).replace("\N{NO-BREAK SPACE}", " ")
    alone = _answer({OPENSSL: 1e-6})
    assert alone.replace("\N{NO-BREAK SPACE}", " ") == (
        "openssl/aes-256-gcm seals 1400 B in 1.000 \N{MICRO SIGN}s: 1.00 GiB/s, 50.0 % of memcpy."
    )


def test_names_the_conditions_in_which_cases_of_one_implementation_differ(samples_of: Any) -> None:
    times = {(OPENSSL, "whole", "seal", 0): 0.06, (OPENSSL, "parsplit", "seal", 65536): 0.07}
    for others in ({}, {("blake3/blake3", "whole", "digest", 0): 0.15, ("baseline/memcpy", "whole", "seal", 0): 0.01}):
        single = samples_of(times | others)
        samples = pd.concat([single, single.assign(replica=1)])
        (answer,) = answers(medians(samples), samples)
        kind = "aead, " if others else ""
        assert f"{OPENSSL} ({kind}whole message) is" in answer
        assert f"as {OPENSSL} ({kind}ParSplit, blocks of 64 KiB)" in answer


def test_answers_a_stopped_run_without_a_pair_of_arms_or_a_common_round(samples_of: Any) -> None:
    samples = samples_of({(OPENSSL, "whole", "seal", 0): 0.06, (RING, "whole", "seal", 0): 0.07})
    (answer,) = answers(medians(samples), samples)
    assert answer.startswith("openssl is 1.1") and "times as fast as ring at 1 GiB" in answer
    (answer,) = answers(medians(samples), samples.assign(process=0))
    assert answer.replace("\N{NO-BREAK SPACE}", " ") == (
        "openssl and ring: no difference larger than the noise, 1.00 %, at 1 GiB (within one process, 30 rounds)."
    )
    first = samples[(samples["implementation"] == OPENSSL) == (samples["round"] < samples["round"].median())]
    (answer,) = answers(medians(first), first)
    assert answer == "openssl and ring: no round in common, so that they cannot be compared, at 1 GiB."


def test_measures_different_kinds_and_names_them(folders: Path) -> None:
    answer = speed([RING, "openssl/aes-256-ctr"], size=1024, samples=3).answers[0]
    assert "ring/aes-256-gcm (aead)" in answer and "openssl/aes-256-ctr (cipher)" in answer


def test_opens_and_splits(folders: Path) -> None:
    table = speed(RING, size=1 << 20, open=True, threads=2, samples=2).table
    own = table[table["implementation"] == RING].iloc[0]
    assert (own["op"], own["engine"], own["threads"]) == ("open", "parsplit", 2)


def test_lists_what_was_not_timed(folders: Path, compiled: Any) -> None:
    plugin = compiled("toy", LIBRARY='"other-toy"', ALGORITHM='"aes-256-gcm"')
    result = speed([RING, "other-toy/aes-256-gcm"], size=64, samples=2, plugins=[plugin])
    assert list(result.not_timed) == ["other-toy/aes-256-gcm"]
    assert "not timed: other-toy/aes-256-gcm" in result.as_text()


def test_rejects_wrong_use(folders: Path) -> None:
    with pytest.raises(UnknownNameError, match="nearest: .*aes-256-gcm"):
        speed("aes-256-gmc")
    with pytest.raises(UnknownNameError, match="ring/aes-256-gcm"):
        speed("rings/aes-256-gcm")
    with pytest.raises(ArgumentError, match=r"\d+ implementations match, at most 200 expected"):
        speed("*")
    with pytest.raises(ArgumentError, match="size 0 given, 1 to 4294967296 bytes expected"):
        speed(RING, size=0)
    with pytest.raises(ArgumentError, match="no name given"):
        speed([])
