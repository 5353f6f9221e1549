"""Facts about this computer that affect measurements, for the provenance and for `aeadlab.host.doctor`."""

from __future__ import annotations

import mmap
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aeadlab.host.cgroups import limits
from aeadlab.host.system_files import (
    SystemFiles,
    format_cpu_list,
    format_per_cpu,
    parse_cpu_list,
    parse_size,
    selected_word,
)
from aeadlab.host.topology import CPU_FOLDER, topology

X86_FEATURES = (
    *("aes", "pclmulqdq", "vaes", "vpclmulqdq", "gfni", "sha_ni", "ssse3", "avx", "avx2"),
    *("avx512f", "avx512bw", "avx512vl", "avx512vbmi", "bmi2", "adx", "rdpid", "rdrand", "rdseed"),
)
ARM_FEATURES = ("asimd", "aes", "pmull", "sha1", "sha2", "sha512", "sha3", "sve", "sve2", "sveaes", "svepmull")

_DARWIN_FEATURES = {
    **{"aes": "FEAT_AES", "pmull": "FEAT_PMULL", "sha1": "FEAT_SHA1", "sha2": "FEAT_SHA256"},
    **{"sha512": "FEAT_SHA512", "sha3": "FEAT_SHA3"},
}
_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_ASLR: dict[int | None, str] = {0: "No randomization", 1: "Conservative randomization", 2: "Full randomization"}


def facts(root: Path = Path("/")) -> dict[str, Any]:
    """Read the facts about this computer without changing its state.

    Keys are those of pyperf where it has one (``pyperf/_collect_metadata.py``). The host's name, the user, paths and
    kernel arguments are excluded, because records are published. The counters (``cpu_ticks_*``, ``cgroup_throttled_*``,
    ``thermal_throttle_count``) start at boot, so that a run is described by a call before it and one after it.

    Parameters
    ----------
    root
        Folder that holds ``proc`` and ``sys``. Facts about the Python process do not depend on it.

    Returns
    -------
    dict
        JSON-serialisable; values that cannot be read are None. Sizes are in bytes. In addition to the keys of
        `aeadlab.host.topology.topology` and `aeadlab.host.cgroups.limits`:

        process : python_version, python_implementation, python_compiler, platform, architecture, libc, page_size,
            timer, timer_granularity_ns (see `timer_granularity_ns`)
        kernel : kernel, aslr, mitigations {name: state}, boot_time (UTC), uptime (s), load_avg_1min,
            runnable_threads, cpu_ticks_total and cpu_ticks_steal (of all CPUs)
        CPU : cpu_model_name, cpu_vendor, cpu_family, cpu_model, cpu_stepping, cpu_microcode,
            cpu_features {name: present}, cpu_affinity and cpu_affinity_count (online CPUs this process may use)
        clock : clocksource, tsc_flags (list), cpu_freq, cpu_freq_min and cpu_freq_max (Hz), cpu_driver,
            cpu_governor, cpu_energy_preference, cpu_turbo, cpu_config, cpu_idle_driver, cpu_temp, cpu_temp_max and
            cpu_temp_critical (degrees Celsius), thermal_throttle_count, power_source (mains or battery)
        memory : mem_total, mem_available, swap_total, swap_free, thp_enabled, thp_defrag, thp_sizes, thp_khugepaged,
            hugetlb, numa_balancing
        host : virtual_machine, hypervisor, container
    """
    files = SystemFiles(root)
    cpuinfo = files.table("/proc/cpuinfo")
    flags = _flags(cpuinfo)
    collected = {
        **_process(),
        **_kernel(files),
        **_cpu(cpuinfo, flags),
        **topology(files),
        **_clock(files, flags),
        **_memory(files),
        **limits(files),
        **_host(files, cpuinfo, flags),
    }
    collected.update(_affinity(files, collected["cpu_online"]))
    collected.update(_frequency(files, parse_cpu_list(collected["cpu_affinity"] or collected["cpu_online"]) or set()))
    if files.live and sys.platform == "darwin":
        collected.update({key: value for key, value in _darwin(_sysctl).items() if collected[key] is None})
    return collected


def timer_granularity_ns(steps: int = 200) -> int:
    """Return the smallest observed step of `time.perf_counter_ns` in ns, which includes the cost of one call.

    Parameters
    ----------
    steps
        Number of steps to observe; 200 take about 10 microseconds on a current computer.
    """
    smallest, seen, previous = sys.maxsize, 0, time.perf_counter_ns()
    while seen < steps:
        now = time.perf_counter_ns()
        if now != previous:
            smallest, seen = min(smallest, abs(now - previous)), seen + 1
        previous = now
    return smallest


