"""The shape of a provenance: the types and ranges of the parts that this version of aeadlab uses.

Any part may be missing except the plan, and may have entries that are not named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aeadlab.bench.plan import Plan
from aeadlab.display.printable import shown
from aeadlab.errors import Error

Check = Callable[[Any, str], Iterator[str]]
"""Returns the faults of a value; the text names the value."""


def check(provenance: Mapping[str, Any]) -> None:
    """Check a provenance.

    Raises
    ------
    ValueError
        If a part has another type or is out of range; the message names it.
    """
    for fault in _PROVENANCE(provenance, ""):
        raise ValueError(fault)
    try:
        Plan.from_json(provenance["plan"])
    except (LookupError, TypeError, ValueError, Error) as error:
        raise ValueError(f"its plan is not a plan of aeadlab ({error})") from error


def _one(noun: str, *types: type, least: float = float("-inf"), most: float = float("inf")) -> Check:
    def faults(value: Any, name: str) -> Iterator[str]:
        # A bool is an int in Python only.
        wrong = not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
        if wrong or (isinstance(value, int | float) and not least <= value <= most):
            yield f"{name} is {shown(value)}, {noun} expected"

    return faults


def _or(value: object, other: Check) -> Check:
    def faults(given: Any, name: str) -> Iterator[str]:
        if given != value or type(given) is not type(value):
            yield from other(given, name)

    return faults


def _list(part: Check) -> Check:
    def faults(value: Any, name: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{name} is {shown(value)}, a list expected"
        else:
            for index, item in enumerate(value):
                yield from part(item, f"{name}[{index}]")

    return faults


def _each(part: Check) -> Check:
    def faults(value: Any, name: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{name} is {shown(value)}, an object expected"
        else:
            for key, item in value.items():
                yield from part(item, f"{name}.{key}")

    return faults


def _object(required: Mapping[str, Check] | None = None, /, **parts: Check) -> Check:
    def faults(value: Any, name: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{name or 'it'} is {shown(value)}, an object expected"
            return
        for key, part in {**(required or {}), **parts}.items():
            if key in value:
                yield from part(value[key], f"{name}.{key}".lstrip("."))
            elif key in (required or {}):
                yield f"{name}.{key} is missing".lstrip(".")

    return faults


_LARGEST: Final = float(1 << 63)
_text = _one("text", str)
_count = _one("a whole number from 0", int, least=0, most=_LARGEST)
_positive = _one("a whole number from 1", int, least=1, most=_LARGEST)
_number = _one("a number", int, float, least=-_LARGEST, most=_LARGEST)
_seconds = _one("seconds", int, float, least=0, most=4e9)
_flag = _one("true or false", bool)
_texts = _list(_text)
_any: Check = lambda value, name: iter(())  # noqa: E731

_FACTS: Final = {
    _or(None, _text): (
        *("architecture", "aslr", "clocksource", "container", "cpu_affinity", "cpu_driver", "cpu_governor"),
        *("cpu_microcode", "cpu_model_name", "hypervisor", "kernel", "libc", "power_source", "python_version"),
        *("cgroup_version", "cpu_family", "cpu_model", "cpu_stepping", "thp_defrag", "thp_enabled"),
    ),
    _or(None, _count): (
        *("cache_l3_sysconf", "cgroup_throttled_periods", "cgroup_throttled_usec", "cpu_threads_per_core"),
        *("cpu_ticks_steal", "cpu_ticks_total", "mem_available", "mem_total", "thermal_throttle_count"),
        *("numa_balancing", "timer_granularity_ns"),
    ),
    _or(None, _positive): ("cpu_affinity_count", "cpu_cores", "cpu_count"),
    _or(None, _number): ("cpu_temp", "cpu_temp_critical", "cpu_temp_max", "load_avg_1min"),
    _or(None, _flag): ("cpu_smt_active", "virtual_machine"),
    _or(None, _or("none", _number)): ("cgroup_cpu_quota", "cgroup_memory_available", "cgroup_memory_limit"),
    _or(None, _each(_text)): ("cpu_core_types", "numa_nodes"),
    _or(None, _each(_flag)): ("cpu_features",),
    _or(None, _texts): ("tsc_flags",),
}
"""The facts of `aeadlab.host.machine.facts` by their type; each may be unknown."""

_CACHE: Final = _object(
    {"level": _positive, "type": _text, "size": _or(None, _count)}, instances=_any, shared_by=_any, line=_any
)
_MACHINE: Final = _object(
    caches=_or(None, _list(_CACHE)), **{name: part for part, names in _FACTS.items() for name in names}
)
_PROFILE: Final = _object(
    {"name": _text, "bytes": _count, "rounds": _count, "processes": _positive},
    warm_up_seconds=_seconds,
    sample_seconds=_seconds,
    budget_seconds=_or(None, _seconds),
    case_seconds=_or(None, _seconds),
    precision=_or(None, _seconds),
    least=_or(None, _count),
    others=_or(None, _count),
    shorter=_one("0 to 63", int, least=0, most=63),
)
_CASE: Final = _object(
    {"implementation": _text, "op": _text},
    **dict.fromkeys(("engine", "model", "schedule", "tags", "placement", "cache", "mask"), _text),
    **dict.fromkeys(("bytes", "block_size", "aad_bytes", "replica"), _count),
    threads=_positive,
)
_CHECK: Final = _object(
    {"name": _text}, run=_count, failed=_count, failures=_texts, sources=_each(_count), skipped=_each(_count)
)
_REPORT: Final = _object(ok=_flag, checks=_list(_CHECK), reason=_text)
_DESCRIBED: Final = _object(
    flags=_texts, **dict.fromkeys(("kind", "version", "build", "kernel", "origin", "sha256"), _text)
)

_PROVENANCE: Final = _object(
    {
        "schema": _count,
        "plan": _object(
            {"study": _text, "profile": _PROFILE, "cases": _list(_CASE)},
            seed=_count,
            plugins=_texts,
            named=_texts,
        ),
    },
    commit=_or(None, _object({"id": _text}, dirty=_flag, files=_texts)),
    date=_text,
    definition=_text,
    extension=_each(_text),
    implementations=_each(_DESCRIBED),
    machine=_or(None, _MACHINE),
    masks=_each(_object()),
    notes=_list(
        _object(start=_seconds, spent=_seconds, pid=_count, cut=_text, stopped=_text, enough=_text, slow=_texts)
    ),
    packages=_each(_or(None, _text)),
    quality=_texts,
    refused=_each(_text),
    selection=_object(
        implementations=_or(None, _texts), **dict.fromkeys(("threads", "block_sizes"), _or(None, _list(_count)))
    ),
    unmasked=_texts,
    verified=_each(_REPORT),
)
