"""Fixtures for compiled plugins, temporary folders for caches and results, and simulated records."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aeadlab import paths
from aeadlab.bench import lock
from aeadlab.bench.case import Case
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import load, plugins
from aeadlab.errors import PluginError
from aeadlab.parsplit import implementations
from aeadlab.parsplit.parsplit import ParSplit
from aeadlab.records import lookup
from aeadlab.records.reading import provenance_of
from aeadlab.records.stored_provenance import to_text
from aeadlab.records.storing import store_journal
from aeadlab.verify.cached import verified
from tests.fixtures.journals import rewritten
from tests.fixtures.thorough import THOROUGH

pytest_plugins = ("tests.fixtures.documents", "tests.fixtures.drawing")

SOURCES = Path(__file__).parent / "plugins"
LONG = ("verify/test_everything.py", "tuning/test_search.py", "cluster/test_dispatch.py")
"""Files that take a minute or more; they start first, so that the test processes end at about the same time."""
FAST = ("display", "host", "parsplit", "project", "records", "verdicts")
"""Folders whose tests `make check` runs: they take no samples, and a minute in total."""
NOT_FAST = (
    *("test_adding.py", "test_preflight.py", "test_doctest.py", "test_typing.py"),
    *("test_parsplit_c.py", "test_parsplit_interrupt.py"),
    *("test_parsplit_fork.py", "test_parsplit_memory.py", "test_parsplit_threads.py", "test_schedules.py"),
    *("test_dead_stack.py", "test_stream_memory.py", "test_crafted_records.py"),
    *("test_one_message.py", "test_one_message_vectors.py", "test_one_message_limits.py"),
)
"""Files of these folders that start other programs, compile, or repeat every schedule."""
OFTEN_MEASURED = (
    *("baseline/memcpy", "baseline/xor", "baseline/copy", "baseline/copy-stream"),
    *("openssl/aes-256-gcm", "ring/aes-256-gcm", "rustcrypto/aes-256-gcm"),
    *("aws-lc/aes-256-gcm", "blake3/blake3", "ring/chacha20-poly1305"),
)
"""Implementations whose verification tests outside of tests/verify find in their cache."""
WIDTHS = ("ieee", "ieee-double")
"""The venues with the narrowest and the widest figures; the others are drawn with AEADLAB_THOROUGH=1."""
INCLUDE = [f"-I{Path(__file__).resolve().parents[1] / 'native' / folder}" for folder in ("include", "legacy")]

Compiled = Callable[..., Path]


def _venue_of(item: pytest.Item) -> str:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return str(parameters.get("venue", ""))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not THOROUGH:
        left_out = [item for item in items if _venue_of(item) not in ("", *WIDTHS)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    items.sort(key=lambda item: next((i for i, file in enumerate(LONG) if item.path.match(file)), len(LONG)))
    for item in items:
        if item.path.parent.name in FAST and item.path.name not in NOT_FAST:
            item.add_marker("fast")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """``compiled("toy", ABI=7)`` compiles a file of tests/plugins with these macros to a shared library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("plugins require a C compiler")
    made: dict[tuple[object, ...], Path] = {}

    def compile(source: str, **macros: object) -> Path:
        what = (source, *sorted(macros.items()))
        if what not in made:
            target = tmp_path_factory.mktemp("plugin") / f"{source}.so"
            command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", *INCLUDE]
            defines = [f"-D{name}={value}" for name, value in macros.items()]
            subprocess.run([*command, *defines, SOURCES / f"{source}.c", "-o", target], check=True)
            made[what] = target
        return made[what]

    return compile


@pytest.fixture
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a test its own measurement lock, so that it does not interact with a measurement on this machine."""
    monkeypatch.setattr(lock, "PATH", tmp_path / "lock")
    return tmp_path / "lock"


def _filled_once(tmp_path_factory: pytest.TempPathFactory, name: str, fill: Callable[[], object]) -> Path:
    """Return a cache folder that the first of all test processes has filled."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not (done := folder.with_suffix(".done")).exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("AEADLAB_CACHE", str(folder))
                fill()
            done.touch()
    return folder


