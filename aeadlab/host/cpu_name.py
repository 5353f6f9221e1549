"""The name of a computer's CPU in text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_NO_MODEL: Final = re.compile(r"@.*|\d+-core\b", re.IGNORECASE)
"""Digits of a name that are no model number: the clock frequency and the core count."""


def cpu_name(machine: Mapping[str, Any]) -> str:
    """Return the model name of a CPU, ``AMD EPYC (family 25, model 17)``; ``""`` where it is unknown.

    A hypervisor may hide the model number from the name, which then is the same for several generations of CPUs. Such a
    name is followed by the numbers of family and model, as far as they are known.

    Parameters
    ----------
    machine
        Facts as returned by `aeadlab.host.machine.facts`.
    """
    name = str(machine.get("cpu_model_name") or "")
    numbers = [f"{part} {number}" for part in ("family", "model") if (number := machine.get(f"cpu_{part}"))]
    if not name or not numbers or re.search(r"\d", _NO_MODEL.sub("", name)):
        return name
    return f"{name} ({', '.join(numbers)})"
