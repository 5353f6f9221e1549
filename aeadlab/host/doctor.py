"""Findings about this computer that affect measurements, with their effect and advice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from aeadlab.display.units import size_name
from aeadlab.host import machine

if TYPE_CHECKING:
    from pandas import DataFrame

Level = Literal["ok", "info", "warning", "critical"]
Facts: TypeAlias = Mapping[str, Any]

LEVELS: tuple[Level, ...] = ("ok", "info", "warning", "critical")
UNKNOWN = "unknown"

# The paper's profile: an input and an output of 1 GiB each, and as much again for Python, the libraries and a copy.
REQUIRED_MEMORY = 3 * 2**30


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    name
        Short name, stable between versions; used by `quality_flags`.
    level
        ``ok``; ``info``: relevant to the interpretation of results; ``warning``: increases variance or shifts results;
        ``critical``: results are not valid.
    value
        The observed value as text; ``unknown`` if it cannot be read.
    means
        Effect on results.
    advice
        Action for the user, possibly empty; aeadlab does not perform it.
    """

    name: str
    level: Level
    value: str
    means: str
    advice: str = ""


def findings(facts: Facts, earlier: Facts | None = None) -> list[Finding]:
    """Check the facts about a computer.

    Parameters
    ----------
    facts
        Facts from `aeadlab.host.machine.facts`.
    earlier
        Facts from before a run on the same computer, with `facts` from after it. The load is then that before the
        run, and steal time, throttling and heat are those of the run instead of since boot (``unknown`` after a
        reboot between the two).

    Returns
    -------
    list of Finding
        One per check, in a fixed order.
    """
    return [check(facts) for check in _CHECKS] + [check(facts, earlier) for check in _CHECKS_OF_A_RUN]


def quality_flags(findings: Sequence[Finding]) -> list[str]:
    """Return the sorted names of warnings and of critical findings, the latter with the prefix ``!``."""
    marks = {"warning": "", "critical": "!"}
    return sorted(marks[finding.level] + finding.name for finding in findings if finding.level in marks)


def _governor(facts: Facts) -> Finding:
    governor, driver = facts.get("cpu_governor"), facts.get("cpu_driver")
    if governor is None:
        means = "The control of the clock frequency is unknown; in a virtual machine the host controls it."
        return Finding("governor", "info", UNKNOWN, means, "Check the spread of baseline/memcpy between rounds.")
    value = f"{governor} ({driver})" if driver else governor
    if governor == "performance":
        return Finding("governor", "ok", value, "The clock frequency stays high.")
    means = "The clock follows the load: the first samples after a pause are slow, most of all for short messages."
    return Finding("governor", "warning", value, means, "sudo cpupower frequency-set --governor performance")


def _turbo(facts: Facts) -> Finding:
    turbo = facts.get("cpu_turbo")
    if turbo is None:
        means = "The clock may rise while few cores are busy, which makes the measured speed-up smaller."
        return Finding("turbo", "info", UNKNOWN, means)
    if not turbo:
        return Finding("turbo", "ok", "off", "The clock does not depend on the number of busy cores.")
    means = (
        "One busy core runs at a higher clock than many, as long as the temperature allows: measured speed-up and "
        "efficiency over threads are too small, and long runs slow down."
    )
    path = "intel_pstate/no_turbo" if facts.get("cpu_driver") == "intel_pstate" else "cpufreq/boost"
    number = 1 if path.endswith("no_turbo") else 0
    return Finding("turbo", "warning", "on", means, f"echo {number} | sudo tee /sys/devices/system/cpu/{path}")