def _process() -> dict[str, Any]:
    clock = time.get_clock_info("perf_counter")
    return {
        "python_version": platform.python_version(),
        "python_implementation": platform.python_implementation().lower(),
        "python_compiler": platform.python_compiler() or None,
        "platform": platform.platform(aliased=True),
        "architecture": platform.machine() or None,
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "page_size": mmap.PAGESIZE,
        "timer": f"{clock.implementation}, resolution: {clock.resolution * 1e9:g} ns",
        "timer_granularity_ns": timer_granularity_ns(),
    }


def _kernel(files: SystemFiles) -> dict[str, Any]:
    stat = files.lines("/proc/stat")
    # proc_stat(5): user nice system idle iowait irq softirq steal; user and nice include guest time.
    ticks = [int(word) for word in (stat or [""])[0].split()[1:9] if word.isdecimal()]
    boot = next((line.split()[1] for line in stat if re.fullmatch(r"btime [0-9]+", line)), None)
    load = re.match(r"([0-9.]+) \S+ \S+ ([0-9]+)/", files.text("/proc/loadavg") or "")
    uptime = re.match(r"[0-9.]+", files.text("/proc/uptime") or "")
    states = {name.rpartition("/")[2]: files.text(name) for name in files.names(f"{CPU_FOLDER}/vulnerabilities")}
    return {
        "kernel": files.text("/proc/sys/kernel/osrelease"),
        "aslr": _ASLR.get(files.integer("/proc/sys/kernel/randomize_va_space")),
        "mitigations": states or None,
        "boot_time": datetime.fromtimestamp(int(boot), UTC).isoformat() if boot else None,
        "uptime": float(uptime.group()) if uptime else None,
        "load_avg_1min": float(load.group(1)) if load else None,
        "runnable_threads": int(load.group(2)) if load else None,
        "cpu_ticks_total": sum(ticks) if len(ticks) == 8 else None,
        "cpu_ticks_steal": ticks[7] if len(ticks) == 8 else None,
    }


def _flags(cpuinfo: dict[str, str]) -> set[str] | None:
    text = cpuinfo.get("flags", cpuinfo.get("Features"))
    return set(text.split()) if text else None


def _cpu(cpuinfo: dict[str, str], flags: set[str] | None) -> dict[str, Any]:
    considered = X86_FEATURES if "flags" in cpuinfo else ARM_FEATURES
    cpu = {
        "cpu_model_name": cpuinfo.get("model name"),
        "cpu_vendor": cpuinfo.get("vendor_id"),
        "cpu_family": cpuinfo.get("cpu family"),
        "cpu_model": cpuinfo.get("model"),
        "cpu_stepping": cpuinfo.get("stepping"),
        "cpu_microcode": cpuinfo.get("microcode"),
        "cpu_features": {name: name in flags for name in considered} if flags is not None else None,
    }
    if "CPU part" in cpuinfo:
        # Arm has no model name; the numbers are those of its Main ID Register.
        implementer, part = cpuinfo.get("CPU implementer"), cpuinfo["CPU part"]
        cpu["cpu_model_name"] = cpu["cpu_model_name"] or f"Arm implementer {implementer} part {part}"
        cpu |= {"cpu_vendor": implementer, "cpu_family": cpuinfo.get("CPU architecture"), "cpu_model": part}
        cpu["cpu_stepping"] = f"variant {cpuinfo.get('CPU variant')} revision {cpuinfo.get('CPU revision')}"
    return cpu


def _affinity(files: SystemFiles, online: str | None) -> dict[str, Any]:
    allowed = parse_cpu_list(files.table("/proc/self/status").get("Cpus_allowed_list"))
    if allowed is None:
        return {"cpu_affinity": None, "cpu_affinity_count": None}
    # The mask also contains CPUs that can be added later.
    usable = allowed & (parse_cpu_list(online) or allowed)
    return {"cpu_affinity": format_cpu_list(usable), "cpu_affinity_count": len(usable)}


