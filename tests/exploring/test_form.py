from __future__ import annotations

import time
from pathlib import Path

import pytest

from aeadlab import front_end
from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue import load
from aeadlab.errors import BuildError
from aeadlab.exploring import Exploration, Form, explore, form
from aeadlab.exploring.controls import MOST_OFFERED, Offer
from tests.exploring.conftest import NAMES

WAIT = 60.0


@pytest.fixture(scope="module")
def offer() -> Offer:
    return Offer.of(load())


@pytest.fixture
def shown(seen: Exploration, offer: Offer, monkeypatch: pytest.MonkeyPatch) -> Form:
    """A form that shows what `seen` holds."""
    monkeypatch.setattr(Offer, "of", lambda _: offer)
    monkeypatch.setenv(front_end.WIDGETS, "1")
    found = explore(seen)
    assert isinstance(found, Form)
    return found


def status(form: Form) -> str:
    return str(form.controls.status.value)


def test_the_form_begins_with_what_it_is_given(shown: Form, seen: Exploration) -> None:
    controls = shown.controls
    assert shown.exploration is seen and bytes(controls.figure.value).startswith(b"\x89PNG")
    assert list(controls.implementations.value) == NAMES
    assert (controls.bytes.value, controls.samples.value, controls.engine.value) == (4096, 6, "whole")
    assert controls.table.value == seen.as_html() and not controls.export.disabled
    assert "application/vnd.jupyter.widget-view+json" in shown._repr_mimebundle_()


def test_a_form_without_a_beginning_shows_nothing_and_offers_what_there_is(
    offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Offer, "of", lambda _: offer)
    empty = Form()
    assert empty.exploration is None and empty.controls.export.disabled and not empty.controls.figure.value
    assert len(empty.controls.implementations.value) == 3
    empty.export()
    assert "Choose, then press Measure" in status(empty)


def test_another_view_redraws_at_once_from_the_same_samples(shown: Form, seen: Exploration) -> None:
    before = shown.controls.figure.value
    shown.controls.quantity.value = "share of memcpy"
    share = shown.controls.figure.value
    shown.controls.venue.value = "ieee"
    assert len({before, share, shown.controls.figure.value}) == 3
    assert shown.exploration is seen and shown.wait(0)


def test_a_control_of_what_is_measured_measures_at_once_while_messages_are_small(shown: Form) -> None:
    before = shown.controls.figure.value
    shown.controls.bytes.value = 1024
    assert shown.wait(WAIT)
    assert "Measured" in status(shown)
    assert shown.exploration is not None and set(shown.exploration.samples["bytes"]) == {1024}
    assert shown.controls.figure.value != before and shown.controls.stop.disabled
    found = shown.exploration
    shown.controls.bytes.value = 1 << 30
    assert shown.wait(0) and not shown.controls.live.value and shown.exploration is found


def test_parsplit_uses_the_blocks_and_threads_that_are_off_otherwise(shown: Form) -> None:
    controls = shown.controls
    assert controls.threads.disabled and controls.block_size.disabled
    controls.live.value = False
    controls.engine.value = "parsplit"
    assert not controls.threads.disabled and not controls.block_size.disabled
    controls.threads.value, controls.block_size.value = controls.threads.max, 1024
    shown.measure()
    assert shown.wait(WAIT) and shown.exploration is not None
    case = shown.exploration.table.set_index("implementation").loc[NAMES[0]]
    assert (case["engine"], case["block_size"], case["threads"]) == ("parsplit", 1024, controls.threads.max)


def test_changes_while_it_measures_begin_anew_with_the_last_one(shown: Form) -> None:
    for size in (64, 1024, 16 << 10):
        shown.controls.bytes.value = size
    assert shown.wait(WAIT) and shown.exploration is not None
    assert set(shown.exploration.samples["bytes"]) == {16 << 10}
    assert "Measured" in status(shown)


def test_the_stop_button_ends_the_worker_shows_what_there_is_and_frees_the_machine(shown: Form) -> None:
    controls = shown.controls
    controls.live.value = False
    controls.samples.options = [("many", 200_000)]
    controls.measure.click()
    assert not controls.stop.disabled and not shown.wait(0.01)
    end = time.monotonic() + WAIT
    while controls.progress.value < 10 or "measuring" not in status(shown):
        assert time.monotonic() < end
        time.sleep(0.05)
    controls.stop.click()
    assert shown.wait(WAIT)
    assert "Ended early" in status(shown) and controls.stop.disabled
    assert shown.exploration is not None
    assert str(shown.exploration.stopped).endswith("samples"), "not by its budget, which is told in rounds"
    with machine_lock():
        pass


def test_what_goes_wrong_is_said_in_the_form(shown: Form, seen: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    with machine_lock():
        shown.measure()
        assert shown.wait(WAIT)
    assert "is measuring on this machine" in status(shown)
    shown.controls.implementations.value = ()
    assert "Choose at least one" in status(shown)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("<broken>")

    monkeypatch.setattr(form, "look_at", broken)
    shown.controls.implementations.value = NAMES[:1]
    assert shown.wait(WAIT) and "RuntimeError: &lt;broken&gt;" in status(shown)
    assert shown.exploration is seen and shown.controls.stop.disabled, "what was there is still shown"

    def stale() -> None:
        raise BuildError("run `make build`")

    monkeypatch.setattr(form, "load", stale)
    assert "run `make build`" in status(Form())


def test_the_export_button_says_where_files_went(shown: Form, seen: Exploration) -> None:
    shown.controls.export.click()
    assert str(seen.folder) in status(shown)
    names = [f"{seen.record.path.stem}{end}" for end in (".pdf", ".csv", "-samples.csv", "-samples.parquet")]
    assert all(name in status(shown) and Path(seen.folder, name).is_file() for name in names)


def test_the_filter_narrows_the_list_and_keeps_the_choice(shown: Form) -> None:
    which = shown.controls.implementations
    shown.controls.filter.value = "CHACHA20 ring/"
    assert which.options[:2] == tuple(NAMES) and set(which.options[2:]) == {"ring/chacha20-poly1305"}
    assert list(which.value) == NAMES
    shown.controls.filter.value = ""
    assert len(which.options) == MOST_OFFERED and list(which.value) == NAMES
    assert shown.wait(0) and "Measured" not in status(shown), "a filter measures nothing"


def test_kinds_are_words_of_the_filter_too(offer: Offer) -> None:
    kinds = {offer.descriptions[name].kind for name in offer.matching("mac", ())}
    assert "mac" in kinds and all(
        "mac" in name or offer.descriptions[name].kind == "mac" for name in offer.matching("mac", ())
    )
    assert offer.matching("no such thing", ("a/b",)) == ("a/b",)
    assert offer.is_parallel("blake3-rayon/blake3") and not offer.is_parallel("openssl/aes-256-gcm")
