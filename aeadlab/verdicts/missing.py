"""The words for a case that a record does not contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aeadlab.dimensions import BY_NAME, DEFAULT_CONDITIONS
from aeadlab.display.units import size_name

_MODELS: Final = {
    "keyed": "kept contexts",
    "oneshot": "key set-up included",
    "rekeyed": "a new context for each block",
}


def case_in_words(values: Mapping[str, Any]) -> str:
    """Return the values of a case's columns in words, without defaults: ``parsplit seal, schedule rayon, 2 threads``.

    A value may be a collection of alternatives.
    """
    shown = [str(value) for key in ("engine", "op", "mask") if (value := values.get(key))]
    shown += [size_name(values["bytes"])] if "bytes" in values else []
    others = {key: values[key] for key in ("placement", "aad_bytes") if key in values}
    shown += [BY_NAME[key].words(value) for key, value in others.items() if value != DEFAULT_CONDITIONS[key]]
    parts = [" ".join(shown)]
    for key in ("schedule", "model", "threads", "block_size"):
        given = values.get(key)
        # Only ParSplit has a choice of all four.
        if given is None or (given == BY_NAME[key].default and values.get("engine") != "parsplit"):
            continue
        several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        names = [_MODELS.get(each) or BY_NAME[key].words(each) for each in several]
        listed = f"{names[0]} to {names[-1]}" if key == "threads" and len(names) > 2 else " or ".join(names)
        parts.append(f"schedule {listed}" if listed and key == "schedule" else listed)
    return ", ".join(filter(None, parts))
