"""The completed parts of an interrupted command, with which the same command resumes."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

from aeadlab import paths

KEPT_SECONDS: Final = 86400.0
"""Time after which the completed parts are computed again."""


class Unfinished:
    """The parts of a command that are complete, stored until the command ends without an interrupt.

    Parameters
    ----------
    command
        Everything that decides what the command computes.
    **initial
        Values that the command draws once, such as a seed, and that are restored when it resumes.

    Attributes
    ----------
    done
        The results of the complete parts, by name.
    values
        `initial`, or the values of the interrupted command.
    """

    def __init__(self, command: Mapping[str, Any], **initial: Any) -> None:
        digest = hashlib.sha256(json.dumps(command, sort_keys=True, default=str).encode()).hexdigest()[:32]
        self._path = paths.cache() / "unfinished" / f"{digest}.json"
        self.values, self.done = self._read() or (initial, {})

    def add(self, name: str, result: Any = None) -> None:
        """Store that a part is complete, with a result for JSON."""
        self.done[name] = result
        self._write()

    def __enter__(self) -> Self:
        self._write()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, Exception):
            self._path.unlink(missing_ok=True)

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        try:
            if time.time() - self._path.stat().st_mtime > KEPT_SECONDS:
                return None
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            return dict(stored["values"]), dict(stored["done"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _write(self) -> None:
        paths.write_cache(self._path, json.dumps({"values": self.values, "done": self.done}))
