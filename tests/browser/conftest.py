"""JupyterLab on loopback with copies of the notebooks, and pages of a headless Chromium."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ("00-start-here", "01-single-threaded-baselines")
REFERENCE = "02-speedup"
"""A notebook that keeps its default profile, which measures nothing."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEPT = ROOT / "build/lab"
"""Folder for screenshots and logs of failures."""

START_SECONDS = 60.0

# Cells stay part of the page when scrolled out of sight; no news and updates are fetched.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab.

    Attributes
    ----------
    results
        Results folder of its notebooks.
    """

    address: str
    token: str
    results: Path

    def page_of(self, notebook: str) -> str:
        """Return the address of a notebook's page."""
        return f"{self.address}lab/tree/{notebook}.ipynb?reset&token={self.token}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Store for fixtures whether their test failed."""
    report: Any = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the system's Chromium, since Playwright would download one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    # Chromium's sandbox does not work for root.
    arguments = ["--no-sandbox"] * (os.geteuid() == 0)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=executable, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start JupyterLab in a folder with the notebooks, of which all but one have profile smoke."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "notebooks").mkdir()
    for name in NOTEBOOKS:
        _copy_for_smoke(ROOT / "notebooks" / f"{name}.ipynb", folder / "notebooks")
    shutil.copy(ROOT / "notebooks" / f"{REFERENCE}.ipynb", folder / "notebooks")
    for name, values in SETTINGS.items():
        extension, plugin = name.split("/")
        place = folder / "settings/@jupyterlab" / extension / f"{plugin}.jupyterlab-settings"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(values))
    environment = {
        **os.environ,
        "AEADLAB_RESULTS": str(folder / "results"),
        # A measurement at the same time would make these times wrong, but does not affect the tests.
        "AEADLAB_LOCK": str(folder / "lock"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
    }
    environment.pop("AEADLAB_WIDGETS", None)
    token = secrets.token_hex(16)
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder / 'notebooks'}"),
        *["--allow-root"] * (os.geteuid() == 0),
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            address = _address(server, folder)
            yield Lab(address, token, folder / "results")
        finally:
            server.terminate()
            server.wait(START_SECONDS)


def _address(server: subprocess.Popen[bytes], folder: Path) -> str:
    """Wait until the server listens, and return its address."""
    info = folder / "runtime" / f"jpserver-{server.pid}.json"
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        if info.exists() and (text := info.read_text()):
            return str(json.loads(text)["url"])
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{(folder / 'log').read_text()[-3000:]}")


def _copy_for_smoke(source: Path, folder: Path) -> None:
    # Takes four seconds, which all test processes would spend on collecting this folder.
    import nbformat

    book = nbformat.read(source, as_version=4)
    (cell,) = (cell for cell in book.cells if "parameters" in cell.metadata.get("tags", ()))
    before, cell.source = cell.source, cell.source.replace('profile: str = "reference"', 'profile: str = "smoke"')
    assert cell.source != before, f"{source.name} has no parameter profile that is reference"
    nbformat.write(book, folder / source.name)


@pytest.fixture
def open_notebook(browser: Any, lab: Lab, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    """``open_notebook("00-start-here")``: open a notebook's page; a failed test keeps a screenshot."""
    pages = []

    def opened(name: str) -> Any:
        page = browser.new_page(viewport={"width": 1600, "height": 1200})
        page.set_default_timeout(1000 * START_SECONDS)
        pages.append(page)
        page.goto(lab.page_of(name))
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        # Before the kernel has started, the page may show a dialog to select one.
        page.get_by_text(re.compile(r"Python 3.* \| Idle")).wait_for()
        return page

    yield opened
    for page in pages:
        if request.node.stash.get(FAILED, True):
            KEPT.mkdir(parents=True, exist_ok=True)
            # Tall enough for the whole notebook, which scrolls within the page.
            page.set_viewport_size({"width": 1600, "height": 5000})
            page.screenshot(path=KEPT / f"{request.node.name}.png")
            (KEPT / f"{request.node.name}.html").write_text(page.content(), encoding="utf-8")
        page.close()