def _clock(files: SystemFiles, flags: set[str] | None) -> dict[str, Any]:
    tsc = ("tsc", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_reliable", "rdtscp")
    is_x86 = flags is not None and "fpu" in flags
    return {
        "clocksource": files.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "tsc_flags": [name for name in tsc if name in flags] if flags is not None and is_x86 else None,
    }


def _frequency(files: SystemFiles, cpus: set[int]) -> dict[str, Any]:
    """Return frequency, frequency control, temperature and power of the CPUs that this process may use."""

    def per_cpu(name: str) -> dict[int, str]:
        texts = {cpu: files.text(f"{CPU_FOLDER}/cpu{cpu}/cpufreq/{name}") for cpu in sorted(cpus)}
        return {cpu: text for cpu, text in texts.items() if text is not None}

    def distinct(name: str) -> str | None:
        return ", ".join(sorted(set(per_cpu(name).values()))) or None

    def hertz(name: str, extreme: Callable[[list[int]], int]) -> int | None:
        kilohertz = [int(text) for text in per_cpu(name).values() if text.isdecimal()]
        return extreme(kilohertz) * 1000 if kilohertz else None

    drivers, governors = per_cpu("scaling_driver"), per_cpu("scaling_governor")
    turbo = _turbo(files, distinct("boost"))
    isolated = parse_cpu_list(files.text(f"{CPU_FOLDER}/isolated")) or set()
    tickless = parse_cpu_list(files.text(f"{CPU_FOLDER}/nohz_full")) or set()
    config = {}
    for cpu in sorted(cpus):
        words = [f"driver:{drivers[cpu]}"] if cpu in drivers else []
        if drivers.get(cpu) == "intel_pstate" and turbo is not None:
            words.append("intel_pstate:turbo" if turbo else "intel_pstate:no turbo")
        words += [f"governor:{governors[cpu]}"] if cpu in governors else []
        words += ["nohz_full"] * (cpu in tickless) + ["isolated"] * (cpu in isolated)
        if words:
            config[cpu] = ", ".join(words)
    idle = files.text(f"{CPU_FOLDER}/cpuidle/current_driver")
    texts = [text for text in (format_per_cpu(config), f"idle:{idle}" if idle else None) if text]
    return {
        "cpu_config": "; ".join(texts) or None,
        "cpu_idle_driver": idle,
        "cpu_driver": distinct("scaling_driver"),
        "cpu_governor": distinct("scaling_governor"),
        "cpu_energy_preference": distinct("energy_performance_preference"),
        "cpu_turbo": turbo,
        "cpu_freq": format_per_cpu(_megahertz(files, cpus)),
        "cpu_freq_min": hertz("scaling_min_freq", min),
        "cpu_freq_max": hertz("scaling_max_freq", max),
        **_temperature(files),
        "power_source": _power_source(files),
    }


def _turbo(files: SystemFiles, boost_per_policy: str | None) -> bool | None:
    no_turbo = files.integer(f"{CPU_FOLDER}/intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == 0
    boost = files.text(f"{CPU_FOLDER}/cpufreq/boost") or boost_per_policy
    return "1" in boost if boost else None


def _megahertz(files: SystemFiles, cpus: set[int]) -> dict[int, str]:
    frequencies: dict[int, str] = {}
    cpu = -1
    for line in files.lines("/proc/cpuinfo"):
        key, value = (part.strip() for part in (line + ":").split(":")[:2])
        if key == "processor" and value.isdecimal():
            cpu = int(value)
        elif key == "cpu MHz" and cpu in cpus and re.fullmatch(r"[0-9.]+", value):
            frequencies[cpu] = f"{round(float(value))} MHz"
    return frequencies


def _temperature(files: SystemFiles) -> dict[str, Any]:
    readings: dict[str, float] = {}
    critical: list[float] = []
    for sensor in files.names("/sys/class/hwmon"):
        name = files.text(f"{sensor}/name")
        if name not in _CPU_SENSORS:
            continue
        for reading in files.names(sensor, "temp[0-9]*_input"):
            stem = reading.removesuffix("_input")
            label = files.text(f"{stem}_label") or stem.rpartition("/")[2]
            value, limit = files.integer(reading), files.integer(f"{stem}_crit")
            if value is not None:
                readings[f"{name}:{label}"] = value / 1000
            if limit is not None and limit > 0:
                critical.append(limit / 1000)
    counters = files.names(CPU_FOLDER, "cpu[0-9]*/thermal_throttle/*_throttle_count")
    counts = [count for name in counters if (count := files.integer(name)) is not None]
    return {
        "cpu_temp": ", ".join(f"{label}={value:.0f} C" for label, value in readings.items()) or None,
        "cpu_temp_max": max(readings.values(), default=None),
        "cpu_temp_critical": min(critical, default=None),
        "thermal_throttle_count": sum(counts) if counts else None,
    }


def _power_source(files: SystemFiles) -> str | None:
    batteries, mains = [], []
    for supply in files.names("/sys/class/power_supply"):
        # A wireless mouse is a battery too, with scope Device.
        if files.text(f"{supply}/type") == "Battery" and files.text(f"{supply}/scope") != "Device":
            batteries.append(files.text(f"{supply}/status"))
        elif files.text(f"{supply}/type") in ("Mains", "USB"):
            mains.append(files.integer(f"{supply}/online"))
    if 1 in mains:
        return "mains"
    if "Discharging" in batteries or (batteries and 0 in mains):
        return "battery"
    return "mains" if {"Charging", "Full", "Not charging"} & set(batteries) else None


def _memory(files: SystemFiles) -> dict[str, Any]:
    table, huge = files.table("/proc/meminfo"), "/sys/kernel/mm/transparent_hugepage"
    # Unlike other sizes, a swap of "0 kB" is a valid value.
    swap = {key: 0 if table.get(key) == "0 kB" else parse_size(table.get(key)) for key in ("SwapTotal", "SwapFree")}
    scan = ("defrag", "pages_to_scan", "scan_sleep_millisecs", "max_ptes_none")
    scanner = {name: files.integer(f"{huge}/khugepaged/{name}") for name in scan}
    pools = []
    for name in files.names("/sys/kernel/mm/hugepages", "hugepages-*"):
        total, free = files.integer(f"{name}/nr_hugepages"), files.integer(f"{name}/free_hugepages")
        pools.append({"page_size": parse_size(name.rpartition("-")[2]), "total": total, "free": free})
    return {
        "mem_total": parse_size(table.get("MemTotal")),
        "mem_available": parse_size(table.get("MemAvailable")),
        "swap_total": swap["SwapTotal"],
        "swap_free": swap["SwapFree"],
        "thp_enabled": selected_word(files.text(f"{huge}/enabled")),
        "thp_defrag": selected_word(files.text(f"{huge}/defrag")),
        "thp_sizes": {
            name.rpartition("/hugepages-")[2]: selected_word(files.text(f"{name}/enabled"))
            for name in files.names(huge, "hugepages-*")
        }
        or None,
        "thp_khugepaged": scanner if any(value is not None for value in scanner.values()) else None,
        "hugetlb": pools or None,
        "numa_balancing": files.integer("/proc/sys/kernel/numa_balancing"),
    }


def _host(files: SystemFiles, cpuinfo: dict[str, str], flags: set[str] | None) -> dict[str, Any]:
    kind = _hypervisor(files)
    virtual: bool | None = True if kind else None
    if flags is not None and "flags" in cpuinfo:
        # Only x86 has a flag; bare-metal machines of cloud providers have the DMI vendor of their virtual machines.
        virtual = "hypervisor" in flags
    return {"virtual_machine": virtual, "hypervisor": kind if virtual else None, "container": _container(files)}


def _hypervisor(files: SystemFiles) -> str | None:
    clocks = files.text("/sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    vendor = files.text("/sys/class/dmi/id/sys_vendor") or ""
    product = files.text("/sys/class/dmi/id/product_name") or ""
    evidence = (
        (files.text("/sys/hypervisor/type") or "", "xen", "xen"),
        (files.text("/proc/device-tree/hypervisor/compatible") or "", "kvm", "kvm"),
        (files.text("/proc/sys/kernel/osrelease") or "", "microsoft", "hyper-v"),
        (clocks, "kvm-clock", "kvm"),
        (clocks, "hyperv", "hyper-v"),
        (vendor if product == "Virtual Machine" else "", "Microsoft", "hyper-v"),
        (vendor if "metal" not in product else "", "Amazon EC2", "kvm"),
        (vendor, "VMware", "vmware"),
        (vendor, "innotek", "virtualbox"),
        (vendor, "QEMU", "qemu"),
        (product, "KVM", "kvm"),
    )
    return next((kind for text, mark, kind in evidence if mark.lower() in text.lower()), None)


def _container(files: SystemFiles) -> str | None:
    if not files.exists("/proc/self"):
        return None
    group = files.text("/proc/self/cgroup") or ""
    evidence = (
        (files.exists("/.dockerenv"), "docker"),
        (files.exists("/run/.containerenv"), "podman"),
        ("kubepods" in group, "kubernetes"),
        ("docker" in group, "docker"),
        ("libpod" in group, "podman"),
        ("lxc" in group, "lxc"),
    )
    name = files.text("/run/systemd/container")
    return name or next((kind for applies, kind in evidence if applies), "none seen")


def _sysctl(name: str) -> str | None:
    try:
        completed = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return completed.stdout.strip() or None


def _darwin(read: Callable[[str], str | None]) -> dict[str, Any]:
    """Return the facts of macOS under the same keys; `read` returns the sysctl text of a name, or None."""

    def integer(name: str) -> int | None:
        text = read(name)
        return int(text) if text is not None and text.isdecimal() else None

    features = {name: integer(f"hw.optional.arm.{feature}") for name, feature in _DARWIN_FEATURES.items()}
    virtual = integer("kern.hv_vmm_present")
    return {
        "kernel": read("kern.osrelease"),
        "cpu_model_name": read("machdep.cpu.brand_string"),
        "cpu_count": integer("hw.logicalcpu"),
        "cpu_cores": integer("hw.physicalcpu"),
        "cpu_sockets": integer("hw.packages"),
        "cpu_features": {name: bool(value) for name, value in features.items() if value is not None} or None,
        "mem_total": integer("hw.memsize"),
        "load_avg_1min": os.getloadavg()[0],
        "virtual_machine": bool(virtual) if virtual is not None else None,
    }
