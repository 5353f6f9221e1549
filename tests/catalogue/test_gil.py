from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from aeadlab.catalogue import Implementation, gil
from aeadlab.catalogue.adapters import numba
from aeadlab.catalogue.adapters.base import Adapter, Row
from aeadlab.errors import MeasurementError

# Both are the same C function: CDLL releases the GIL during a call, PyDLL does not.
RELEASING = ctypes.CDLL(None).usleep
HOLDING = ctypes.PyDLL(None).usleep
CALL_US = 40_000
_ROW = Row("xor", "cipher", lambda op, model, key, nonce, data, aad: lambda: data, 32)


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(process.kill)
        yield


@pytest.mark.parametrize("busy", [0, 4])
def test_distinguishes_calls_that_release_and_hold_the_gil(busy: int) -> None:
    with busy_cores(busy):
        for _ in range(3):
            assert gil.releases_gil(lambda: RELEASING(CALL_US))
            assert not gil.releases_gil(lambda: HOLDING(CALL_US))


def test_probes_loops_of_short_calls() -> None:
    assert gil.releases_gil(lambda: [RELEASING(2_000) for _ in range(20)])
    assert not gil.releases_gil(lambda: [HOLDING(2_000) for _ in range(20)])


def test_a_call_with_a_brief_release_holds_the_gil() -> None:
    def mostly_held() -> None:
        RELEASING(3_000)
        HOLDING(CALL_US)

    assert not gil.releases_gil(mostly_held)


def test_pure_python_holds_the_gil() -> None:
    assert not gil.releases_gil(lambda: sum(i * i for i in range(1_000_000)))


def test_rejects_a_call_that_is_too_short() -> None:
    with pytest.raises(MeasurementError, match="at least 20 ms expected"):
        gil.releases_gil(lambda: None)


def test_restores_the_switch_interval_and_ends_its_thread() -> None:
    before, threads = sys.getswitchinterval(), threading.active_count()
    sys.setswitchinterval(0.007)
    interval = sys.getswitchinterval()

    def crash() -> None:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        gil.releases_gil(crash)
    gil.releases_gil(lambda: HOLDING(CALL_US))
    restored = sys.getswitchinterval()
    sys.setswitchinterval(before)
    assert restored == interval
    assert threading.active_count() == threads


@pytest.fixture
def xor(own_folders: Path) -> Implementation:
    return next(i for i in numba.implementations() if i.description.algorithm == "xor")


def test_compiled_loop_releases_the_gil(xor: Implementation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gil.probe(xor)
    monkeypatch.setattr(gil, "releases_gil", lambda _: pytest.fail("the result is not cached"))
    assert gil.probe(xor)


def test_result_is_cached_in_a_file_per_version(xor: Implementation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gil.cached_results([xor]) == {}
    monkeypatch.setattr(gil, "releases_gil", lambda _: True)
    assert gil.probe(xor)
    assert gil.cached_results([xor]) == {"numba/xor": True}
    monkeypatch.setattr(gil, "releases_gil", lambda _: False)
    again, newer = (Adapter(replace(xor.description, **facts), _ROW) for facts in ({}, {"version": "999"}))
    assert gil.cached_results([newer]) == {}
    assert gil.probe(again)
    assert not gil.probe(newer)
    assert gil.cached_results([newer]) == {"numba/xor": False}
    assert gil.cached_results([xor]) == {"numba/xor": True}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"numba/xor": 1}'])
def test_ignores_a_damaged_cache(xor: Implementation, own_folders: Path, content: str) -> None:
    path = own_folders / "cache" / "gil.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    assert gil.cached_results([xor]) == {}
    assert gil.probe(xor)
    assert gil.cached_results([xor]) == {"numba/xor": True}