@pytest.fixture(scope="session")
def tried_plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the results of loading each built plugin once, which takes longer than most tests."""

    def fill() -> None:
        for plugin in plugins.BUILT.glob("*.so"):
            with contextlib.suppress(PluginError):
                plugins.probe(plugin)

    return _filled_once(tmp_path_factory, "tried", fill)


@pytest.fixture(scope="session")
def prepared_cache(tmp_path_factory: pytest.TempPathFactory, tried_plugins: Path) -> Path:
    """A cache folder with the verification of what many tests measure; each would start a child process for it."""

    def fill() -> None:
        shutil.copytree(tried_plugins, os.environ["AEADLAB_CACHE"], dirs_exist_ok=True)
        catalogue = load()
        verified([catalogue.find(name) for name in OFTEN_MEASURED], catalogue)

    return _filled_once(tmp_path_factory, "prepared", fill)


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_lock: Path, prepared_cache: Path) -> Path:
    """A folder with the cache, the results and the lock of a test, without plugins from the environment."""
    shutil.copytree(prepared_cache, tmp_path / "cache", dirs_exist_ok=True)
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(paths.RESULTS, str(tmp_path / "results"))
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory, prepared_cache: Path) -> Path:
    """A cache folder for all tests of the run."""
    folder = tmp_path_factory.mktemp("cache")
    return shutil.copytree(prepared_cache, folder, dirs_exist_ok=True)


@pytest.fixture
def own_results(own_folders: Path, monkeypatch: pytest.MonkeyPatch, session_cache: Path) -> Path:
    """As `own_folders`, with verifications cached between tests as they are between commands."""
    monkeypatch.setenv("AEADLAB_CACHE", str(session_cache))
    return own_folders


@pytest.fixture
def toy(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, own_folders: Path
) -> Iterator[Callable[..., Callable[..., ParSplit]]]:
    """``toy(FLAGS=0)(threads=1)`` returns a ParSplit with the toy plugin, compiled with these macros."""

    def make(**macros: object) -> Callable[..., ParSplit]:
        monkeypatch.setenv(plugins.VARIABLE, str(compiled("toy", **macros)))
        implementations._catalogue.cache_clear()
        return lambda **arguments: ParSplit("toy/xor-tag", **arguments)

    yield make
    implementations._catalogue.cache_clear()


WriteRecord = Callable[..., Path]

CPU = {"cpu_model_name": "Test CPU", "cpu_count": 2, "cpu_affinity": "0-1", "mem_total": 8 << 30, "kernel": "6.1"}


@pytest.fixture
def write_record(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> WriteRecord:
    """``write_record(stamp, factors={"openssl/aes-256-gcm": 1.05}, ...)`` stores a simulated run in the user's records.

    Two libraries seal and open 4 KiB and 1 MiB, and ``baseline/memcpy`` copies as much; ``factors`` multiply their
    times. Samples and processes vary by 0.5 % each, repeatably. Further keywords change the provenance.
    """
    monkeypatch.setattr(paths, "reference_records", lambda: own_folders / "reference")

    def write(
        stamp: str = "20260102T030405Z",
        *,
        study: str = "study",
        names: tuple[str, ...] = ("baseline/memcpy", "openssl/aes-256-gcm", "ring/aes-256-gcm"),
        factors: dict[str, float] | None = None,
        rounds: int = 30,
        processes: int = 10,
        size: int = 1 << 20,
        noise_pair: bool = True,
        failures: dict[int, str] | None = None,
        seed: int | None = None,
        folder: Path | None = None,
        **provenance: Any,
    ) -> Path:
        rng = np.random.default_rng(int(stamp[:8] + stamp[9:15]) if seed is None else seed)
        cases: tuple[Case, ...] = tuple(
            Case(name, op, length)
            for name in names
            for op in (("encrypt",) if name.startswith("baseline") else ("seal", "open"))
            for length in (4096, size)
        )
        cases = with_noise_pairs(cases) if noise_pair else cases
        layout = rng.normal(0, 0.005, (len(cases), processes))
        for index, case in enumerate(cases):
            layout[index] = layout[cases.index(replace(case, replica=0))]
        samples = []
        for round in range(rounds):
            for index, case in enumerate(cases):
                process = round * processes // rounds
                off = layout[index, process] + rng.normal(0, 0.005)
                wall = 1e3 * case.bytes**0.5 * (factors or {}).get(case.implementation, 1.0) * np.exp(off)
                values = {"case": index, "round": round, "batch": 1, "wall_ns": int(wall), "process": process}
                samples.append(tuple({**dict.fromkeys(SAMPLE_FIELDS, 0), **values}.values()))
        profile = Profile("tiny", size, rounds, 0.0, 0.0, None, processes)
        journal = Journal(own_folders / "journal", Plan(study, profile, cases), samples, failures or {})
        checks = [{"name": "round trip", "run": 7, "failed": 0, "ok": True}]
        facts = {
            "date": stamp,
            "machine": dict(CPU),
            "quality": [],
            "commit": None,
            "refused": {},
            "extension": {"sources": stamp},
            "implementations": {
                name: {"kind": "aead", "version": "1.0", "flags": ["baseline"] * name.startswith("baseline")}
                for name in names
            },
            "verified": {name: {"ok": True, "checks": checks} for name in names},
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lookup.time, "strftime", lambda *_: stamp)
            path = store_journal(journal, facts, folder or paths.results() / "records").path
        return rewritten(path, text=to_text(provenance_of(path) | provenance).encode()) if provenance else path

    return write
