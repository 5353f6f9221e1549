"""Thread count and block size of implementations that are parallel themselves are set before each sample."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import Driver, driver, share_arena
from aeadlab.catalogue import Catalogue, load
from aeadlab.errors import ArgumentError

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
Log = Callable[[], list[str]]

PARALLEL = "(AEADLAB_IN_PLACE|AEADLAB_THREAD_SAFE|AEADLAB_PARALLEL)"
SEAL = Case("toy/xor-tag", "seal", 4096)
WALL_NS, CPU_NS = range(2)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Log:
    """``log()``: settings and calls of the plugin since the last call: ``threads 2``, ``blocks 512``, ``seal``."""
    path = tmp_path / "log"
    path.touch()
    monkeypatch.setenv("TOY_LOG", str(path))

    def take() -> list[str]:
        lines = path.read_text().splitlines()
        os.truncate(path, 0)
        return lines

    return take


def parallel_toy(compiled: Compiled, **macros: object) -> Catalogue:
    """A catalogue with a plugin that records its settings."""
    return load([compiled("toy", **{"FLAGS": PARALLEL, "SETTINGS": 1, "ON_MESSAGE": 'record("seal", 0)', **macros})])


def ready(catalogue: Catalogue, *cases: Case) -> list[Driver]:
    drivers = [driver(case, catalogue, 1) for case in cases]
    share_arena(drivers, list(cases), 1)
    return drivers


def test_interleaved_cases_keep_their_settings(compiled: Compiled, log: Log) -> None:
    two, blocks = Case.from_row({**SEAL.row(), "threads": 2}), Case.from_row({**SEAL.row(), "block_size": 512})
    first, second = ready(parallel_toy(compiled), two, blocks)
    log()
    for one, numbers in ((first, ["threads 2", "blocks 0"]), (second, ["threads 1", "blocks 512"])) * 2:
        one.sample(3)
        assert log() == [*numbers, "seal 0", "seal 0", "seal 0"]


def test_parsplit_sets_one_thread(compiled: Compiled, log: Log) -> None:
    split = Case("toy/xor-tag", "seal", 4096, engine="parsplit", block_size=2048, threads=2, schedule="dynamic")
    (one,) = ready(parallel_toy(compiled), split)
    log()
    one.sample(1)
    assert log() == ["threads 1", "blocks 0", "seal 0", "seal 0"]


def test_implementations_without_the_flag_have_no_settings(compiled: Compiled, log: Log) -> None:
    (one,) = ready(parallel_toy(compiled, FLAGS="AEADLAB_THREAD_SAFE"), SEAL)
    one.sample(1)
    assert log() == ["seal 0"]


@pytest.mark.parametrize("number", [{"threads": 7}, {"block_size": 7}])
def test_a_rejected_setting_is_an_error_before_timing(compiled: Compiled, log: Log, number: dict[str, int]) -> None:
    catalogue = parallel_toy(compiled)
    with pytest.raises(ArgumentError, match="the library rejects 7 as thread count or block size"):
        driver(Case.from_row({**SEAL.row(), **number}), catalogue, 1)
    assert "seal 0" not in log()


OF_TOY = "for engine whole of toy/xor-tag"
NOT_PARALLEL = "expected: the algorithm is not parallel itself"


@pytest.mark.parametrize(
    ("macros", "number", "why"),
    [
        (
            {"FLAGS": PARALLEL},
            {"threads": 2},
            "threads 2 given .* 1 expected: the library does not export aeadlab_",
        ),
        (
            {"FLAGS": PARALLEL},
            {"block_size": 64},
            "block size 64 .* 0 expected: the library does not export aeadlab_",
        ),
        (
            {},
            {"threads": 2},
            f"threads 2 given {OF_TOY}, 1 {NOT_PARALLEL}",
        ),
        (
            {},
            {"block_size": 64},
            f"block size 64 given {OF_TOY}, 0 {NOT_PARALLEL}",
        ),
    ],
)
def test_rejects_unsupported_settings(
    compiled: Compiled, macros: dict[str, object], number: dict[str, int], why: str
) -> None:
    catalogue = load([compiled("toy", **macros)])
    driver(SEAL, catalogue, 1)
    with pytest.raises(ArgumentError, match=why):
        driver(Case.from_row({**SEAL.row(), **number}), catalogue, 1)


def threads_named(start: str) -> dict[str, int]:
    """Return the threads of this process with this prefix: name and CPU time in ticks."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        name, _, fields = (task / "stat").read_text().partition("(")[2].rpartition(")")
        if name.startswith(start):
            found[name] = sum(map(int, fields.split()[11:13]))
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_blake3_uses_the_given_thread_count() -> None:
    counts = (1, 2, 4)
    drivers = ready(load(), *(Case("blake3-rayon/blake3", "digest", 4 << 20, threads=n) for n in counts))
    for count, one in zip(counts, drivers, strict=True):
        # One of the threads is the caller.
        own = {f"blake3-{i}/{count}" for i in range(count)} if count > 1 else set()
        # A thread sets its name after it has started.
        for _ in range(500):
            before = threads_named("blake3-")
            if own <= before.keys():
                break
            time.sleep(0.01)
        assert {name for name in before if name.endswith(f"/{count}")} == own
        ticks = dict.fromkeys(before, 0)
        # On a busy computer a thread may wait long for a core.
        for _ in range(20 if own else 1):
            row = one.sample(200)
            ticks = {name: now - before.get(name, 0) for name, now in threads_named("blake3-").items()}
            if all(ticks[name] >= 3 for name in own):
                break
        assert all(ticks[name] >= 3 for name in own)
        # Threads of the previous pool may spin for a while.
        assert max((ticks[name] for name in ticks.keys() - own), default=0) < 3
        if count == 1:
            assert row[CPU_NS] < 1.2 * row[WALL_NS]
    assert len({one.fingerprint for one in drivers}) == 1


COMPOSED = "openssl+blake3-rayon/aes-256-ctr+blake3-keyed"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_a_composition_passes_settings_to_its_parallel_part() -> None:
    """Under ParSplit it stays in the calling thread, because all threads would wait for one pool."""
    whole = Case(COMPOSED, "seal", 4 << 20, threads=3)
    split = Case(COMPOSED, "seal", 4 << 20, "parsplit", block_size=1 << 20, threads=2, schedule="dynamic")
    first, second = ready(load(), whole, split)

    def worked(one: Driver) -> int:
        before = threads_named("blake3-")
        one.sample(200)
        return sum(now - before.get(name, 0) for name, now in threads_named("blake3-").items())

    worked(first)
    # CPU time is counted in ticks of 10 ms, and on a busy computer a thread may wait long for a core.
    assert any(worked(first) >= 3 for _ in range(20))
    assert {f"blake3-{i}/3" for i in range(3)} <= threads_named("blake3-").keys()
    worked(second)
    assert worked(second) < 3


@pytest.mark.parametrize(
    ("number", "why"), [({"threads": 2}, "not parallel itself"), ({"block_size": 64}, "set_block")]
)
def test_blake3_accepts_threads_but_no_block_size(number: dict[str, int], why: str) -> None:
    library = "blake3" if "threads" in number else "blake3-rayon"
    with pytest.raises(ArgumentError, match=why):
        driver(Case(f"{library}/blake3", "digest", 4096, **number), load(), 1)
