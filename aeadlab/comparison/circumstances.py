"""What besides the code differs between two runs, by their provenance: what forbids a conclusion, what informs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aeadlab.records import Record

Facts = Mapping[str, Any]

_MACHINE: Final[dict[str, Callable[[Facts], Any]]] = {
    "CPU": lambda m: m.get("cpu_model_name"),
    "CPU family, model, stepping": lambda m: _known(m.get(f"cpu_{part}") for part in ("family", "model", "stepping")),
    "architecture": lambda m: m.get("architecture"),
    "CPUs": lambda m: m.get("cpu_count"),
    "cores": lambda m: m.get("cpu_cores"),
    # What the kernel keeps for itself varies by some MiB from boot to boot.
    "memory": lambda m: f"{m['mem_total'] / 2**30:.0f} GiB" if m.get("mem_total") else None,
    "hypervisor": lambda m: m.get("hypervisor"),
    "CPU features": lambda m: (
        " ".join(sorted(k for k, on in m["cpu_features"].items() if on)) if m.get("cpu_features") else None
    ),
}
_STATE: Final[dict[str, str]] = {
    "CPU mask": "cpu_affinity",
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
    "kernel": lambda p: p.get("machine", {}).get("kernel"),
    "compiler": lambda p: p.get("extension", {}).get("compiler"),
    "Python": lambda p: p.get("machine", {}).get("python_version"),
    "libc": lambda p: p.get("machine", {}).get("libc"),
}


def other_machine(a: Record, b: Record) -> list[str]:
    """In which facts of the machine the two differ; empty if it is the same as far as can be read."""
    old, new = (record.provenance.get("machine") or {} for record in (a, b))
    return [_change(name, read(old), read(new)) for name, read in _MACHINE.items() if _differ(read(old), read(new))]


def cautions(a: Record, b: Record) -> list[str]:
    """What must be known before anything is concluded; one sentence each."""
    return list(_cautions(a, b))


def _cautions(a: Record, b: Record) -> Iterator[str]:
    old, new = a.provenance, b.provenance
    if where := other_machine(a, b):
        yield f"different machines: {'; '.join(where)}. What differs may be the machine's and says nothing of the code"
    state = [
        _change(name, _get(old, key), _get(new, key))
        for name, key in _STATE.items()
        if _differ(_get(old, key), _get(new, key))
    ]
    if state:
        yield f"the machine was set otherwise: {'; '.join(state)}"
    sizes = [_profile(record) for record in (a, b)]
    if sizes[0]["bytes"] != sizes[1]["bytes"]:
        yield f"different profiles: large messages of {sizes[0]['bytes']} and {sizes[1]['bytes']} bytes"
    if efforts := [
        _change(what, sizes[0].get(key), sizes[1].get(key))
        for what, key in (("warm-up in seconds", "warm_up_seconds"), ("least seconds of a sample", "sample_seconds"))
        if sizes[0].get(key) != sizes[1].get(key)
    ]:
        yield f"different effort: {'; '.join(efforts)}"
    if checks := _checks(a, b):
        yield f"verified by other checks: {_few(checks)}"
    for name, record in (("A", a), ("B", b)):
        yield from (f"{name}: {why}" for why in spoilt(record))


def spoilt(record: Record) -> list[str]:
    """What `aeadlab doctor` found critical while the record was measured, as a sentence or none."""
    critical = [flag.removeprefix("!") for flag in record.provenance.get("quality", []) if flag.startswith("!")]
    return [f"measured under conditions that spoil measurements: {', '.join(critical)}"] if critical else []


def notes(a: Record, b: Record) -> list[str]:
    """What else differs, as ``name: old -> new``; versions of implementations among it."""
    old, new = a.provenance, b.provenance
    found = [_change(what, read(old), read(new)) for what, read in _NOTED.items() if _differ(read(old), read(new))]
    before, after = (provenance.get("implementations", {}) for provenance in (old, new))
    versions = [
        _change(name, before[name].get("version"), after[name].get("version"))
        for name in before
        if name in after and _differ(before[name].get("version"), after[name].get("version"))
    ]
    if versions:
        found.append(f"versions: {_few(versions)}")
    if same_code(a, b):
        found.append("both runs are of the same compiled code: what differs is the machine's, or of Python's libraries")
    return found


def same_code(a: Record, b: Record) -> bool:
    """Whether both runs timed the same extension and the same builds of everything that both have."""
    sources = [record.provenance.get("extension", {}).get("sources") for record in (a, b)]
    before, after = (record.provenance.get("implementations", {}) for record in (a, b))
    common = before.keys() & after.keys()
    return sources[0] is not None and sources[0] == sources[1] and all(before[n] == after[n] for n in common)


def verified(record: Record) -> set[str]:
    """Implementations that passed their verification before this run timed them."""
    return {name for name, report in record.provenance.get("verified", {}).items() if report.get("ok")}


def controls(a: Record, b: Record) -> set[str]:
    """Implementations that stand for the machine and not for a library: baselines of both records."""
    marked = [
        {
            name
            for name, facts in r.provenance.get("implementations", {}).items()
            if "baseline" in facts.get("flags", ())
        }
        for r in (a, b)
    ]
    return marked[0] & marked[1]


def _checks(a: Record, b: Record) -> list[str]:
    """Implementations of both whose verification ran other checks, or another number of them."""
    counts = [
        {
            name: {check["name"]: check.get("run", 0) for check in report.get("checks", ())}
            for name, report in record.provenance.get("verified", {}).items()
        }
        for record in (a, b)
    ]
    return [
        f"{name} ({_counts(was)} -> {_counts(counts[1][name])})"
        for name, was in counts[0].items()
        if name in counts[1] and was != counts[1][name]
    ]


def _counts(checks: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {run}" for name, run in checks.items()) or "none"


def _profile(record: Record) -> Facts:
    profile: Facts = record.provenance["plan"]["profile"]
    return profile


def _get(provenance: Facts, key: str) -> Any:
    return (provenance.get("machine") or {}).get(key)


def _known(values: Iterator[Any]) -> str | None:
    given = [str(value) for value in values]
    return None if "None" in given else " ".join(given)


def _differ(old: object, new: object) -> bool:
    """What one of them could not read is no difference."""
    return old is not None and new is not None and old != new


def _change(what: str, old: object, new: object) -> str:
    if isinstance(old, str) and isinstance(new, str) and old.count(" ") > 4:
        before, after = set(old.split()), set(new.split())
        parts = [f"-{gone}" for gone in sorted(before - after)] + [f"+{come}" for come in sorted(after - before)]
        return f"{what} {' '.join(parts)}" if parts else f"{what} in another order"
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        return f"{what} ({', '.join(keys)})"
    return f"{what} {old} -> {new}"


_SHOWN: Final = 3


def _few(texts: list[str]) -> str:
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more
