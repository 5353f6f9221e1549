"""Differences between two runs other than the code, by their provenance: warnings and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from aeadlab.display.listing import first_of
from aeadlab.records.record import Record

_MAX_LISTED: Final = 3

Facts = Mapping[str, Any]

_MACHINE: Final[dict[str, Callable[[Facts], Any]]] = {
    "CPU": lambda m: m.get("cpu_model_name"),
    "CPU family, model, stepping": lambda m: _known(m.get(f"cpu_{part}") for part in ("family", "model", "stepping")),
    "architecture": lambda m: m.get("architecture"),
    "CPUs": lambda m: m.get("cpu_count"),
    "cores": lambda m: m.get("cpu_cores"),
    # The memory that the kernel reserves varies by some MiB from boot to boot.
    "memory": lambda m: f"{m['mem_total'] / 2**30:.0f} GiB" if m.get("mem_total") else None,
    "hypervisor": lambda m: m.get("hypervisor"),
    "CPU features": lambda m: (
        " ".join(sorted(k for k, on in m["cpu_features"].items() if on)) if m.get("cpu_features") else None
    ),
}
_STATE: Final[dict[str, str]] = {
    "CPU affinity": "cpu_affinity",
    "CPU quota": "cgroup_cpu_quota",
    "SMT": "cpu_smt_active",
    "governor": "cpu_governor",
    "turbo": "cpu_turbo",
    "power": "power_source",
    "huge pages": "thp_enabled",
    "address randomisation": "aslr",
    "microcode": "cpu_microcode",
    "mitigations": "mitigations",
    "clock": "clocksource",
}
_NOTED: Final[dict[str, Callable[[Facts], Any]]] = {
    "study": lambda p: p["plan"]["study"],
    "seed": lambda p: p["plan"]["seed"],
    "kernel": lambda p: (p.get("machine") or {}).get("kernel"),
    "compiler": lambda p: p.get("extension", {}).get("compiler"),
    "Python": lambda p: (p.get("machine") or {}).get("python_version"),
    "libc": lambda p: (p.get("machine") or {}).get("libc"),
}


def machine_differences(a: Record, b: Record) -> list[str]:
    """Return the known facts in which the machines of two runs differ; empty if there is none."""
    return _changes(_MACHINE, *(record.machine for record in (a, b)))


def warnings(a: Record, b: Record) -> list[str]:
    """Return the differences that limit conclusions about the code, and the critical conditions of both runs."""
    return list(_warnings(a, b))


def _warnings(a: Record, b: Record) -> Iterator[str]:
    if differences := machine_differences(a, b):
        yield f"different machines: {'; '.join(differences)}. Differences in time may be due to the machines"
    if state := _changes({name: itemgetter(key) for name, key in _STATE.items()}, *map(_state, (a, b))):
        yield f"different machine settings: {'; '.join(state)}"
    sizes = [_profile(record) for record in (a, b)]
    if sizes[0]["bytes"] != sizes[1]["bytes"]:
        yield f"different profiles: large messages of {sizes[0]['bytes']} and {sizes[1]['bytes']} bytes"
    if efforts := [
        _change(name, sizes[0].get(key), sizes[1].get(key))
        for name, key in (("warm-up in seconds", "warm_up_seconds"), ("minimum seconds of a sample", "sample_seconds"))
        if sizes[0].get(key) != sizes[1].get(key)
    ]:
        yield f"different effort: {'; '.join(efforts)}"
    if checks := _checks(a, b):
        yield f"verified by different checks: {first_of(checks, _MAX_LISTED, '; ')}"
    for name, record in (("A", a), ("B", b)):
        yield from (f"{name}: {reason}" for reason in critical_conditions(record))


def critical_conditions(record: Record) -> list[str]:
    """Return the critical findings of `aeadlab doctor` at the time of a run as one sentence; empty without any."""
    critical = [flag.removeprefix("!") for flag in record.provenance.get("quality", []) if flag.startswith("!")]
    return [f"measured under critical conditions: {', '.join(critical)}"] if critical else []


def notes(a: Record, b: Record) -> list[str]:
    """Return the other differences as ``name old -> new``, and whether both runs used the same compiled code."""
    old, new = a.provenance, b.provenance
    differences = _changes(_NOTED, old, new)
    before, after = (provenance.get("implementations", {}) for provenance in (old, new))
    versions = [
        _change(name, before[name].get("version"), after[name].get("version"))
        for name in before
        if name in after and _differ(before[name].get("version"), after[name].get("version"))
    ]
    if versions:
        differences.append(f"versions: {first_of(versions, _MAX_LISTED, '; ')}")
    if same_code(a, b):
        differences.append(
            "both runs used the same compiled code: differences are due to the machine or to Python packages"
        )
    return differences


def same_code(a: Record, b: Record) -> bool:
    """Return whether both runs used the same extension and the same builds of all common implementations."""
    sources = [record.provenance.get("extension", {}).get("sources") for record in (a, b)]
    before, after = (record.provenance.get("implementations", {}) for record in (a, b))
    common = before.keys() & after.keys()
    return sources[0] is not None and sources[0] == sources[1] and all(before[n] == after[n] for n in common)


def verified(record: Record) -> set[str]:
    """Return the implementations that passed their verification before the run."""
    return {name for name, report in record.provenance.get("verified", {}).items() if report.get("ok")}


def shared_baselines(a: Record, b: Record) -> set[str]:
    """Return the implementations that are marked as baselines in both records."""
    baselines = [
        {
            name
            for name, facts in r.provenance.get("implementations", {}).items()
            if "baseline" in facts.get("flags", ())
        }
        for r in (a, b)
    ]
    return baselines[0] & baselines[1]


def _checks(a: Record, b: Record) -> list[str]:
    """Return the common implementations whose verification ran different checks or numbers of checks."""
    counts = [
        {
            name: {check["name"]: check.get("run", 0) for check in report.get("checks", ())}
            for name, report in record.provenance.get("verified", {}).items()
        }
        for record in (a, b)
    ]
    return [
        f"{name} ({_counts(before)} -> {_counts(counts[1][name])})"
        for name, before in counts[0].items()
        if name in counts[1] and before != counts[1][name]
    ]


def _counts(checks: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {run}" for name, run in checks.items()) or "none"


def _profile(record: Record) -> Facts:
    profile: Facts = record.provenance["plan"]["profile"]
    return profile


def _state(record: Record) -> Facts:
    return {key: record.machine.get(key) for key in _STATE.values()}


def _known(values: Iterator[Any]) -> str | None:
    given = [str(value) for value in values]
    return None if "None" in given else " ".join(given)


def _differ(old: object, new: object) -> bool:
    """Return whether both values are known and differ."""
    return old is not None and new is not None and old != new


def _changes(readers: Mapping[str, Callable[[Facts], Any]], old: Facts, new: Facts) -> list[str]:
    return [_change(name, read(old), read(new)) for name, read in readers.items() if _differ(read(old), read(new))]


def _change(name: str, old: object, new: object) -> str:
    if isinstance(old, str) and isinstance(new, str) and old.count(" ") > 4:
        before, after = set(old.split()), set(new.split())
        parts = [f"-{word}" for word in sorted(before - after)] + [f"+{word}" for word in sorted(after - before)]
        return f"{name} {' '.join(parts)}" if parts else f"{name} in another order"
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        return f"{name} ({', '.join(keys)})"
    return f"{name} {old} -> {new}"
