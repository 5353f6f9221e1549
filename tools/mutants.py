"""Report which single changes of the code the tests of its folder miss: `python tools/mutants.py records --sample 300`.

The changes are those of Cosmic Ray. It would start pytest anew for each of them, which takes longer than the tests.
Here each change is tried in a fork of a process that has already imported everything but aeadlab, and with those tests
of the folder that execute the changed statement, fastest first. The code on disk stays as it is.

With `--longest` tests that take more CPU time than this are left out, such as simulations of many runs. They could only
kill more, so the rate is then a lower bound.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import gc
import importlib
import importlib.abc
import importlib.util
import io
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from importlib.machinery import ModuleSpec
from math import ceil, inf, isfinite
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import pytest
from scipy.stats import binomtest

ROOT: Final = Path(__file__).resolve().parents[1]
BUILD: Final = ROOT / "build" / "mutants"
FOLDERS: Final = ("records", "verdicts", "stats")
KEPT_FIXTURES: Final = ("tried_plugins", "prepared_cache")
"""Folders that tests/conftest.py fills in twelve seconds for each run of pytest, and that tests only read."""
PRELOADED: Final = (
    *("hypothesis", "matplotlib.backends.backend_pdf", "matplotlib.figure", "pandas", "pyarrow.parquet"),
    *("scipy.optimize", "scipy.stats"),
)
"""What takes longest to import and starts no thread."""
SPARE_SECONDS: Final = 10.0
"""CPU time of pytest itself and of fixtures, beyond that of the tests."""
WALL_FACTOR: Final = 15
"""Largest wall time of a child in units of its CPU time, on a computer with other work."""


class Mutant(NamedTuple):
    """One change: a file, an operator of Cosmic Ray with the number of its occurrence, and the first changed line."""

    path: Path
    operator: str
    occurrence: int
    line: int

    @property
    def module(self) -> str:
        """The dotted name of the changed module."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    def source(self) -> str:
        """Return the changed source."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        changed: str = mutate_code(self.path.read_text(), get_operator(self.operator)(), self.occurrence)
        return changed

    def __str__(self) -> str:
        before, after = self.path.read_text().splitlines(), self.source().splitlines()
        changes = [line for line in difflib.ndiff(before, after) if line[0] in "-+"]
        return f"{self.path.relative_to(ROOT)}:{self.line}\n    " + "\n    ".join(changes)


class Traces(NamedTuple):
    """What a run without changes showed: tests by (file, line), and seconds of CPU time by test."""

    tests: dict[tuple[str, int], list[str]]
    seconds: dict[str, float]


def annotation_ranges(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the ranges (line, column) of all annotations, which are not evaluated; a change of one has no effect."""
    notes = [
        note
        for node in ast.walk(tree)
        for note in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if isinstance(note, ast.expr)
    ]
    return [((n.lineno, n.col_offset), (n.end_lineno or 0, n.end_col_offset or 0)) for n in notes]


def mutants_of(path: Path, rng: random.Random) -> list[Mutant]:
    """Return one mutant for each place of a file, of the several that Cosmic Ray has for most places."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = path.read_text()
    nodes, ignored = list(ast_nodes(get_ast(source))), annotation_ranges(ast.parse(source))
    places: dict[tuple[tuple[int, int], tuple[int, int]], list[Mutant]] = defaultdict(list)
    for name in operator_names():
        if get_operator(name).arguments():
            continue
        operator = get_operator(name)()
        positions = (position for node in nodes for position in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(positions):
            if not any(first <= start < last for first, last in ignored):
                places[start, end].append(Mutant(path, name, occurrence, start[0]))
    return [rng.choice(places[place]) for place in sorted(places)]


def statement(tree: ast.Module, line: int) -> range:
    """Return the lines of the innermost statement with this line; of a compound statement those before its body."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or 0
            if line <= last:
                found = range(node.lineno, last + 1)
    return found


