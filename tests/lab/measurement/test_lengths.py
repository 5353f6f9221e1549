"""Faults at single lengths: hostile plugins, each tried through `aeadlab.measure`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread, main_thread
from typing import Any

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, load
from aeadlab.display.progress import report_to
from aeadlab.errors import MeasurementError, VerificationError
from aeadlab.lab.measurement import measure
from aeadlab.lab.measurement.lengths import verify_lengths
from aeadlab.records.record import Record
from aeadlab.studies import Selection, Study

pytestmark = pytest.mark.usefixtures("own_results", "own_lock")

Compiled = Callable[..., Path]

TINY = Profile("tiny", 4096, 3, 0.0, 1e-5, None)
LENGTH = 150_000
"""Measured length in bytes; verification has no fixed length near it."""
FAULTY, ASCON = "faulty/ascon-aead128", "rustcrypto/ascon-aead128"


def measured(paths: Sequence[Path], *cases: Case, seed: int = 1, stop: Event | None = None) -> Record:
    def select(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
        return list(cases)

    return measure(Study("tiny", "Is it right?", select), TINY, plugins=paths, seed=seed, stop=stop)


def case(name: str = FAULTY, op: Any = "seal", length: int = LENGTH, **more: Any) -> Case:
    return Case(name, op, length, **more)


FAULTS: dict[str, tuple[dict[str, object], list[Case], str]] = {
    "from 70,000 to 1,000,000 bytes, measured elsewhere": (
        {"WRONG": "(bytes>=70000&&bytes<=1000000)"},
        [case(length=4096)],
        "open of [0-9]+ bytes: its result differs from that of .*",
    ),
    "only at the measured length": (
        {"WRONG": f"(bytes=={LENGTH})"},
        [case()],
        f"seal of {LENGTH} bytes: its result differs from that of .*",
    ),
    "only at the measured block": (
        {"WRONG": "(bytes==3000)"},
        [case(length=9000, engine="parsplit", block_size=3000, schedule="static")],
        "seal of 9000 bytes in blocks of .*: its result differs from that of .*",
    ),
    "only at the measured cell": (
        {"WRONG": "(bytes==3000)"},
        [case(length=9000, engine="cells", block_size=3000)],
        "seal of 3000 bytes: its result differs from that of .*",
    ),
    "only when opening": (
        {"OPENS_WRONG": f"(bytes=={LENGTH})"},
        [case(op="open")],
        f"open of {LENGTH} bytes: the opened message differs from the sealed one, first at byte {LENGTH // 2} .*",
    ),
    "accepts forgeries of one length": (
        {"ACCEPTS": f"(bytes=={LENGTH})"},
        [case(op="open")],
        f"open of {LENGTH} bytes: it accepts a message of {LENGTH} bytes with a changed tag",
    ),
    "ignores long associated data": (
        {"AD_BYTES": "(ad_bytes>2000?0:ad_bytes)"},
        [case(aad_bytes=4000)],
        f"seal of {LENGTH} bytes with 4000 bytes of associated data: its result differs from that of .*",
    ),
    "ignores the end of long associated data": (
        {"AD_BYTES": "(ad_bytes>2000?2000:ad_bytes)"},
        [case(op="open", aad_bytes=4000)],
        f"open of {LENGTH} bytes with 4000 bytes of associated data: it accepts .* with shorter associated data",
    ),
    "ignores the associated data of blocks": (
        {"AD_BYTES": "(bytes==3000?0:ad_bytes)"},
        [case(length=9000, engine="parsplit", block_size=3000, schedule="static", aad_bytes=13)],
        "seal of 9000 bytes with 13 bytes of associated data in blocks of .*: its result differs from that of .*",
    ),
    "crashes at the measured length": (
        {"WRONG": f"(bytes=={LENGTH}?abort(),0:0)"},
        [case()],
        f"seal of {LENGTH} bytes: it crashes .SIGABRT.",
    ),
    "declares more than it can": (
        {"WRONG": "(bytes>100000)", "MAX_BYTES": 200000},
        [case()],
        "(open|seal) of [0-9]+ bytes: its result differs from that of .*",
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_at_one_length_is_never_timed(compiled: Compiled, what: str) -> None:
    macros, cases, reason = FAULTS[what]
    path = compiled("faulty", **macros)
    with pytest.raises(VerificationError, match=f"can be timed: {FAULTY}: {reason}$|can be timed: {reason}$"):
        measured([path], *cases)


ORDERS = [(FAULTY, ASCON), (ASCON, FAULTY)]


@pytest.mark.parametrize("order", ORDERS)
def test_the_right_one_of_a_pair_is_never_blamed(compiled: Compiled, order: tuple[str, str]) -> None:
    """A third library decides, which is not measured itself."""
    paths = [compiled("faulty", WRONG=f"(bytes=={LENGTH})"), compiled("faulty", LIBRARY='"third"')]
    record = measured(paths, *(case(name, op) for op in ("seal", "open") for name in order))
    assert record.provenance["refused"] == {
        FAULTY: f"seal of {LENGTH} bytes: its result differs from that of {ASCON} and third/ascon-aead128"
    }
    assert set(record.samples["implementation"]) == {ASCON} and set(record.samples["status"]) == {"ok"}
    assert record.provenance["lengths"]["failed"].keys() == {FAULTY}


@pytest.mark.parametrize("order", ORDERS)
def test_without_a_third_library_both_of_a_pair_fail(compiled: Compiled, order: tuple[str, str]) -> None:
    path = compiled("faulty", WRONG=f"(bytes=={LENGTH})")
    with pytest.raises(VerificationError) as raised:
        measured([path], *(case(name) for name in order))
    undecided = "and no third library decides which one is right"
    for name, other in (ORDERS[0], ORDERS[1]):
        assert f"{name}: seal of {LENGTH} bytes: its result differs from that of {other}, {undecided}" in str(
            raised.value
        )


def test_a_correct_plugin_is_timed_and_its_answers_are_cached(compiled: Compiled, tmp_path: Path) -> None:
    path = compiled("faulty")
    record = measured(
        [path], case(), case(op="open"), case(length=9000, engine="parsplit", block_size=3000, schedule="static")
    )
    assert set(record.samples["status"]) == {"ok"}
    facts = record.provenance["lengths"]
    assert facts["compared"] == 7 and facts["failed"] == {} and facts["seed"] == 1
    assert facts["without_second_library"] == {}


def test_a_result_without_a_second_library_is_reported(compiled: Compiled) -> None:
    record = measured([compiled("faulty")], Case("hiae/hiae", "seal", LENGTH))
    alone = record.provenance["lengths"]["without_second_library"]
    assert list(alone) == ["hiae/hiae"] and LENGTH in alone["hiae/hiae"]


def test_progress_counts_a_result_by_its_length() -> None:
    seen: list[tuple[int, int]] = []
    with report_to(lambda name, done, total: seen.append((done, total))):
        verify_lengths([case(ASCON, length=5 << 20)], load(), seed=1)
    done, totals = zip(*seen, strict=True)
    assert {*totals} == {done[-1]}
    assert 6 in {after - before for before, after in pairwise(done)}, "5 MiB and the result itself"


@pytest.mark.parametrize("by", ["stop", "interrupt"])
def test_a_long_question_ends_at_once(
    compiled: Compiled, by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin writes a file and waits for a minute at the measured length only."""
    asked, ended = tmp_path / "asked", Event()
    monkeypatch.setenv("FAULTY_ASKED", str(asked))
    wait = 'fclose(fopen(getenv("FAULTY_ASKED"),"w")),sleep(60),0'
    path = compiled("faulty", WRONG=f"(bytes=={LENGTH}?{wait}:0)")
    stop, kind = Event(), signal.pthread_kill if by == "interrupt" else None
    main, seen = main_thread().ident, time.monotonic()

    def interrupt() -> None:
        while not asked.exists():
            if ended.wait(0.01):
                return
        if kind is None or main is None:
            stop.set()
        else:
            kind(main, signal.SIGINT)

    thread = Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(MeasurementError if by == "stop" else KeyboardInterrupt):
            measured([path], case(), stop=stop)
    finally:
        ended.set()
        thread.join()
    assert time.monotonic() - seen < 40
