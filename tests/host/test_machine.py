from __future__ import annotations

import json
import os
import platform
import socket
from pathlib import Path
from typing import Any

import pytest

from aeadlab.host import machine

LAPTOP = {
    "proc/cpuinfo": "\n".join(
        f"processor\t: {number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\n"
        f"model name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\nstepping\t: 10\nmicrocode\t: 0xf4\n"
        f"cpu MHz\t\t: {800 + 1000 * number}.008\nflags\t\t: fpu tsc aes pclmulqdq avx2 constant_tsc nonstop_tsc\n"
        for number in range(2)
    ),
    "proc/stat": "cpu  100 1 50 800 5 2 2 40 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nbtime 1700000000",
    "proc/loadavg": "0.25 0.10 0.05 3/512 4242",
    "proc/uptime": "5000.25 9000.00",
    "proc/meminfo": "MemTotal: 16384 kB\nMemAvailable: 8192 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB",
    "proc/self/status": "Name:\tpython\nCpus_allowed_list:\t0-63",
    "proc/sys/kernel/osrelease": "6.1.0-test",
    "proc/sys/kernel/randomize_va_space": "2",
    "proc/sys/kernel/numa_balancing": "0",
    "sys/devices/system/cpu/online": "0-1",
    "sys/devices/system/cpu/vulnerabilities/meltdown": "Mitigation: PTI",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "0",
    "sys/devices/system/cpu/cpuidle/current_driver": "intel_idle",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "intel_pstate",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq": "400000",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "4000000",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_driver": "intel_pstate",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3",
    "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "4",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "sys/class/hwmon/hwmon0/name": "nvme",
    "sys/class/hwmon/hwmon0/temp1_input": "99000",
    "sys/class/hwmon/hwmon1/name": "coretemp",
    "sys/class/hwmon/hwmon1/temp1_label": "Package id 0",
    "sys/class/hwmon/hwmon1/temp1_input": "61000",
    "sys/class/hwmon/hwmon1/temp1_crit": "100000",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    "sys/kernel/mm/transparent_hugepage/defrag": "always defer [madvise] never",
    "sys/kernel/mm/transparent_hugepage/khugepaged/defrag": "1",
    "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled": "always inherit madvise [never]",
    "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "512",
    "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "500",
}

ARM_SERVER = {
    "proc/cpuinfo": "processor\t: 0\nBogoMIPS\t: 2100.00\nFeatures\t: fp asimd aes pmull sha1 sha2 sve\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1",
}

PROCESS_KEYS = {
    *("python_version", "python_implementation", "python_compiler", "platform", "architecture", "libc", "page_size"),
    *("timer", "timer_granularity_ns"),
}


def read(root: Path, content: dict[str, str]) -> dict[str, Any]:
    for name, text in content.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return machine.facts(root)


def test_facts_are_json_without_the_host_name() -> None:
    found = machine.facts()
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert "hostname" not in found
    host = socket.gethostname()
    assert f'"{host}"' not in text
    assert str(Path.home()) + "/" not in text


@pytest.mark.skipif(platform.system() != "Linux", reason="reads Linux's own files")
def test_facts_agree_with_the_kernel_interfaces() -> None:
    found = machine.facts()
    assert found["cpu_affinity_count"] == len(os.sched_getaffinity(0))
    assert found["cpu_count"] == os.cpu_count()
    assert found["kernel"] == platform.release()


def test_missing_files_give_unknown_facts(tmp_path: Path) -> None:
    found = machine.facts(tmp_path)
    known = {key for key, value in found.items() if value is not None}
    assert known <= PROCESS_KEYS


def test_facts_always_have_the_same_keys(tmp_path: Path) -> None:
    assert set(machine.facts(tmp_path)) == set(machine.facts())


