"""Implementations that are parallel themselves are told threads and block size before each sample."""

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
Told = Callable[[], list[str]]

PARALLEL = "(AEADLAB_IN_PLACE|AEADLAB_THREAD_SAFE|AEADLAB_PARALLEL)"
SEAL = Case("toy/xor-tag", "seal", 4096)
WALL_NS, CPU_NS = range(2)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    """``told()``: what the toy was told and did since the last time: ``threads 2``, ``blocks 512``, ``seal``."""
    path = tmp_path / "told"
    path.touch()
    monkeypatch.setenv("TOY_TOLD", str(path))

    def take() -> list[str]:
        lines = path.read_text().splitlines()
        os.truncate(path, 0)
        return lines

    return take


def parallel_toy(compiled: Compiled, **macros: object) -> Catalogue:
    """A catalogue with a toy that writes down what it is told."""
    return load([compiled("toy", **{"FLAGS": PARALLEL, "SETTINGS": 1, "ON_MESSAGE": 'said("seal", 0)', **macros})])


def ready(catalogue: Catalogue, *cases: Case) -> list[Driver]:
    drivers = [driver(case, catalogue, 1) for case in cases]
    share_arena(drivers, list(cases), 1)
    return drivers


def test_cases_that_take_turns_are_each_run_with_their_own_numbers(compiled: Compiled, told: Told) -> None:
    two, blocks = Case.from_row({**SEAL.row(), "threads": 2}), Case.from_row({**SEAL.row(), "block_size": 512})
    first, second = ready(parallel_toy(compiled), two, blocks)
    told()
    for one, numbers in ((first, ["threads 2", "blocks 0"]), (second, ["threads 1", "blocks 512"])) * 2:
        one.sample(3)
        assert told() == [*numbers, "seal 0", "seal 0", "seal 0"]


def test_under_parsplit_it_is_told_to_use_one_thread(compiled: Compiled, told: Told) -> None:
    split = Case("toy/xor-tag", "seal", 4096, engine="parsplit", block_size=2048, threads=2, schedule="dynamic")
    (one,) = ready(parallel_toy(compiled), split)
    told()
    one.sample(1)
    assert told() == ["threads 1", "blocks 0", "seal 0", "seal 0"]


def test_without_the_flag_it_is_told_nothing(compiled: Compiled, told: Told) -> None:
    (one,) = ready(parallel_toy(compiled, FLAGS="AEADLAB_THREAD_SAFE"), SEAL)
    one.sample(1)
    assert told() == ["seal 0"]


@pytest.mark.parametrize("number", [{"threads": 7}, {"block_size": 7}])
def test_a_number_that_the_library_refuses_is_an_error_before_anything_is_timed(
    compiled: Compiled, told: Told, number: dict[str, int]
) -> None:
    catalogue = parallel_toy(compiled)
    with pytest.raises(ArgumentError, match="its library does not take 7 threads or bytes per block"):
        driver(Case.from_row({**SEAL.row(), **number}), catalogue, 1)
    assert "seal 0" not in told()


@pytest.mark.parametrize(
    ("macros", "number", "why"),
    [
        (
            {"FLAGS": PARALLEL},
            {"threads": 2},
            "threads 2 given .* 1 wanted: its library does not export aeadlab_",
        ),
        (
            {"FLAGS": PARALLEL},
            {"block_size": 64},
            "block size 64 .* 0 wanted: its library does not export aeadlab_",
        ),
        ({}, {"threads": 2}, "threads 2 given for one call of toy/xor-tag .* it is not parallel itself"),
        ({}, {"block_size": 64}, "block size 64 given for one call of toy/xor-tag .* it is not parallel itself"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_reason(
    compiled: Compiled, macros: dict[str, object], number: dict[str, int], why: str
) -> None:
    catalogue = load([compiled("toy", **macros)])
    driver(SEAL, catalogue, 1)
    with pytest.raises(ArgumentError, match=why):
        driver(Case.from_row({**SEAL.row(), **number}), catalogue, 1)


def threads_named(start: str) -> dict[str, int]:
    """Threads of this process whose name starts so: name and CPU time in ticks."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        name, _, fields = (task / "stat").read_text().partition("(")[2].rpartition(")")
        if name.startswith(start):
            found[name] = sum(map(int, fields.split()[11:13]))
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_blake3_works_on_the_threads_that_it_is_told() -> None:
    counts = (1, 2, 4)
    drivers = ready(load(), *(Case("blake3-rayon/blake3", "digest", 4 << 20, threads=n) for n in counts))
    for count, one in zip(counts, drivers, strict=True):
        # One thread is the caller's own.
        own = {f"blake3-{i}/{count}" for i in range(count)} if count > 1 else set()
        # A thread gives itself its name once it has started.
        for _ in range(500):
            before = threads_named("blake3-")
            if own <= before.keys():
                break
            time.sleep(0.01)
        assert {name for name in before if name.endswith(f"/{count}")} == own
        ticks = dict.fromkeys(before, 0)
        # On a busy computer a thread may wait for long until it gets its turn.
        for _ in range(20 if own else 1):
            row = one.sample(200)
            ticks = {name: now - before.get(name, 0) for name, now in threads_named("blake3-").items()}
            if all(ticks[name] >= 3 for name in own):
                break
        assert all(ticks[name] >= 3 for name in own)
        # A thread of the pool before may have gone on looking for work for a while.
        assert max((ticks[name] for name in ticks.keys() - own), default=0) < 3
        if count == 1:
            assert row[CPU_NS] < 1.2 * row[WALL_NS]
    assert len({one.fingerprint for one in drivers}) == 1


COMPOSED = "openssl+blake3-rayon/aes-256-ctr+blake3-keyed"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_a_composition_tells_its_parallel_half() -> None:
    """Under ParSplit to stay in the thread that calls, or all threads would wait for one pool."""
    whole = Case(COMPOSED, "seal", 4 << 20, threads=3)
    split = Case(COMPOSED, "seal", 4 << 20, "parsplit", block_size=1 << 20, threads=2, schedule="dynamic")
    first, second = ready(load(), whole, split)

    def worked(one: Driver) -> int:
        before = threads_named("blake3-")
        one.sample(50)
        return sum(now - before.get(name, 0) for name, now in threads_named("blake3-").items())

    worked(first)
    assert worked(first) >= 3
    assert {f"blake3-{i}/3" for i in range(3)} <= threads_named("blake3-").keys()
    worked(second)
    assert worked(second) < 3


@pytest.mark.parametrize(
    ("number", "why"), [({"threads": 2}, "not parallel itself"), ({"block_size": 64}, "set_block")]
)
def test_blake3_is_told_threads_where_it_has_them_and_no_blocks(number: dict[str, int], why: str) -> None:
    library = "blake3" if "threads" in number else "blake3-rayon"
    with pytest.raises(ArgumentError, match=why):
        driver(Case(f"{library}/blake3", "digest", 4096, **number), load(), 1)