def _smt(facts: Facts) -> Finding:
    active, threads, cores = (facts.get(key) for key in ("cpu_smt_active", "cpu_threads_per_core", "cpu_cores"))
    if active is None:
        return Finding(
            "smt",
            "info",
            UNKNOWN,
            "Two threads may share one core, where the second adds less speed than on a core of its own.",
        )
    if active:
        means = (
            f"Two threads can run on one core and share its AES units: beyond {cores or 'the number of'} cores, "
            "additional threads share cores."
        )
        advice = "Use speed-up up to the number of cores, or: echo off | sudo tee /sys/devices/system/cpu/smt/control"
        return Finding("smt", "warning", f"on, {threads or UNKNOWN} threads per core", means, advice)
    if facts.get("virtual_machine"):
        means = "A virtual machine cannot detect whether two of its CPUs are threads of one core of the host."
        return Finding("smt", "info", "off, as reported to the guest", means)
    return Finding("smt", "ok", "off", "Each thread has a core of its own.")


def _core_types(facts: Facts) -> Finding:
    types = facts.get("cpu_core_types")
    if types is None:
        return Finding("core-types", "info", UNKNOWN, "Cores may differ in speed.")
    if not types:
        return Finding("core-types", "ok", "all alike", "A sample does not depend on the core it runs on.")
    value = ", ".join(f"{kind}: {cpus}" for kind, cpus in types.items())
    means = "Cores differ in speed: one implementation has two modes, depending on the core of a sample."
    return Finding("core-types", "warning", value, means, "Measure on one type: taskset --cpu-list CPUS aeadlab ...")


def _quota(facts: Facts) -> Finding:
    quota, cpus = facts.get("cgroup_cpu_quota"), facts.get("cpu_affinity_count") or facts.get("cpu_count")
    if quota is None:
        return Finding("cgroup-quota", "info", UNKNOWN, "A limit on CPU time, if there is one, interrupts threads.")
    if quota == "none":
        return Finding("cgroup-quota", "ok", "none", "No visible limit on CPU time.")
    value = f"{quota:g} of {cpus or UNKNOWN} CPUs"
    if cpus is not None and quota >= cpus:
        return Finding("cgroup-quota", "ok", value, "The limit on CPU time is not below the capacity of the CPUs.")
    means = (
        "When the quota of a period (often 100 ms) is used, all threads stop until the next: long samples are too slow."
    )
    return Finding("cgroup-quota", "critical", value, means, "Raise the container's CPU limit, or use fewer threads.")


def _affinity(facts: Facts) -> Finding:
    usable, count = facts.get("cpu_affinity_count"), facts.get("cpu_count")
    if usable is None or count is None:
        return Finding("affinity", "info", UNKNOWN, "This process may be restricted to some of the CPUs.")
    value = f"{usable} of {count} CPUs"
    if usable >= count:
        return Finding("affinity", "ok", value, "Threads may run on every CPU.")
    means = f"More than {usable} threads share CPUs. Studies with all logical cores use only those of this process."
    return Finding("affinity", "warning", value, means, "Start outside of taskset or the cpuset, unless intended.")


def _load(facts: Facts, earlier: Facts | None) -> Finding:
    # The load after a run is caused by the run itself.
    load = (facts if earlier is None else earlier).get("load_avg_1min")
    cpus = facts.get("cpu_affinity_count") or facts.get("cpu_count")
    if load is None:
        return Finding("load", "info", UNKNOWN, "Other programs may be taking CPU time and memory bandwidth.")
    value = f"{load:.2f} over the last minute"
    if load < 0.5:
        return Finding("load", "ok", value, "The computer is idle.")
    means = "Other programs use CPU time, cache and memory bandwidth; the load includes work of the last minute."
    busy = cpus is not None and load >= cpus
    return Finding("load", "critical" if busy else "warning", value, means, "Stop them or wait a minute, then repeat.")