class Order:
    """A plugin of pytest that keeps the given tests, fastest first, and fixtures that need no renewal."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Select and sort the tests."""
        items[:] = sorted((item for item in items if item.nodeid in self.seconds), key=lambda i: self.seconds[i.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Path | None:
        """Return the kept folder of a fixture."""
        if fixturedef.argname not in KEPT_FIXTURES:
            return None
        kept = BUILD / fixturedef.argname
        fixturedef.cached_result = (kept, fixturedef.cache_key(request), None)
        return kept


class Tracer:
    """A plugin of pytest that records the lines and the seconds of each test, and keeps folders of fixtures."""

    def __init__(self, longest: float) -> None:
        import coverage

        self.longest = longest
        self.coverage = coverage.Coverage(data_file=None, include=[f"{ROOT}/aeadlab/*"], config_file=False)
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Attribute the lines of fixtures to the file, whose tests may share them."""
        self.coverage.switch_context(nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Attribute lines and CPU time, also of child processes, to the test, and end it when it takes too long."""
        self.coverage.switch_context(item.nodeid)
        is_late = False

        def end(*_: object) -> None:
            nonlocal is_late
            is_late = True
            pytest.skip("it takes too long")

        signal.signal(signal.SIGPROF, end)
        limit = self.longest if isfinite(self.longest) else 0.0
        start = sum(os.times()[:4])
        signal.setitimer(signal.ITIMER_PROF, limit, limit)
        try:
            return (yield)
        except Exception:
            if is_late:
                # A callback that ends is an error of another kind.
                pytest.skip("it takes too long")
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            self.seconds[item.nodeid] = inf if is_late else sum(os.times()[:4]) - start

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Copy the folder of a fixture."""
        made = yield
        if fixturedef.argname in KEPT_FIXTURES:
            shutil.copytree(made, BUILD / fixturedef.argname, dirs_exist_ok=True)
        return made

    def result(self) -> dict[str, Any]:
        """Return the fields of `Traces`."""
        data, lines = self.coverage.get_data(), []
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                lines.append((file, line, sorted(contexts)))
        return {"lines": lines, "seconds": self.seconds}


def forked(work: Callable[[], bytes], limit: float) -> bytes | None:
    """Return the result of a function that runs in a silent child process; None if it ends otherwise or too late."""
    reader, writer = os.pipe()
    BUILD.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        with open(os.devnull) as nothing, open(BUILD / "output", "w") as output:
            for stream, file in enumerate((nothing, output, output)):
                os.dup2(file.fileno(), stream)
        try:
            result = work()
            with open(writer, "wb") as pipe:
                pipe.write(result)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    os.close(writer)
    received, end = io.BytesIO(), time.monotonic() + limit
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        if not (part := os.read(reader, 1 << 16)):
            break
        received.write(part)
    os.close(reader)
    # A changed program may have started others, or wait for ever.
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return received.getvalue() or None


def run_pytest(paths: Sequence[str], plugin: object) -> int:
    """Run the tests of these files until one fails; return the exit status of pytest."""
    unused = [f"-pno:{name}" for name in ("anyio", "cacheprovider", "doctest", "hypothesispytest", "xdist")]
    # A test that is ended while it reads a file leaves the file open. Whenever that is collected, a test would fail.
    unused.append("-pno:unraisableexception")
    # Nobody reads the messages, and rewriting the assertions takes longer than most tests.
    options = ["-x", "-q", "--assert=plain", *unused, "-m", "not lab and not alone"]
    return int(pytest.main([*options, *paths], plugins=[plugin]))


def trace(folder: str, longest: float) -> Traces:
    """Run the tests of a folder without change; raise `SystemExit` if one fails.

    The result contains the tests that take at most `longest` seconds of CPU time.
    """

    def work() -> bytes:
        # Some tests limit the time of a call, which an import under the tracer would exceed.
        for module in PRELOADED:
            importlib.import_module(module)
        tracer = Tracer(longest)
        tracer.coverage.start()
        # A test of deep nesting can exceed the depth of recursion in the tracer, which then never releases its lock.
        tracer.coverage._collector.data_lock = None
        status = run_pytest([f"tests/{folder}"], tracer)
        tracer.coverage.stop()
        return json.dumps(tracer.result()).encode() if status == 0 else b""

    received = forked(work, 3600)
    if received is None:
        sys.exit(f"the tests of tests/{folder} fail without any change: run pytest tests/{folder}")
    found = json.loads(received)
    tests = {(file, line): contexts for file, line, contexts in found["lines"]}
    kept = {test: seconds for test, seconds in found["seconds"].items() if seconds <= longest}
    print(f"{folder}: {len(kept)} of {len(found['seconds'])} tests, {sum(kept.values()):.0f} s of CPU time", flush=True)
    return Traces(tests, kept)


def selected(mutant: Mutant, traces: Traces) -> dict[str, float]:
    """Return the seconds of the tests that a change concerns: all of the folder if it concerns the import."""
    tree = ast.parse(mutant.path.read_text())
    contexts = {
        context
        for line in statement(tree, mutant.line)
        for context in traces.tests.get((str(mutant.path), line), ())
    }  # fmt: skip
    if "" in contexts:
        return traces.seconds
    return {test: s for test, s in traces.seconds.items() if contexts & {test, test.partition("::")[0]}}


class Changed(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """An importer of one module with other source than that of its file."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant, self.source = mutant, mutant.source()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the changed module, and nothing for other modules."""
        if fullname != self.mutant.module:
            return None
        package = self.mutant.path.name == "__init__.py"
        places = [str(self.mutant.path.parent)] if package else None
        return importlib.util.spec_from_file_location(
            fullname, self.mutant.path, loader=self, submodule_search_locations=places
        )

    def get_filename(self, fullname: str) -> str:
        """Return the path of the file."""
        return str(self.mutant.path)

    def get_data(self, path: str | bytes) -> bytes:
        """Return the changed source."""
        return self.source.encode()


def passes(seconds: dict[str, float], changed: Changed | None = None) -> bool:
    """Return whether all of these tests pass in a new process, with a changed module or without."""
    limit = ceil(SPARE_SECONDS + 2 * sum(seconds.values()))

    def work() -> bytes:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        if changed is not None:
            sys.meta_path.insert(0, changed)
        files = sorted({test.partition("::")[0] for test in seconds})
        return b"passed" if run_pytest(files, Order(seconds)) == 0 else b"failed"

    return forked(work, WALL_FACTOR * limit) == b"passed"


def examine(folder: str, sample: int | None, seed: int, longest: float) -> tuple[int, int]:
    """Print the result for each module of a folder and each survivor; return the numbers of killed and of all."""
    rng = random.Random(seed)
    everything = [m for path in sorted((ROOT / "aeadlab" / folder).rglob("*.py")) for m in mutants_of(path, rng)]
    # In random order, so that a run that is interrupted is a sample too.
    chosen = rng.sample(everything, sample) if sample and sample < len(everything) else everything
    print(f"{folder}: {len(chosen)} of {len(everything)} places", flush=True)
    traces = trace(folder, longest)
    for module in PRELOADED:
        importlib.import_module(module)
    # pytest collects garbage when it ends; what all children share is none.
    gc.freeze()
    if not passes(traces.seconds):
        sys.exit(f"the tests of tests/{folder} fail in another order without any change: see {BUILD / 'output'}")
    results: dict[str, list[bool]] = defaultdict(list)
    for number, mutant in enumerate(chosen):
        if number % 25 == 0:
            print(f"{folder}: {number} of {len(chosen)} tried", file=sys.stderr, flush=True)
        seconds = selected(mutant, traces)
        survives = not seconds or passes(seconds, Changed(mutant))
        results[mutant.module].append(not survives)
        if survives:
            print(f"survived: {mutant}", flush=True)
    for module, ended in sorted(results.items()):
        print(f"{module:40} {sum(ended):4} killed {len(ended) - sum(ended):4} survived")
    return sum(map(sum, results.values())), len(chosen)


def is_folder(name: str) -> bool:
    """Return whether aeadlab has a folder of this name, with tests."""
    return all((ROOT / parent / name).is_dir() for parent in ("aeadlab", "tests"))


def main() -> None:
    """Examine folders of aeadlab."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", default=FOLDERS, help=f"by default {' '.join(FOLDERS)}")
    parser.add_argument("--sample", type=int, help="number of random places in each folder; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--longest", type=float, default=inf, help="seconds of CPU time of a test; unlimited by default"
    )
    parser.add_argument("--tool", type=Path, help="folder with Cosmic Ray and coverage")
    given = parser.parse_args()
    if unknown := [folder for folder in given.folders if not is_folder(folder)]:
        known = sorted(path.parent.name for path in (ROOT / "aeadlab").glob("*/__init__.py"))
        known = [folder for folder in known if is_folder(folder)]
        parser.exit(2, f"mutants: there is no folder {', '.join(unknown)} with tests; there are {', '.join(known)}\n")
    if given.tool:
        # At the end, so that the packages of the environment come first.
        sys.path.append(str(given.tool))
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    # Children import the same modules, whatever the environment states about bytecode.
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(BUILD / "bytecode")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(BUILD / "hypothesis")
    for folder in given.folders:
        shutil.rmtree(BUILD, ignore_errors=True)
        start = time.monotonic()
        dead, all_ = examine(folder, given.sample, given.seed, given.longest)
        interval = binomtest(dead, all_).proportion_ci(method="exact")
        print(
            f"{folder}: {dead} of {all_} killed ({dead / all_:.1%}, 95 % interval {interval.low:.1%} to "
            f"{interval.high:.1%}), {(time.monotonic() - start) / 60:.0f} minutes",
            flush=True,
        )


if __name__ == "__main__":
    main()
