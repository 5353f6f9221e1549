"""What about this computer would spoil a measurement, or must be known to read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from aeadlab import machine

if TYPE_CHECKING:
    from pandas import DataFrame

Level = Literal["ok", "info", "warning", "critical"]
Facts: TypeAlias = Mapping[str, Any]

LEVELS: tuple[Level, ...] = ("ok", "info", "warning", "critical")
UNKNOWN = "unknown"

# The paper's profile: an input and an output of 1 GiB each, and as much again for Python, the libraries and a copy.
MEMORY_WANTED = 3 * 2**30


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    name
        Short slug, stable between versions; what `quality_flags` gives.
    level
        ``ok``; ``info``: to be known when reading results; ``warning``: widens or shifts results;
        ``critical``: results are not worth recording.
    value
        What was found, as text; ``unknown`` where the computer does not say.
    means
        What this does to results.
    advice
        What the user can do; empty where there is nothing to do. Never done by aeadlab.
    """

    name: str
    level: Level
    value: str
    means: str
    advice: str = ""


def findings(facts: Facts, earlier: Facts | None = None) -> list[Finding]:
    """Judge the facts about a computer.

    Parameters
    ----------
    facts
        What `aeadlab.machine.facts` returned.
    earlier
        Facts from before a run on the same computer, with `facts` from after it: load is then judged as it was
        before the run, and steal, throttling and heat count for the run alone instead of since boot (``unknown``
        if there was a reboot in between).

    Returns
    -------
    list of Finding
        One per check, always all of them and in the same order.
    """
    return [check(facts) for check in _CHECKS] + [check(facts, earlier) for check in _CHECKS_OF_A_RUN]


def quality_flags(findings: Sequence[Finding]) -> list[str]:
    """Slugs for the rows of a record: the names of warnings, and of critical findings with ``!`` in front; sorted."""
    marks = {"warning": "", "critical": "!"}
    return sorted(marks[finding.level] + finding.name for finding in findings if finding.level in marks)


def _governor(facts: Facts) -> Finding:
    governor, driver = facts.get("cpu_governor"), facts.get("cpu_driver")
    if governor is None:
        means = "The computer does not say how it chooses its clock frequency; in a virtual machine the host chooses."
        return Finding("governor", "info", UNKNOWN, means, "Judge by the spread of baseline/memcpy between rounds.")
    value = f"{governor} ({driver})" if driver else governor
    if governor == "performance":
        return Finding("governor", "ok", value, "The clock is asked to stay high.")
    means = "The clock follows the load: the first samples after a pause are slow, and short messages suffer most."
    return Finding("governor", "warning", value, means, "sudo cpupower frequency-set --governor performance")


def _turbo(facts: Facts) -> Finding:
    turbo = facts.get("cpu_turbo")
    if turbo is None:
        means = "It is not known whether the clock rises while few cores are busy; if it does, speed-up looks smaller."
        return Finding("turbo", "info", UNKNOWN, means)
    if not turbo:
        return Finding("turbo", "ok", "off", "One busy core and many run at the same clock.")
    means = (
        "One busy core runs at a higher clock than many, and for as long as heat allows: speed-up and efficiency "
        "over threads look smaller than they are, and long runs slow down."
    )
    path = "intel_pstate/no_turbo" if facts.get("cpu_driver") == "intel_pstate" else "cpufreq/boost"
    number = 1 if path.endswith("no_turbo") else 0
    return Finding("turbo", "warning", "on", means, f"echo {number} | sudo tee /sys/devices/system/cpu/{path}")


def _smt(facts: Facts) -> Finding:
    active, threads, cores = (facts.get(key) for key in ("cpu_smt_active", "cpu_threads_per_core", "cpu_cores"))
    if active is None:
        return Finding("smt", "info", UNKNOWN, "Two threads may share one core, which halves what the second one adds.")
    if active:
        means = (
            f"Two threads can land on one core and share its AES units: beyond {cores or 'the number of'} cores, "
            "speed-up is not that of cores."
        )
        advice = "Read speed-up up to the number of cores, or: echo off | sudo tee /sys/devices/system/cpu/smt/control"
        return Finding("smt", "warning", f"on, {threads or UNKNOWN} threads per core", means, advice)
    if facts.get("virtual_machine"):
        means = "A virtual machine cannot see whether two of its CPUs are threads of one core of the host."
        return Finding("smt", "info", "off, as the guest sees it", means)
    return Finding("smt", "ok", "off", "Each thread has a core of its own.")


