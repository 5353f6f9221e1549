from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from aeadlab.display import front_end
from aeadlab.display.front_end import in_notebook, shows_widgets


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The variables of a notebook, with this process as its kernel."""
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


def test_the_environment_variable_overrides_detection(
    variables: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    assert shows_widgets()
    monkeypatch.setenv(front_end.WIDGETS, "0")
    assert not shows_widgets()
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.setenv(front_end.WIDGETS, "1")
    assert shows_widgets()


def test_a_process_that_is_not_a_kernel_shows_no_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(front_end.WIDGETS, raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook() and not shows_widgets()