def _memory(facts: Facts) -> Finding:
    amounts = [facts.get(key) for key in ("mem_available", "cgroup_memory_available")]
    known = [amount for amount in amounts if isinstance(amount, int)]
    if not known:
        return Finding("memory", "info", UNKNOWN, "Inputs of 1 GiB need about 3 GiB of free memory.")
    value = f"{min(known) / 2**30:.1f} GiB available"
    if min(known) >= REQUIRED_MEMORY:
        return Finding("memory", "ok", value, "Enough for inputs of 1 GiB.")
    means = "Inputs of 1 GiB need about 3 GiB: with less, the kernel swaps within the timed part or kills the process."
    return Finding("memory", "critical", value, means, "Free memory, raise the limit, or use smaller inputs.")


def _huge_pages(facts: Facts) -> Finding:
    enabled, defrag = facts.get("thp_enabled"), facts.get("thp_defrag")
    if enabled is None:
        return Finding("huge-pages", "info", UNKNOWN, "The page size of large buffers is not known.")
    value = f"transparent: {enabled}, defrag: {defrag or UNKNOWN}"
    if enabled == "always":
        means = (
            "The pages of a buffer depend on the fragmentation of memory, and khugepaged moves pages during samples: "
            "two equal runs can differ."
        )
        return Finding("huge-pages", "info", value, means, "Compare only with records of the same setting.")
    means = "Buffers have small pages unless they request huge ones; results include TLB misses."
    return Finding("huge-pages", "ok", value, means)


def _numa(facts: Facts) -> Finding:
    nodes = facts.get("numa_nodes")
    if nodes is None:
        return Finding("numa", "info", UNKNOWN, "The distance of memory may differ between CPUs.")
    if len(nodes) < 2:
        return Finding("numa", "ok", "1 node", "All memory has the same distance from every CPU.")
    moving = ", the kernel moves pages between nodes" if facts.get("numa_balancing") else ""
    means = "A buffer is on the node of the thread that touched it first; threads on other nodes read it more slowly."
    advice = "Measure on one node: numactl --cpunodebind 0 --membind 0 aeadlab ..."
    return Finding("numa", "warning", f"{len(nodes)} nodes{moving}", means, advice)


def _caches(facts: Facts) -> Finding:
    known = [cache for cache in facts.get("caches") or [] if cache["type"] != "instruction" and cache["size"]]
    if not known:
        return Finding("caches", "info", UNKNOWN, "Curves cannot be compared with the sizes of the caches.")
    value = ", ".join(f"L{cache['level']} {size_name(cache['size'])}" for cache in known)
    last, by_libc = max(cache["size"] for cache in known), facts.get("cache_l3_sysconf")
    if by_libc is not None and any(cache["level"] == 3 for cache in known) and by_libc != last:
        means = (
            f"sysconf reports {size_name(by_libc)} for the L3 cache. glibc's memcpy bypasses the cache above a size "
            "derived from this value, so that baseline/memcpy may not be optimal between the two sizes."
        )
        return Finding("caches", "info", value, means, "See ld.so --list-tunables, x86_non_temporal_threshold.")
    if facts.get("virtual_machine"):
        return Finding("caches", "info", value, "The cache sizes of a virtual machine come from its hypervisor.")
    return Finding("caches", "ok", value, "The sizes are known.")


def _features(facts: Facts) -> Finding:
    features = facts.get("cpu_features")
    if features is None:
        return Finding("cpu-features", "info", UNKNOWN, "The code path of a library cannot be explained.")
    value = " ".join(name for name, present in features.items() if present) or "none"
    multiply = "pclmulqdq" if "pclmulqdq" in features else "pmull"
    missing = [name for name in ("aes", multiply) if not features.get(name)]
    if missing:
        means = f"Without {' and '.join(missing)}, AES-GCM runs in software and is many times slower."
        return Finding("cpu-features", "warning", value, means, "In a virtual machine: pass the host's CPU through.")
    if features.get("vaes") is False:
        means = "AES runs in 128-bit registers (no VAES), as on the paper's Zen 2; VAES can be several times faster."
        return Finding("cpu-features", "info", value, means)
    return Finding("cpu-features", "ok", value, "AES and carry-less multiplication run in hardware.")


