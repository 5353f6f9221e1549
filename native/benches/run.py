"""Performance bars: what the lab promises about its own speed, measured here and now.

``make bench`` prints a table and writes ``build/bench.json``. Every file beside this one that has ``bars()`` adds its
own. It is no test: a bar that does not hold on this computer is shown, with its interval, and the exit code stays 0.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


from bar import Absent, Bar  # noqa: E402 (the folder has to be known first)


def main(names: list[str]) -> int:
    """Run the files named, or all of them."""
    files = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "bar"))
    unknown = [name for name in names if name not in files]
    if unknown:
        print(f"no bars are called {unknown[0]!r}; there are {', '.join(files)}", file=sys.stderr)
        return 2
    found = [bar for name in names or files for bar in import_module(name).bars()]
    wide = max(len(bar.name) for bar in found)
    print(f"{'bar':<{wide}}  {'value':>8}  {'from':>8}  {'to':>8}  {'bound':>9}  holds")
    for bar in found:
        print(_line(bar, wide))
        print(f"  {bar.note if isinstance(bar, Bar) else bar.why}")
    output = HERE.parents[1] / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps([_stored(bar) for bar in found], indent=1) + "\n")
    print(f"written to {output.relative_to(HERE.parents[1])}")
    return 0


def _line(bar: Bar | Absent, wide: int) -> str:
    if isinstance(bar, Absent):
        return f"{bar.name:<{wide}}  absent"
    bound = f"{bar.sense} {bar.bound:g}" if bar.bound is not None else ""
    holds = {True: "yes", False: "NO", None: "shown"}[bar.holds]
    numbers = "  ".join(f"{number:8.3f}" for number in (bar.value, bar.low, bar.high))
    return f"{bar.name:<{wide}}  {numbers}  {f'{bound} {bar.unit}'.strip():>9}  {holds}"


def _stored(bar: Bar | Absent) -> dict[str, Any]:
    return asdict(bar) | ({"holds": bar.holds} if isinstance(bar, Bar) else {"absent": True})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
