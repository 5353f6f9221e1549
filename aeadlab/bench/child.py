"""A process in which cases run that need one of their own: ``python -m aeadlab.bench.child PARENT PLUGIN...``.

Its environment may hide CPU features from the libraries that it loads. It answers requests, a line of JSON each, and
ends when nobody asks any more, or at once when the process PARENT ends, however that ends.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends.

    Where the kernel cannot (it is not Linux), the process ends when it next waits for a request.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have ended before the kernel was told.
    if os.getppid() != parent:
        os._exit(1)


def main() -> None:
    """Answer until there is no request."""
    end_with(int(sys.argv[1]))
    # The parent gets an interrupt as well, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a library prints must not mix with the answers.
    answers = os.dup(1)
    os.dup2(2, 1)
    cases = Cases([Path(plugin) for plugin in sys.argv[2:]])
    with open(answers, "w", encoding="utf-8") as file:
        for line in sys.stdin:
            print(json.dumps(cases.answer(json.loads(line))), file=file, flush=True)
    # A library that crashes when it is unloaded has been measured all the same.
    os._exit(0)


class Cases:
    """The cases that were prepared, by number."""

    def __init__(self, plugins: list[Path]) -> None:
        # Here: nothing that loads a library may run before the parent's end would be noticed.
        from aeadlab.bench import drivers
        from aeadlab.bench.case import Case
        from aeadlab.catalogue import load

        self._module = drivers
        self._catalogue = load(plugins)
        self._cases: dict[int, Case] = {}
        self._drivers: dict[int, drivers.Driver] = {}
        self._ran: set[int] = set()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is asked for, or ``error``: why it cannot be had."""
        from aeadlab.errors import Error
        from aeadlab.verify.report import FAULTS, fault

        try:
            return self._answer(request)
        except FAULTS as error:
            return {"error": str(error) if isinstance(error, Error) else fault(error)}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request:
            case {"prepare": row, "seed": seed, "case": number}:
                from aeadlab.bench.case import Case

                case = Case.from_row(row)
                self._drivers[number] = self._module.driver(case, self._catalogue, seed, here=True)
                self._cases[number] = case
                return {}
            case {"arena": {"bytes": size, "seed": seed}}:
                numbers = sorted(self._drivers)
                ready, cases = [self._drivers[n] for n in numbers], [self._cases[n] for n in numbers]
                self._module.share_arena(ready, cases, seed, least=size, beside_others=True)
                # A collection inside a sample of the python engine would be timed with it.
                gc.collect()
                gc.freeze()
                gc.disable()
                return {}
            case {"kernel": name}:
                return {"kernel": self._catalogue.find(name).description.kernel}
            case {"calibrate": target, "case": number}:
                return {"batch": self._drivers[number].calibrate(target)}
            case {"sample": batch, "case": number}:
                return self._sample(number, batch)
        raise ValueError(f"request {request} is none of prepare, arena, kernel, calibrate and sample")

    def _sample(self, number: int, batch: int) -> dict[str, Any]:
        driver = self._drivers[number]
        # After a crash of another case this process is a new one, which has had no warm-up.
        if number not in self._ran:
            driver.sample(1)
            self._ran.add(number)
        return {"row": driver.sample(batch), "fingerprint": driver.fingerprint}


if __name__ == "__main__":
    main()
