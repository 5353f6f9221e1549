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

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def main(names: list[str]) -> int:
    """Run the files named, or all of them."""
    files = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "bar"))
    unknown = [name for name in names if name not in files]
    if unknown:
        print(f"no bars are called {unknown[0]!r}; there are {', '.join(files)}", file=sys.stderr)
        return 2
    bars = [bar for name in names or files for bar in import_module(name).bars()]
    wide = max(len(bar.name) for bar in bars)
    print(f"{'bar':<{wide}}  {'value':>7}  {'from':>7}  {'to':>7}  {'bound':>9}  holds")
    for bar in bars:
        bound = f"{bar.sense} {bar.bound:g} {bar.unit}".strip()
        print(
            f"{bar.name:<{wide}}  {bar.value:7.3f}  {bar.low:7.3f}  {bar.high:7.3f}  {bound:>9}  "
            f"{'yes' if bar.holds else 'NO'}"
        )
        print(f"  {bar.note}")
    output = HERE.parents[1] / "build" / "bench.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps([asdict(bar) | {"holds": bar.holds} for bar in bars], indent=1) + "\n")
    print(f"written to {output.relative_to(HERE.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
