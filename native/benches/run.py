"""Run the benchmarks of the lab itself: ``run.py [--smoke] [FILE...]``.

``make bench`` prints a table and writes ``build/bench.json``. The function ``benchmarks`` of each file in this folder
returns the benchmarks of the file. A value outside its bound is marked NO in the table, and the exit status is still 0.
``--smoke`` runs every file with a small size and compares no value with its bound.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from benchmark import FULL, SMOKE, Absent, Benchmark  # noqa: E402 (the path is set above)


def main(names: list[str]) -> int:
    """Run the named files, or all of them."""
    smoke = "--smoke" in names
    names = [name for name in names if name != "--smoke"]
    files = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "benchmark"))
    if unknown := [name for name in names if name not in files]:
        print(f"there is no file {unknown[0]!r}; choose from {', '.join(files)}", file=sys.stderr)
        return 2
    effort = SMOKE if smoke else FULL
    found = [benchmark for name in names or files for benchmark in import_module(name).benchmarks(effort)]
    wide = max(len(benchmark.name) for benchmark in found)
    print(f"{'benchmark':<{wide}}  {'value':>8}  {'from':>8}  {'to':>8}  {'bound':>9}  holds")
    for benchmark in found:
        print(_line(benchmark, wide, judged=not smoke))
        print(f"  {benchmark.note if isinstance(benchmark, Benchmark) else benchmark.why}")
    if smoke:
        print(f"{len(found)} benchmarks of {len(names or files)} files run in smoke size")
        return 0
    output = HERE.parents[1] / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    stored = [asdict(one) | ({"holds": one.holds} if isinstance(one, Benchmark) else {"absent": True}) for one in found]
    output.write_text(json.dumps(stored, indent=1) + "\n")
    print(f"written to {output.relative_to(HERE.parents[1])}")
    return 0


def _line(benchmark: Benchmark | Absent, wide: int, judged: bool) -> str:
    if isinstance(benchmark, Absent):
        return f"{benchmark.name:<{wide}}  absent"
    bound = f"{benchmark.sense} {benchmark.bound:g}" if benchmark.bound is not None else ""
    holds = {True: "yes", False: "NO", None: "shown"}[benchmark.holds if judged else None]
    numbers = "  ".join(f"{number:8.3f}" for number in (benchmark.value, benchmark.low, benchmark.high))
    return f"{benchmark.name:<{wide}}  {numbers}  {f'{bound} {benchmark.unit}'.strip():>9}  {holds}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
