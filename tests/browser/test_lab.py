"""Notebooks in a browser: all cells run, and the form follows its controls."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import KEPT, REFERENCE, Lab

pytestmark = pytest.mark.lab

RUN_SECONDS = 300.0
MEASURE_SECONDS = 60.0
STOP_SECONDS = 10.0

Open = Callable[[str], Any]

ERROR = '[data-mime-type="application/vnd.jupyter.error"]'
# JupyterLab does not run the cells after an error.
DONE = f"""
() => document.querySelector('{ERROR}')
    || [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')]
        .every(prompt => /^\\[\\d+\\]:$/.test(prompt.textContent.trim()))
"""
FIGURES = """
selector => [...document.querySelectorAll(selector)].map(image => image.complete ? image.naturalWidth : 0)
"""
# The pixels of the figure, independent of its address.
PIXELS = """
selector => {
    const image = document.querySelector(selector || 'img.aeadlab-figure');
    if (!image || !image.complete || !image.naturalWidth || !image.offsetWidth) return '';
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL();
}
"""


def run_all(page: Any) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(DONE, timeout=1000 * RUN_SECONDS, polling=500)


def errors(page: Any) -> list[str]:
    return [str(text).strip() for text in page.locator(ERROR).all_inner_texts()]


def changed(page: Any, before: str, selector: str = "img.aeadlab-figure") -> str:
    """Wait until the figure differs from `before`, and return its pixels."""
    page.wait_for_function(
        f"([before, selector]) => {{ const now = ({PIXELS})(selector); return now && now !== before }}",
        arg=[before, selector],
        timeout=1000 * MEASURE_SECONDS,
        polling=200,
    )
    return str(page.evaluate(PIXELS, selector))


def test_baselines_notebook_shows_its_figures(open_notebook: Open) -> None:
    page = open_notebook("01-single-threaded-baselines")
    run_all(page)
    assert errors(page) == []
    widths = page.evaluate(FIGURES, ".jp-OutputArea-output.jp-RenderedImage img")
    assert widths and all(width > 300 for width in widths)


def test_form_of_the_first_notebook_follows_the_controls(open_notebook: Open, lab: Lab) -> None:
    page = open_notebook("00-start-here")
    run_all(page)
    assert errors(page) == []
    (width,) = page.evaluate(FIGURES, ".jp-OutputArea-output img[alt='medians and samples']")
    assert width > 300

    size, status = page.locator(".aeadlab-bytes select"), page.locator(".aeadlab-status")
    start = page.evaluate(PIXELS)
    assert start, "the form starts with the result of look_at"
    assert len(list(lab.results.rglob("explore-*.parquet"))) == 1, "the form measures nothing by itself"
    size.select_option(label="16 KiB")
    small = changed(page, start)
    size.select_option(label="1 MiB")
    large = changed(page, small)
    status.get_by_text("Measured").wait_for()

    records = set(lab.results.rglob("explore-*.parquet"))
    page.locator(".aeadlab-quantity button", has_text="share of memcpy").click()
    share = changed(page, large)
    assert set(lab.results.rglob("explore-*.parquet")) == records, "another view uses the same samples"

    page.locator("button.aeadlab-export").click()
    status.get_by_text("Written to").wait_for()
    written = status.locator("li").all_inner_texts()
    assert len(written) == 7
    assert all((lab.results / "explorations" / name).stat().st_size for name in written)

    # Changes to large messages do not start a measurement; the buttons start and stop it.
    size.select_option(label="256 MiB")
    page.locator("button.aeadlab-measure").click()
    status.get_by_text("measuring").wait_for()
    page.locator("button.aeadlab-stop").click()
    status.get_by_text(re.compile("Ended early|stopped before")).wait_for(timeout=1000 * STOP_SECONDS)
    size.select_option(label="1 KiB")
    changed(page, share)
    assert errors(page) == []


def test_a_reference_notebook_answers_and_follows_keyboard_and_mouse(open_notebook: Open, lab: Lab) -> None:
    page = open_notebook(REFERENCE)
    run_all(page)
    assert errors(page) == []
    (width,) = page.evaluate(FIGURES, "img.aeadlab-answer")
    assert width > 300 and page.get_by_text("not measured here").first.is_visible()
    assert page.locator("button.aeadlab-measure-here").is_visible()
    assert not list(lab.results.rglob("records/speedup-*.parquet")), "nothing is measured"

    model = "img.aeadlab-picture"
    before = changed(page, "", model)
    handle = page.locator(".aeadlab-cores .noUi-handle")
    handle.focus()
    page.keyboard.press("ArrowRight")
    by_keyboard = changed(page, before, model)
    track = page.locator(".aeadlab-memory .noUi-base")
    box = track.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
    changed(page, by_keyboard, model)

    view = "img.aeadlab-record-picture"
    before = changed(page, "", view)
    page.locator(".aeadlab-record-library select").select_option(label="openssl")
    filtered = changed(page, before, view)
    names = page.locator(".aeadlab-record-names input")
    names.press_sequentially("openssl/aes-256-gcm")
    names.press("Tab")
    changed(page, filtered, view)
    KEPT.mkdir(parents=True, exist_ok=True)
    page.locator(view).screenshot(path=KEPT / "explorer.png")
    page.locator(model).screenshot(path=KEPT / "roofline.png")
    assert errors(page) == []
