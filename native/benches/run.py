"""Run the benchmarks of the lab itself: ``run.py [--smoke] [FILE...]``.

``make bench`` prints a table and writes ``build/bench.json``, both after each file, so that an interrupted run keeps
what it has measured, and a run of some files keeps the results of the others. The function ``benchmarks`` of each file
in this folder returns the benchmarks of the file. A value outside its bound is marked NO in the table, and the exit
status is still 0. ``--smoke`` runs every file with a small size and compares no value with its bound.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from benchmark import FULL, SMOKE, Absent, Benchmark  # noqa: E402 (the path is set above)

OUTPUT = HERE.parents[1] / "build" / "bench.json"
WIDE = 80
"""Width of the column of names; a longer name moves its numbers to the right."""


def main(names: list[str]) -> int:
    """Run the named files, or all of them."""
    smoke = "--smoke" in names
    names = [name for name in names if name != "--smoke"]
    files = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "benchmark"))
    if unknown := [name for name in names if name not in files]:
        print(f"there is no file {unknown[0]!r}; choose from {', '.join(files)}", file=sys.stderr)
        return 2
    effort, count, start = SMOKE if smoke else FULL, 0, time.monotonic()
    for name in names or files:
        found = import_module(name).benchmarks(effort)
        _print(name, found, judged=not smoke)
        count += len(found)
        if not smoke:
            _store(name, found)
    minutes = (time.monotonic() - start) / 60
    where = "in smoke size" if smoke else f"in {minutes:.0f} min, written to {OUTPUT.relative_to(HERE.parents[1])}"
    print(f"{count} benchmarks of {len(names or files)} files run {where}")
    return 0


def _print(name: str, found: list[Benchmark | Absent], judged: bool) -> None:
    print(f"{name:<{WIDE}}  {'value':>8}  {'from':>8}  {'to':>8}  {'bound':>9}  holds")
    for benchmark in found:
        print(_line(benchmark, judged))
        print(f"  {benchmark.note if isinstance(benchmark, Benchmark) else benchmark.why}")
    print(flush=True)


def _store(name: str, found: list[Benchmark | Absent]) -> None:
    """Replace the results of a file in the stored ones."""
    stored = json.loads(OUTPUT.read_text()) if OUTPUT.exists() else []
    kept = [one for one in stored if one.get("file", name) != name]
    new = [asdict(one) | ({"holds": one.holds} if isinstance(one, Benchmark) else {"absent": True}) for one in found]
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(kept + [{"file": name} | one for one in new], indent=1) + "\n")


def _line(benchmark: Benchmark | Absent, judged: bool) -> str:
    if isinstance(benchmark, Absent):
        return f"{benchmark.name:<{WIDE}}  absent"
    bound = f"{benchmark.sense} {benchmark.bound:g}" if benchmark.bound is not None else ""
    holds = {True: "yes", False: "NO", None: "shown"}[benchmark.holds if judged else None]
    numbers = "  ".join(f"{number:8.3f}" for number in (benchmark.value, benchmark.low, benchmark.high))
    return f"{benchmark.name:<{WIDE}}  {numbers}  {f'{bound} {benchmark.unit}'.strip():>9}  {holds}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
