"""The child process that runs isolated cases: ``python -m aeadlab.bench.isolated_worker PLUGIN...``.

It replies to requests until there are no more.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

from aeadlab.process import Channel


def main() -> None:
    """Reply to requests until there are no more."""
    # The parent handles interrupts and then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel()
    cases = Cases([Path(plugin) for plugin in sys.argv[1:]])
    for request in channel.requests():
        channel.reply(cases.reply(request))
    # Skip the unloading of libraries: a crash there concerns no sample.
    os._exit(0)


class Cases:
    """The prepared cases, by number."""

    def __init__(self, plugins: list[Path]) -> None:
        # These imports load libraries, which a mask can make crash, so they follow the start of the channel.
        from aeadlab.bench import drivers
        from aeadlab.bench.case import Case
        from aeadlab.catalogue import load

        self._module = drivers
        self._catalogue = load(plugins)
        self._cases: dict[int, Case] = {}
        self._drivers: dict[int, drivers.Driver] = {}
        self._warm: set[int] = set()

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request, or under ``error`` the reason of its failure, ``wrong`` for a wrong result."""
        from aeadlab.errors import AuthenticationError, Error, VerificationError
        from aeadlab.verify.report import FAULTS, fault

        try:
            return self._reply(request)
        except FAULTS as error:
            wrong = isinstance(error, AuthenticationError | VerificationError)
            return {"error": str(error) if isinstance(error, Error) else fault(error), "wrong": wrong}

    def _reply(self, request: dict[str, Any]) -> dict[str, Any]:
        match request:
            case {"prepare": row, "seed": seed, "case": number}:
                from aeadlab.bench.case import Case

                case = Case.from_row(row)
                self._drivers[number] = self._module.driver(case, self._catalogue, seed, isolated=True)
                self._cases[number] = case
                return {}
            case {"arena": {"bytes": size, "tags": tags, "seed": seed}}:
                numbers = sorted(self._drivers)
                ready, cases = [self._drivers[n] for n in numbers], [self._cases[n] for n in numbers]
                self._module.share_arena(ready, cases, seed, least=size, least_tags=tags, interleaved=True)
                # A collection within a sample of the python engine would be part of its time.
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
        # After a crash of another case this process is a new one, without a warm-up.
        if number not in self._warm:
            driver.sample(1)
            self._warm.add(number)
        return {"row": driver.sample(batch), "fingerprint": driver.fingerprint}


if __name__ == "__main__":
    main()
