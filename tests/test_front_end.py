from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from aeadlab import front_end
from aeadlab.front_end import in_notebook, shows_widgets


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The variables of a notebook whose kernel this process seems to be."""
    names: dict[str, object] = {}
    shell = SimpleNamespace(kernel=object(), user_ns=names)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.delenv(front_end.WIDGETS, raising=False)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return names


def test_a_kernel_without_a_page_shows_no_widgets(variables: dict[str, object]) -> None:
    assert in_notebook() and not shows_widgets()
    variables["__vsc_ipynb_file__"] = "/home/me/x.ipynb"
    assert shows_widgets()


def test_a_kernel_of_a_page_shows_widgets_unless_told_otherwise(
    variables: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    assert shows_widgets()
    monkeypatch.setenv(front_end.WIDGETS, "0")
    assert not shows_widgets()
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.setenv(front_end.WIDGETS, "1")
    assert shows_widgets()


def test_a_process_that_is_no_kernel_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(front_end.WIDGETS, raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook() and not shows_widgets()
