"""Measure the lab's performance bars: ``run.py [--smoke] [FILE...]``.

``make bench`` prints a table and writes ``build/bench.json``. Every file in this folder with a function ``bars`` adds
its own. A bar that does not hold on this computer is shown with its interval, and the exit status stays 0. ``--smoke``
executes every file in a small size and judges nothing.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bar import FULL, SMOKE, Absent, Bar  # noqa: E402 (the path is set above)


def main(names: list[str]) -> int:
    """Run the named files, or all of them."""
    smoke = "--smoke" in names
    names = [name for name in names if name != "--smoke"]
    files = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "bar"))
    if unknown := [name for name in names if name not in files]:
        print(f"there is no file {unknown[0]!r}; choose from {', '.join(files)}", file=sys.stderr)
        return 2
    effort = SMOKE if smoke else FULL
    found = [bar for name in names or files for bar in import_module(name).bars(effort)]
    wide = max(len(bar.name) for bar in found)
    print(f"{'bar':<{wide}}  {'value':>8}  {'from':>8}  {'to':>8}  {'bound':>9}  holds")
    for bar in found:
        print(_line(bar, wide, judged=not smoke))
        print(f"  {bar.note if isinstance(bar, Bar) else bar.why}")
    if smoke:
        print(f"{len(found)} bars of {len(names or files)} files executed in smoke size")
        return 0
    output = HERE.parents[1] / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    stored = [asdict(bar) | ({"holds": bar.holds} if isinstance(bar, Bar) else {"absent": True}) for bar in found]
    output.write_text(json.dumps(stored, indent=1) + "\n")
    print(f"written to {output.relative_to(HERE.parents[1])}")
    return 0


def _line(bar: Bar | Absent, wide: int, judged: bool) -> str:
    if isinstance(bar, Absent):
        return f"{bar.name:<{wide}}  absent"
    bound = f"{bar.sense} {bar.bound:g}" if bar.bound is not None else ""
    holds = {True: "yes", False: "NO", None: "shown"}[bar.holds if judged else None]
    numbers = "  ".join(f"{number:8.3f}" for number in (bar.value, bar.low, bar.high))
    return f"{bar.name:<{wide}}  {numbers}  {f'{bound} {bar.unit}'.strip():>9}  {holds}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