def _core_types(facts: Facts) -> Finding:
    types = facts.get("cpu_core_types")
    if types is None:
        return Finding("core-types", "info", UNKNOWN, "Cores may differ in speed.")
    if not types:
        return Finding("core-types", "ok", "all alike", "A sample does not depend on the core it runs on.")
    value = ", ".join(f"{kind}: {cpus}" for kind, cpus in types.items())
    means = "Cores differ in speed: the core that a sample lands on makes two modes out of one implementation."
    return Finding("core-types", "warning", value, means, "Measure on one type: taskset --cpu-list CPUS aeadlab ...")


def _quota(facts: Facts) -> Finding:
    quota, cpus = facts.get("cgroup_cpu_quota"), facts.get("cpu_affinity_count") or facts.get("cpu_count")
    if quota is None:
        return Finding("cgroup-quota", "info", UNKNOWN, "A limit on CPU time, if there is one, stops threads midway.")
    if quota == "none":
        return Finding("cgroup-quota", "ok", "none", "No limit on CPU time that can be seen from here.")
    value = f"{quota:g} of {cpus or UNKNOWN} CPUs"
    if cpus is not None and quota >= cpus:
        return Finding("cgroup-quota", "ok", value, "The limit on CPU time is not below what the CPUs can give.")
    means = "When the quota of a period (often 100 ms) is used up, all threads stop until the next: long samples jump."
    return Finding("cgroup-quota", "critical", value, means, "Raise the container's CPU limit, or use fewer threads.")


def _affinity(facts: Facts) -> Finding:
    usable, count = facts.get("cpu_affinity_count"), facts.get("cpu_count")
    if usable is None or count is None:
        return Finding("affinity", "info", UNKNOWN, "This process may be kept from some of the CPUs.")
    value = f"{usable} of {count} CPUs"
    if usable >= count:
        return Finding("affinity", "ok", value, "Threads may run on every CPU.")
    means = f"Threads beyond {usable} share CPUs, and the CPUs left out are no part of 'all logical cores'."
    return Finding("affinity", "warning", value, means, "Start outside of taskset or the cpuset, if not on purpose.")


def _load(facts: Facts, earlier: Facts | None) -> Finding:
    # After a run the load is the run's own.
    load = (facts if earlier is None else earlier).get("load_avg_1min")
    cpus = facts.get("cpu_affinity_count") or facts.get("cpu_count")
    if load is None:
        return Finding("load", "info", UNKNOWN, "Other programs may be taking CPU time and memory bandwidth.")
    value = f"{load:.2f} over the last minute"
    if load < 0.5:
        return Finding("load", "ok", value, "The computer is idle enough.")
    means = "Other programs take CPU time, cache and memory bandwidth; what you ran a minute ago still counts."
    busy = cpus is not None and load >= cpus
    return Finding("load", "critical" if busy else "warning", value, means, "Stop them, or wait a minute, then repeat.")


def _memory(facts: Facts) -> Finding:
    rooms = [facts.get(key) for key in ("mem_available", "cgroup_memory_available")]
    known = [room for room in rooms if isinstance(room, int)]
    if not known:
        return Finding("memory", "info", UNKNOWN, "Inputs of 1 GiB need about 3 GiB of free memory.")
    value = f"{min(known) / 2**30:.1f} GiB available"
    if min(known) >= MEMORY_WANTED:
        return Finding("memory", "ok", value, "Enough for inputs of 1 GiB.")
    means = "Inputs of 1 GiB need about 3 GiB: below that the kernel swaps, which is timed, or ends the process."
    return Finding("memory", "critical", value, means, "Free memory, raise the limit, or use smaller inputs.")