def _virtual_machine(facts: Facts) -> Finding:
    virtual = facts.get("virtual_machine")
    if virtual is None:
        return Finding("virtual-machine", "info", UNKNOWN, "Other virtual machines may share caches and memory.")
    if not virtual:
        return Finding("virtual-machine", "ok", "no", "The hardware is not shared with other systems.")
    means = (
        "Other machines on the host share its caches, memory bandwidth and clock without being visible: expect drift, "
        "slow periods and an unknown clock frequency."
    )
    advice = "Use ratios within one record, not absolute speeds; publish results of dedicated or bare-metal machines."
    return Finding("virtual-machine", "warning", facts.get("hypervisor") or "yes, of unknown kind", means, advice)


def _container(facts: Facts) -> Finding:
    container = facts.get("container")
    if container is None:
        return Finding("container", "info", UNKNOWN, "A container's limits may apply.")
    if container == "none seen":
        return Finding("container", "ok", container, "No container's limits apply.")
    return Finding("container", "info", container, "The load and the limits of other containers are not visible.")


def _aslr(facts: Facts) -> Finding:
    aslr = facts.get("aslr")
    if aslr is None:
        return Finding("aslr", "info", UNKNOWN, "Code and data may have the same addresses in every run.")
    if aslr == "Full randomization":
        means = "Each process has other addresses: the effect of layout is variance between processes, not bias."
        return Finding("aslr", "ok", aslr, means)
    means = (
        "Every process has the same layout, so that the effect of a layout repeats in every run and biases "
        "comparisons (Mytkowicz et al., ASPLOS 2009)."
    )
    return Finding("aslr", "warning", aslr, means, "sudo sysctl kernel.randomize_va_space=2")


def _clocksource(facts: Facts) -> Finding:
    source = facts.get("clocksource")
    if source is None:
        return Finding("clocksource", "info", UNKNOWN, "The cost of reading the time is unknown.")
    if source in ("tsc", "arch_sys_counter"):
        return Finding("clocksource", "ok", source, "Reading the time does not enter the kernel.")
    if source == "kvm-clock" or source.startswith("hyperv_clocksource_tsc"):
        return Finding("clocksource", "info", source, "The host scales this clock and may correct it during a run.")
    means = "Reading the time enters the kernel and takes up to a microsecond: short messages are measured too slow."
    return Finding("clocksource", "warning", source, means, "Boot with clocksource=tsc, if the CPU's TSC is reliable.")


def _timer(facts: Facts) -> Finding:
    step = facts.get("timer_granularity_ns")
    if step is None:
        return Finding("timer", "info", UNKNOWN, "Short samples may be rounded.")
    value = f"{step} ns, including the cost of a call"
    if step <= 1000:
        return Finding(
            "timer", "ok", value, "Sufficient for samples of ten microseconds; shorter messages are batched."
        )
    level: Level = "critical" if step > 100_000 else "warning"
    return Finding("timer", level, value, "Samples are rounded to this step.", "Measure longer messages only.")


def _tsc(facts: Facts) -> Finding:
    flags = facts.get("tsc_flags")
    if flags is None:
        means = "Cycles per byte are ticks of the timer of this architecture, not clock cycles of the core."
        return Finding("tsc", "info", UNKNOWN, means)
    missing = [name for name in ("constant_tsc", "nonstop_tsc") if name not in flags]
    if missing:
        means = (
            "Cycles per byte depend on the clock frequency, or the counter stops in sleep states; use seconds instead."
        )
        return Finding("tsc", "warning", f"not {', not '.join(missing)}", means)
    means = "Cycles per byte are ticks of constant rate (the base clock), not cycles of the core's varying clock."
    return Finding("tsc", "ok", "constant, nonstop", means)


