from __future__ import annotations

import html
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue import load, plugins
from aeadlab.display import front_end
from aeadlab.errors import BuildError
from aeadlab.lab.exploring import Exploration, Form, explore, form
from aeadlab.lab.exploring.controls import MAX_OFFERED, Offer
from tests.lab.exploring.conftest import NAMES

WAIT = 60.0


@pytest.fixture(scope="module")
def offer() -> Offer:
    return Offer.of(load())


@pytest.fixture
def shown(seen: Exploration, offer: Offer, monkeypatch: pytest.MonkeyPatch) -> Form:
    """Return a form that shows the exploration `seen`."""
    monkeypatch.setattr(Offer, "of", lambda _: offer)
    monkeypatch.setenv(front_end.WIDGETS, "1")
    form = explore(seen)
    assert isinstance(form, Form)
    return form


def status(form: Form) -> str:
    return str(form.controls.status.value)


def test_form_starts_with_the_given_exploration(shown: Form, seen: Exploration) -> None:
    controls = shown.controls
    assert shown.exploration is seen and bytes(controls.figure.value).startswith(b"\x89PNG")
    assert list(controls.implementations.value) == NAMES
    assert (controls.bytes.value, controls.samples.value, controls.engine.value) == (4096, 6, "whole")
    assert controls.table.value == seen.as_html() and not controls.export.disabled
    assert seen.answers[0] in html.unescape(controls.answer.value)
    results = controls.box().children[1].children
    assert results.index(controls.answer) < results.index(controls.figure) < results.index(controls.table)
    assert "application/vnd.jupyter.widget-view+json" in shown._repr_mimebundle_()


def test_form_without_an_exploration_shows_no_result(offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Offer, "of", lambda _: offer)
    empty = Form()
    assert empty.exploration is None and empty.controls.export.disabled and not empty.controls.figure.value
    assert len(empty.controls.implementations.value) == 3
    empty.export()
    assert "Choose, then press Measure" in status(empty)


def test_another_view_redraws_the_same_samples(shown: Form, seen: Exploration) -> None:
    before = shown.controls.figure.value
    shown.controls.quantity.value = "share of memcpy"
    share = shown.controls.figure.value
    shown.controls.venue.value = "ieee"
    assert len({before, share, shown.controls.figure.value}) == 3
    assert shown.exploration is seen and shown.wait(0)


def test_changed_input_measures_short_messages_at_once(shown: Form) -> None:
    before = shown.controls.figure.value
    shown.controls.bytes.value = 1024
    assert shown.wait(WAIT)
    assert "Measured" in status(shown)
    assert shown.exploration is not None and set(shown.exploration.samples["bytes"]) == {1024}
    assert shown.controls.figure.value != before and shown.controls.stop.disabled
    exploration = shown.exploration
    shown.controls.bytes.value = 1 << 30
    assert shown.wait(0) and not shown.controls.live.value and shown.exploration is exploration


def test_parsplit_enables_blocks_and_threads(shown: Form) -> None:
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


def test_changes_during_a_measurement_restart_it(shown: Form) -> None:
    for size in (64, 1024, 16 << 10):
        shown.controls.bytes.value = size
    assert shown.wait(WAIT) and shown.exploration is not None
    assert set(shown.exploration.samples["bytes"]) == {16 << 10}
    assert "Measured" in status(shown)


def test_stop_button_shows_the_samples_and_frees_the_lock(shown: Form) -> None:
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
    assert str(shown.exploration.stopped).endswith("samples"), "an expired time budget is reported in rounds"
    with machine_lock():
        pass