def _huge_pages(facts: Facts) -> Finding:
    enabled, defrag = facts.get("thp_enabled"), facts.get("thp_defrag")
    if enabled is None:
        return Finding("huge-pages", "info", UNKNOWN, "The page size of large buffers is not known.")
    value = f"transparent: {enabled}, defrag: {defrag or UNKNOWN}"
    if enabled == "always":
        means = (
            "Whether a buffer gets huge pages depends on how fragmented memory is, and khugepaged moves pages while "
            "samples run: two runs can differ with nothing changed."
        )
        return Finding("huge-pages", "info", value, means, "Compare with records of the same setting only.")
    means = "Buffers have small pages unless they ask for huge ones; misses of the address cache are part of results."
    return Finding("huge-pages", "ok", value, means)


def _numa(facts: Facts) -> Finding:
    nodes = facts.get("numa_nodes")
    if nodes is None:
        return Finding("numa", "info", UNKNOWN, "Memory may be nearer to some CPUs than to others.")
    if len(nodes) < 2:
        return Finding("numa", "ok", "1 node", "All memory is equally near.")
    moving = ", the kernel moves pages between nodes" if facts.get("numa_balancing") else ""
    means = "A buffer lies on the node of the thread that touched it first; threads on other nodes read it more slowly."
    advice = "Measure on one node: numactl --cpunodebind 0 --membind 0 aeadlab ..."
    return Finding("numa", "warning", f"{len(nodes)} nodes{moving}", means, advice)


def _caches(facts: Facts) -> Finding:
    known = [cache for cache in facts.get("caches") or [] if cache["type"] != "instruction" and cache["size"]]
    if not known:
        return Finding("caches", "info", UNKNOWN, "Where a curve bends cannot be set against the size of a cache.")
    value = ", ".join(f"L{cache['level']} {_bytes(cache['size'])}" for cache in known)
    last, by_libc = max(cache["size"] for cache in known), facts.get("cache_l3_sysconf")
    if by_libc is not None and any(cache["level"] == 3 for cache in known) and by_libc != last:
        means = (
            f"sysconf gives {_bytes(by_libc)} for the L3 cache instead. glibc's memcpy bypasses the cache above a size "
            "that it derives from its own figure, so baseline/memcpy may not do its best between the two."
        )
        return Finding("caches", "info", value, means, "See ld.so --list-tunables, x86_non_temporal_threshold.")
    if facts.get("virtual_machine"):
        return Finding("caches", "info", value, "A virtual machine's cache sizes are what its hypervisor tells it.")
    return Finding("caches", "ok", value, "Known sizes to set the bends of a curve against.")


def _features(facts: Facts) -> Finding:
    features = facts.get("cpu_features")
    if features is None:
        return Finding("cpu-features", "info", UNKNOWN, "Which code path a library takes cannot be explained.")
    value = " ".join(name for name, present in features.items() if present) or "none"
    multiply = "pclmulqdq" if "pclmulqdq" in features else "pmull"
    lacking = [name for name in ("aes", multiply) if not features.get(name)]
    if lacking:
        means = f"Without {' and '.join(lacking)}, AES-GCM runs in software, many times slower and with other winners."
        return Finding("cpu-features", "warning", value, means, "In a virtual machine: pass the host's CPU through.")
    if features.get("vaes") is False:
        means = "AES runs in 128-bit registers (no VAES), as on the paper's Zen 2; newer CPUs reach the memory limit."
        return Finding("cpu-features", "info", value, means)
    return Finding("cpu-features", "ok", value, "AES and carry-less multiplication are done in hardware.")


def _virtual_machine(facts: Facts) -> Finding:
    virtual = facts.get("virtual_machine")
    if virtual is None:
        return Finding("virtual-machine", "info", UNKNOWN, "If this is one, its neighbours share caches and memory.")
    if not virtual:
        return Finding("virtual-machine", "ok", "no", "Nobody else runs below this system.")
    means = (
        "Neighbours on the host share its caches, memory bandwidth and clock, and nothing here shows it: expect "
        "drift, slow spells and an unknown clock frequency."
    )
    advice = "Trust ratios within one record, not absolute speeds; use whole or bare-metal machines to publish."
    return Finding("virtual-machine", "warning", facts.get("hypervisor") or "yes, of unknown kind", means, advice)