def _power(facts: Facts) -> Finding:
    source = facts.get("power_source")
    if source is None:
        return Finding("power", "info", UNKNOWN, "No power supply is reported, as is usual for servers.")
    if source == "mains":
        return Finding("power", "ok", source, "The clock is not reduced to save a battery.")
    return Finding("power", "warning", source, "The clock is reduced to save the battery.", "Connect to the mains.")


def _steal(facts: Facts, earlier: Facts | None) -> Finding:
    stolen, total = (_since(facts, earlier, f"cpu_ticks_{key}") for key in ("steal", "total"))
    if stolen is None or total is None or total == 0:
        return Finding("steal", "info", UNKNOWN, "A host may give CPU time of this computer to others.")
    share = stolen / total
    value = f"{share:.2%} {_period(earlier)}"
    if share < 0.001:
        means = "The host reports no steal time." if facts.get("virtual_machine") else "There is no steal time."
        return Finding("steal", "ok", value, means)
    means = "The host ran other machines while this computer had work: the affected samples are too slow."
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
    means = "A limit on CPU time stopped all threads in these periods; the affected samples are far too slow."
    level: Level = "warning" if earlier is None else "critical"
    return Finding("cgroup-throttled", level, value, means, "Raise the container's CPU limit, or use fewer threads.")


def _thermal(facts: Facts, earlier: Facts | None) -> Finding:
    count = _since(facts, earlier, "thermal_throttle_count")
    hottest, critical = facts.get("cpu_temp_max"), facts.get("cpu_temp_critical")
    if count is None and hottest is None:
        return Finding("thermal", "info", UNKNOWN, "The clock may be reduced by heat without a report.")
    degrees = f"{hottest:.0f} C" if hottest is not None else "temperature unknown"
    value = degrees + (f", throttled {count} times {_period(earlier)}" if count is not None else "")
    if count and earlier is not None:
        means = "Heat reduced the clock during the run: later samples are slower than earlier ones."
        return Finding("thermal", "critical", value, means, "Improve cooling, turn turbo off, or pause between rounds.")
    if hottest is not None and critical is not None and hottest > critical - 10:
        means = "The CPU is within 10 C of the limit above which the clock is reduced."
        return Finding("thermal", "warning", value, means, "Let it cool down, and improve cooling.")
    if count:
        return Finding("thermal", "info", value, "Heat has reduced the clock since boot, which a long run may repeat.")
    return Finding("thermal", "ok", value, "The clock is not reduced by heat.")


def _since(facts: Facts, earlier: Facts | None, key: str) -> int | None:
    """Return the growth of a counter since `earlier`, or since boot; None if unknown or decreased by a reboot."""
    now = facts.get(key)
    before = 0 if earlier is None else earlier.get(key)
    return now - before if isinstance(now, int) and isinstance(before, int) and now >= before else None


def _period(earlier: Facts | None) -> str:
    return "since boot" if earlier is None else "during the run"


_CHECKS: tuple[Callable[[Facts], Finding], ...] = (
    *(_virtual_machine, _container, _quota, _affinity, _memory),
    *(_governor, _turbo, _smt, _core_types, _numa, _power),
    *(_huge_pages, _aslr, _caches, _features, _clocksource, _timer, _tsc),
)
_CHECKS_OF_A_RUN: tuple[Callable[[Facts, Facts | None], Finding], ...] = (_load, _steal, _throttled, _thermal)


def findings_table() -> DataFrame:
    """Return the known findings other than ``ok``: columns level, name, value, means and advice, the worst first.

    A notebook and a terminal show its texts in full, whatever the options of pandas.
    """
    from aeadlab.display.full_table import FullTable

    known = [f for f in findings(machine.facts()) if f.level != "ok" and f.value != UNKNOWN]
    rows = sorted(known, key=lambda f: -LEVELS.index(f.level))
    return FullTable([dataclasses.asdict(f) for f in rows], columns=["level", "name", "value", "means", "advice"])