def test_shows_errors_in_the_form(shown: Form, seen: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    with machine_lock():
        shown.measure()
        assert shown.wait(WAIT)
    assert "is measuring on this machine" in status(shown)
    assert shown.exploration is seen and shown.controls.figure.value, "the earlier result is still shown"

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("<broken>")

    monkeypatch.setattr(form, "look_at", broken)
    shown.controls.implementations.value = NAMES[:1]
    assert shown.wait(WAIT) and "RuntimeError: &lt;broken&gt;" in status(shown)
    assert shown.controls.stop.disabled

    def stale() -> None:
        raise BuildError("run `make build`")

    monkeypatch.setattr(form, "load", stale)
    assert "run `make build`" in status(Form())


def test_nothing_chosen_shows_no_result(shown: Form, seen: Exploration) -> None:
    controls = shown.controls
    controls.live.value = False
    controls.implementations.value = ()
    assert "Choose at least one" in status(shown)
    assert shown.exploration is None and controls.figure.layout.display == "none" and controls.export.disabled
    assert not controls.figure.value and not controls.answer.value and not controls.table.value
    shown.measure()
    assert shown.wait(0) and "Choose at least one" in status(shown)
    shown._show_result(seen)
    assert shown.exploration is None and not controls.figure.value, "its samples are of an earlier choice"


def test_shows_why_the_choice_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, compiled: Callable[..., Path]
) -> None:
    plugin = compiled("toy", LIBRARY='"other-toy"', ALGORITHM='"aes-256-gcm"')
    monkeypatch.setenv(plugins.VARIABLE, str(plugin))
    form = Form()
    controls = form.controls
    controls.live.value = False
    for name, size, reason in (
        ("other-toy/aes-256-gcm", 1024, "known answers"),
        ("openssl/aes-256-ccm", 16 << 20, "16777216 bytes given, at most 16777215 expected"),
    ):
        controls.filter.value = name
        controls.implementations.value = (name,)
        controls.bytes.value = size
        form.measure()
        assert form.wait(WAIT)
        assert "no case could be measured" in status(form) and reason in status(form)
        assert "Traceback" not in status(form) and form.exploration is None and not controls.figure.value


def test_export_button_lists_the_files(shown: Form, seen: Exploration) -> None:
    shown.controls.export.click()
    assert str(seen.folder) in status(shown)
    names = [f"{seen.record.path.stem}{end}" for end in (".pdf", ".csv", "-samples.csv", "-samples.parquet")]
    assert all(name in status(shown) and Path(seen.folder, name).is_file() for name in names)


def test_filter_narrows_the_list_and_keeps_the_choice(shown: Form) -> None:
    choices = shown.controls.implementations
    shown.controls.filter.value = "CHACHA20 ring/"
    assert choices.options[:2] == (("OpenSSL AES-256-GCM", NAMES[0]), ("BLAKE3", NAMES[1]))
    assert choices.options[2:] == (("ring ChaCha20-Poly1305", "ring/chacha20-poly1305"),)
    assert list(choices.value) == NAMES
    shown.controls.filter.value = ""
    assert len(choices.options) == MAX_OFFERED and list(choices.value) == NAMES
    assert shown.wait(0) and "Measured" not in status(shown), "a filter starts no measurement"


def test_labels_in_words_are_unique(offer: Offer) -> None:
    labels = [label for label, _ in offer.labelled("", sorted(offer.descriptions))]
    assert len(labels) == len(offer.descriptions) == len(set(labels))
    assert ("Crypto++ AES-256-GCM", "cryptopp/aes-256-gcm") in Offer(
        {name: offer.descriptions[NAMES[0]] for name in ("cryptopp/aes-256-gcm", NAMES[0])}
    ).labelled("crypto++", ())
    same = Offer(dict.fromkeys(("rustcrypto/aes-256-gcm", "rustcrypto-mgm/aes-256-gcm"), offer.descriptions[NAMES[0]]))
    assert [label for label, _ in same.labelled("", ())] == ["rustcrypto-mgm/aes-256-gcm", "rustcrypto/aes-256-gcm"]


def test_filter_matches_kinds(offer: Offer) -> None:
    kinds = {offer.descriptions[name].kind for name in offer.matching("mac", ())}
    assert "mac" in kinds and all(
        "mac" in name or offer.descriptions[name].kind == "mac" for name in offer.matching("mac", ())
    )
    assert offer.matching("no such thing", ("a/b",)) == ("a/b",)
    assert offer.is_parallel("blake3-rayon/blake3") and not offer.is_parallel("openssl/aes-256-gcm")