def _container(facts: Facts) -> Finding:
    container = facts.get("container")
    if container is None:
        return Finding("container", "info", UNKNOWN, "A container's limits may hold.")
    if container == "none seen":
        return Finding("container", "ok", container, "No container's limits hold.")
    return Finding("container", "info", container, "The load and the limits of other containers are unseen.")


def _aslr(facts: Facts) -> Finding:
    aslr = facts.get("aslr")
    if aslr is None:
        return Finding("aslr", "info", UNKNOWN, "Code and data may lie at the same addresses in every run.")
    if aslr == "Full randomization":
        means = "Each process lies at other addresses: luck of layout shows as spread between processes, not as bias."
        return Finding("aslr", "ok", aslr, means)
    means = (
        "Every process gets the same layout, so that a lucky or unlucky one repeats in every run and looks like a "
        "difference (Mytkowicz et al., ASPLOS 2009)."
    )
    return Finding("aslr", "warning", aslr, means, "sudo sysctl kernel.randomize_va_space=2")


def _clocksource(facts: Facts) -> Finding:
    source = facts.get("clocksource")
    if source is None:
        return Finding("clocksource", "info", UNKNOWN, "The cost of reading the time is not known.")
    if source in ("tsc", "arch_sys_counter"):
        return Finding("clocksource", "ok", source, "The time is read without entering the kernel.")
    if source == "kvm-clock" or source.startswith("hyperv_clocksource_tsc"):
        return Finding("clocksource", "info", source, "The host scales this clock, and may correct it during a run.")
    means = "Each reading of the time enters the kernel and costs up to a microsecond: short messages look slow."
    return Finding("clocksource", "warning", source, means, "Boot with clocksource=tsc, if the CPU's TSC is reliable.")


def _timer(facts: Facts) -> Finding:
    step = facts.get("timer_granularity_ns")
    if step is None:
        return Finding("timer", "info", UNKNOWN, "Short samples may be rounded.")
    value = f"{step} ns, with the cost of a call"
    if step <= 1000:
        return Finding("timer", "ok", value, "Fine for samples of ten microseconds; shorter messages are batched.")
    level: Level = "critical" if step > 100_000 else "warning"
    return Finding("timer", level, value, "Samples are rounded to this step.", "Measure longer messages only.")


def _tsc(facts: Facts) -> Finding:
    flags = facts.get("tsc_flags")
    if flags is None:
        means = "Cycles per byte count ticks of the timer of this architecture, which are not the core's clock cycles."
        return Finding("tsc", "info", UNKNOWN, means)
    lacking = [name for name in ("constant_tsc", "nonstop_tsc") if name not in flags]
    if lacking:
        means = "Cycles per byte depend on the clock frequency or stop with sleeping cores; use seconds instead."
        return Finding("tsc", "warning", f"not {', not '.join(lacking)}", means)
    means = "Cycles per byte count ticks of constant rate (the base clock), not the core's own, changing cycles."
    return Finding("tsc", "ok", "constant, nonstop", means)


def _power(facts: Facts) -> Finding:
    source = facts.get("power_source")
    if source is None:
        return Finding("power", "info", UNKNOWN, "No battery or mains is reported, as is usual for servers.")
    if source == "mains":
        return Finding("power", "ok", source, "The clock is not held down to save a battery.")
    return Finding("power", "warning", source, "The clock is held down to save the battery.", "Connect to the mains.")