def test_cpu_of_x86(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert found["cpu_model_name"] == "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"
    keys = ("cpu_vendor", "cpu_family", "cpu_model", "cpu_stepping", "cpu_microcode")
    assert tuple(found[key] for key in keys) == ("GenuineIntel", "6", "142", "10", "0xf4")
    features = found["cpu_features"]
    assert features["aes"] and features["avx2"] and not features["vaes"]
    assert {"vpclmulqdq", "sha_ni", "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni", "rdpid"} <= set(features)
    assert found["tsc_flags"] == ["tsc", "constant_tsc", "nonstop_tsc"]


def test_arm_cpus_have_numbers_instead_of_a_name(tmp_path: Path) -> None:
    found = read(tmp_path, ARM_SERVER)
    assert found["cpu_model_name"] == "Arm implementer 0x41 part 0xd40"
    assert found["cpu_stepping"] == "variant 0x1 revision 1"
    features = found["cpu_features"]
    assert features["aes"] and features["pmull"] and features["sve"] and not features["sha3"]
    assert "vaes" not in features
    assert found["tsc_flags"] is None
    assert found["virtual_machine"] is None, "Arm has no CPU flag of virtual machines"


def test_affinity_excludes_absent_cpus(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert (found["cpu_affinity"], found["cpu_affinity_count"]) == ("0-1", 2)


def test_frequency_and_its_control(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert found["cpu_governor"] == "powersave"
    assert found["cpu_turbo"] is True
    assert found["cpu_config"] == "0-1=driver:intel_pstate, intel_pstate:turbo, governor:powersave; idle:intel_idle"
    assert found["cpu_freq"] == "0=800 MHz; 1=1800 MHz"
    assert (found["cpu_freq_min"], found["cpu_freq_max"]) == (400_000_000, 4_000_000_000)


def test_lists_all_governors(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP | {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance"})
    assert found["cpu_governor"] == "performance, powersave"


def test_ignores_frequency_of_cpus_outside_the_affinity(tmp_path: Path) -> None:
    changed = {
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
        "proc/self/status": "Cpus_allowed_list:\t1",
    }
    found = read(tmp_path, LAPTOP | changed)
    assert (found["cpu_governor"], found["cpu_freq"]) == ("performance", "1=1800 MHz")


@pytest.mark.parametrize(("boost", "turbo"), [("1", True), ("0", False)])
def test_amd_boost_is_turbo(tmp_path: Path, boost: str, turbo: bool) -> None:
    content = {"sys/devices/system/cpu/online": "0", "sys/devices/system/cpu/cpufreq/boost": boost}
    assert read(tmp_path, content)["cpu_turbo"] is turbo


def test_reads_cpu_sensors_only(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert found["cpu_temp"] == "coretemp:Package id 0=61 C"
    assert (found["cpu_temp_max"], found["cpu_temp_critical"]) == (61.0, 100.0)
    assert found["thermal_throttle_count"] == 7


def test_kernel_facts(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert found["aslr"] == "Full randomization"
    assert found["boot_time"] == "2023-11-14T22:13:20+00:00"
    assert (found["load_avg_1min"], found["runnable_threads"], found["uptime"]) == (0.25, 3, 5000.25)
    assert found["mitigations"] == {"meltdown": "Mitigation: PTI"}
    assert found["cpu_ticks_steal"] == 40
    assert found["cpu_ticks_total"] == 1000, "guest time is inside user time already"


def test_memory_and_pages(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP)
    assert (found["mem_total"], found["mem_available"]) == (16 * 2**20, 8 * 2**20)
    assert found["swap_total"] == 0, "no swap is a fact, not unknown"
    assert (found["thp_enabled"], found["thp_defrag"]) == ("always", "madvise")
    assert found["thp_sizes"] == {"64kB": "never"}
    assert found["thp_khugepaged"]["defrag"] == 1
    assert found["hugetlb"] == [{"page_size": 2**21, "total": 512, "free": 500}]


@pytest.mark.parametrize(
    ("supplies", "source"),
    [
        ({"BAT0/type": "Battery", "BAT0/status": "Discharging", "AC/type": "Mains", "AC/online": "0"}, "battery"),
        ({"BAT0/type": "Battery", "BAT0/status": "Charging", "AC/type": "Mains", "AC/online": "1"}, "mains"),
        ({"BAT0/type": "Battery", "BAT0/status": "Full"}, "mains"),
        ({"mouse/type": "Battery", "mouse/scope": "Device", "mouse/status": "Discharging"}, None),
        ({"BAT0/type": "Battery"}, None),
        ({}, None),
    ],
)
def test_power_source(tmp_path: Path, supplies: dict[str, str], source: str | None) -> None:
    content = {f"sys/class/power_supply/{name}": text for name, text in supplies.items()}
    assert read(tmp_path, content)["power_source"] == source


def test_x86_bare_metal_is_not_virtual(tmp_path: Path) -> None:
    found = read(tmp_path, LAPTOP | {"sys/class/dmi/id/sys_vendor": "QEMU"})
    assert (found["virtual_machine"], found["hypervisor"]) == (False, None)


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        ({"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc kvm-clock"}, "kvm"),
        ({"sys/hypervisor/type": "xen"}, "xen"),
        ({"proc/sys/kernel/osrelease": "5.15.0-microsoft-standard-WSL2"}, "hyper-v"),
        ({"sys/class/dmi/id/sys_vendor": "VMware, Inc."}, "vmware"),
        ({}, None),
    ],
)
def test_hypervisor_detection(tmp_path: Path, evidence: dict[str, str], kind: str | None) -> None:
    found = read(tmp_path, {"proc/cpuinfo": "flags : fpu tsc hypervisor"} | evidence)
    assert (found["virtual_machine"], found["hypervisor"]) == (True, kind)


@pytest.mark.parametrize(("product", "virtual"), [("c7g.large", True), ("c7g.metal", None)])
def test_arm_bare_metal_in_the_cloud_is_not_virtual(tmp_path: Path, product: str, virtual: bool | None) -> None:
    vendor = {"sys/class/dmi/id/sys_vendor": "Amazon EC2", "sys/class/dmi/id/product_name": product}
    assert read(tmp_path, ARM_SERVER | vendor)["virtual_machine"] is virtual


@pytest.mark.parametrize(
    ("evidence", "container"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": ""}, "podman"),
        ({"run/systemd/container": "lxc"}, "lxc"),
        ({"proc/self/cgroup": "0::/kubepods.slice/pod1"}, "kubernetes"),
        ({}, "none seen"),
    ],
)
def test_container_detection(tmp_path: Path, evidence: dict[str, str], container: str) -> None:
    assert read(tmp_path, {"proc/self/status": "Name: python"} | evidence)["container"] == container


@pytest.mark.parametrize("name", sorted(LAPTOP))
def test_accepts_malformed_files(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, LAPTOP | {name: "\0 ?? 12x :\n::"})
    assert json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("name", sorted(LAPTOP))
def test_accepts_unreadable_files(tmp_path: Path, name: str) -> None:
    # Reading a folder fails for root as well, who can read files without permission.
    (tmp_path / name).mkdir(parents=True)
    read(tmp_path, {other: text for other, text in LAPTOP.items() if other != name})


def test_timer_granularity_is_small_and_positive() -> None:
    assert 0 < machine.timer_granularity_ns(steps=20) < 20_000_000


def test_reads_macos_facts_from_sysctl() -> None:
    answers = {
        "machdep.cpu.brand_string": "Apple M2",
        "hw.logicalcpu": "8",
        "hw.optional.arm.FEAT_AES": "1",
        "hw.optional.arm.FEAT_SHA3": "0",
        "kern.hv_vmm_present": "0",
        "hw.memsize": "17179869184",
    }
    found = machine._darwin(answers.get)
    assert (found["cpu_model_name"], found["cpu_count"], found["mem_total"]) == ("Apple M2", 8, 16 * 2**30)
    assert found["cpu_features"] == {"aes": True, "sha3": False}
    assert found["virtual_machine"] is False
    assert found["cpu_cores"] is None
    assert set(found) <= set(machine.facts())


def test_missing_sysctl_gives_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine._sysctl("hw.memsize") is None
