"""``python -m tests.fuzz --seconds 600 [TARGET ...]``: change valid inputs at random until the time is over.

A failing input is written to build/fuzz, with the command to repeat it. With ``--guided`` libFuzzer changes the inputs,
guided by coverage; this requires the package atheris.
"""

from __future__ import annotations

import argparse
import faulthandler
import secrets
import subprocess
import sys
import time
import traceback
from importlib.util import find_spec
from math import ceil, inf
from pathlib import Path
from random import Random

from tests.fuzz.mutation import mutated
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

FOLDER = Path("build/fuzz")
HANG_SECONDS = 60
"""Time for one input, after which the process ends as if it had crashed."""


def run(target: Target, seconds: float, seed: int) -> tuple[int, Path | None]:
    """Check inputs for a time; return their number and the file with the first failing one, if any."""
    random, end, number = Random(seed), time.monotonic() + seconds, 0
    # It stays after a crash or a hang of this process.
    current = FOLDER / f"{target.name}-{seed}"
    print(f"{target.name}: seed {seed}; after a crash, repeat with {_command(target.name, current)}", flush=True)
    while time.monotonic() < end:
        octets = mutated(random, target.seeds, target.words)
        current.write_bytes(octets)
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        try:
            target.check(octets)
        except Exception:
            traceback.print_exc()
            return number, current
        finally:
            faulthandler.cancel_dump_traceback_later()
        number += 1
    current.unlink(missing_ok=True)
    return number, None


def main() -> int:
    """Run all targets or those named; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Change valid inputs at random.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=600.0, help="time for each target (default: 600)")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of all inputs (default: random)")
    parser.add_argument("--guided", action="store_true", help="guide the changes by coverage")
    parser.add_argument("--input", type=Path, metavar="FILE", help="check only this input")
    arguments = parser.parse_args()
    names = arguments.targets or list(TARGETS)
    if not set(names) <= TARGETS.keys() or (arguments.input and len(names) != 1):
        parser.error(f"targets {', '.join(names)} given, {', '.join(TARGETS)} expected, and one with --input")
    if not 0 < arguments.seconds < inf:
        parser.error(f"--seconds {arguments.seconds:g} given, a positive number expected")
    if arguments.guided and find_spec("atheris") is None:
        parser.error("--guided requires the package atheris: run make fuzz-python")
    faulthandler.enable()
    if arguments.input:
        TARGETS[names[0]]().check(arguments.input.read_bytes())
        print(f"{names[0]}: {arguments.input} passes")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name in names:
        if arguments.guided:
            print(f"\n== {name}, {arguments.seconds:g} s", flush=True)
            # libFuzzer takes whole seconds, and 0 for no limit.
            guided = (sys.executable, "-m", "tests.fuzz.guided", name, str(ceil(arguments.seconds)))
            failures += subprocess.run(guided, check=False).returncode != 0
            continue
        number, failed = run(TARGETS[name](), arguments.seconds, arguments.seed)
        print(f"{name}: {number} inputs passed", flush=True)
        if failed is not None:
            failures += 1
            print(f"{name}: failed; repeat with {_command(name, failed)}", file=sys.stderr, flush=True)
    return int(failures > 0)


def _command(name: str, path: Path) -> str:
    return f"{sys.executable} -m tests.fuzz {name} --input {path}"


if __name__ == "__main__":
    sys.exit(main())