def _steal(facts: Facts, earlier: Facts | None) -> Finding:
    stolen, total = (_since(facts, earlier, f"cpu_ticks_{key}") for key in ("steal", "total"))
    if stolen is None or total is None or total == 0:
        return Finding("steal", "info", UNKNOWN, "A host may be giving this computer's CPU time to others.")
    share = stolen / total
    value = f"{share:.2%} {_period(earlier)}"
    if share < 0.001:
        means = "The host reports that it takes no CPU time away." if facts.get("virtual_machine") else "None is taken."
        return Finding("steal", "ok", value, means)
    means = "The host ran others while this computer had work: samples then wait, and the slowest wait longest."
    level: Level = "info" if share < 0.005 else "warning" if share < 0.05 else "critical"
    return Finding("steal", level, value, means, "Use dedicated CPUs, or measure at a quieter time.")


def _throttled(facts: Facts, earlier: Facts | None) -> Finding:
    periods, duration = (_since(facts, earlier, f"cgroup_throttled_{key}") for key in ("periods", "usec"))
    if periods is None:
        return Finding("cgroup-throttled", "info", UNKNOWN, "Threads may have been stopped by a limit on CPU time.")
    if periods == 0:
        return Finding("cgroup-throttled", "ok", f"never {_period(earlier)}", "No limit on CPU time stopped a thread.")
    lost = f", {duration / 1e6:.2f} s" if duration is not None else ""
    value = f"{periods} periods{lost} {_period(earlier)}"
    means = "A limit on CPU time stopped all threads this often; samples that were hit are far too slow."
    level: Level = "warning" if earlier is None else "critical"
    return Finding("cgroup-throttled", level, value, means, "Raise the container's CPU limit, or use fewer threads.")


def _thermal(facts: Facts, earlier: Facts | None) -> Finding:
    count = _since(facts, earlier, "thermal_throttle_count")
    hottest, critical = facts.get("cpu_temp_max"), facts.get("cpu_temp_critical")
    if count is None and hottest is None:
        return Finding("thermal", "info", UNKNOWN, "The clock may be held down by heat without a sign of it.")
    degrees = f"{hottest:.0f} C" if hottest is not None else "temperature unknown"
    value = degrees + (f", throttled {count} times {_period(earlier)}" if count is not None else "")
    if count and earlier is not None:
        means = "Heat held the clock down during the run: later samples are slower than earlier ones."
        return Finding("thermal", "critical", value, means, "Improve cooling, turn turbo off, or pause between rounds.")
    if hottest is not None and critical is not None and hottest > critical - 10:
        means = "The CPU is within 10 C of its limit, above which the clock falls."
        return Finding("thermal", "warning", value, means, "Let it cool, and improve cooling.")
    if count:
        return Finding("thermal", "info", value, "Heat has held the clock down since boot; a long run may do it again.")
    return Finding("thermal", "ok", value, "No sign that heat holds the clock down.")


def _since(facts: Facts, earlier: Facts | None, key: str) -> int | None:
    """Growth of a counter since `earlier`, or since boot; None where unknown or where it fell, as after a reboot."""
    now = facts.get(key)
    before = 0 if earlier is None else earlier.get(key)
    return now - before if isinstance(now, int) and isinstance(before, int) and now >= before else None


def _period(earlier: Facts | None) -> str:
    return "since boot" if earlier is None else "during the run"


def _bytes(size: int) -> str:
    return f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"


_CHECKS: tuple[Callable[[Facts], Finding], ...] = (
    *(_virtual_machine, _container, _quota, _affinity, _memory),
    *(_governor, _turbo, _smt, _core_types, _numa, _power),
    *(_huge_pages, _aslr, _caches, _features, _clocksource, _timer, _tsc),
)
_CHECKS_OF_A_RUN: tuple[Callable[[Facts, Facts | None], Finding], ...] = (_load, _steal, _throttled, _thermal)


def findings_table() -> DataFrame:
    """What matters of this computer, for a notebook: columns level, name, value, means, advice."""
    import pandas as pd

    found = [f for f in findings(machine.facts()) if f.level != "ok" and f.value != UNKNOWN]
    order = {"critical": 0, "warning": 1, "info": 2}
    rows = sorted(found, key=lambda f: order[f.level])
    return pd.DataFrame([dataclasses.asdict(f) for f in rows], columns=["level", "name", "value", "means", "advice"])
