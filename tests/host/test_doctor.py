from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aeadlab.host import doctor, machine

GIB = 2**30

GOOD: dict[str, Any] = {
    "virtual_machine": False,
    "hypervisor": None,
    "container": "none seen",
    "cgroup_cpu_quota": "none",
    "cgroup_memory_available": "none",
    "cgroup_throttled_periods": 0,
    "cgroup_throttled_usec": 0,
    "cpu_count": 4,
    "cpu_cores": 4,
    "cpu_affinity_count": 4,
    "cpu_threads_per_core": 1,
    "cpu_smt_active": False,
    "cpu_core_types": {},
    "cpu_governor": "performance",
    "cpu_driver": "amd-pstate",
    "cpu_turbo": False,
    "cpu_features": {"aes": True, "pclmulqdq": True, "vaes": True},
    "cpu_ticks_steal": 0,
    "cpu_ticks_total": 100_000,
    "cpu_temp_max": 50.0,
    "cpu_temp_critical": 100.0,
    "thermal_throttle_count": 0,
    "power_source": "mains",
    "load_avg_1min": 0.1,
    "mem_available": 16 * GIB,
    "thp_enabled": "madvise",
    "thp_defrag": "madvise",
    "numa_nodes": {"0": "0-3"},
    "numa_balancing": 0,
    "aslr": "Full randomization",
    "caches": [{"level": 3, "type": "unified", "size": 32 * 2**20}],
    "cache_l3_sysconf": 32 * 2**20,
    "clocksource": "tsc",
    "tsc_flags": ["tsc", "constant_tsc", "nonstop_tsc"],
    "timer_granularity_ns": 30,
}


def find(name: str, earlier: dict[str, Any] | None = None, **changed: Any) -> doctor.Finding:
    found = {finding.name: finding for finding in doctor.findings(GOOD | changed, earlier)}
    return found[name]


def test_an_ideal_computer_has_no_findings() -> None:
    assert {finding.level for finding in doctor.findings(GOOD)} == {"ok"}
    assert doctor.quality_flags(doctor.findings(GOOD)) == []


def test_unknown_facts_give_no_quality_flags(tmp_path: Path) -> None:
    for facts in ({}, machine.facts(tmp_path)):
        found = doctor.findings(facts)
        about_the_computer = [finding for finding in found if finding.name != "timer" or not facts]
        assert {finding.value for finding in about_the_computer} == {doctor.UNKNOWN}
        assert {finding.level for finding in about_the_computer} == {"info"}
        assert not set(doctor.quality_flags(found)) - {"timer", "!timer"}


@pytest.mark.parametrize("key", sorted(GOOD))
def test_accepts_any_single_unknown_fact(key: str) -> None:
    found = doctor.findings(GOOD | {key: None})
    assert {finding.level for finding in found} <= {"ok", "info"}


@pytest.mark.parametrize(
    ("name", "level", "changed"),
    [
        ("virtual-machine", "warning", {"virtual_machine": True, "hypervisor": "kvm"}),
        ("container", "info", {"container": "docker"}),
        ("cgroup-quota", "critical", {"cgroup_cpu_quota": 1.5}),
        ("cgroup-quota", "ok", {"cgroup_cpu_quota": 4.0}),
        ("cgroup-quota", "critical", {"cgroup_cpu_quota": 3.9}),
        ("cgroup-quota", "ok", {"cgroup_cpu_quota": 2.0, "cpu_affinity_count": 2}),
        ("affinity", "warning", {"cpu_affinity_count": 2}),
        ("memory", "critical", {"mem_available": 3 * GIB - 1}),
        ("memory", "ok", {"mem_available": 3 * GIB}),
        ("memory", "critical", {"cgroup_memory_available": 2 * GIB}),
        ("governor", "warning", {"cpu_governor": "powersave"}),
        ("governor", "warning", {"cpu_governor": "performance, powersave"}),
        ("turbo", "warning", {"cpu_turbo": True}),
        ("smt", "warning", {"cpu_smt_active": True, "cpu_threads_per_core": 2}),
        ("smt", "info", {"virtual_machine": True}),
        ("core-types", "warning", {"cpu_core_types": {"cpu_core": "0-1", "cpu_atom": "2-3"}}),
        ("numa", "warning", {"numa_nodes": {"0": "0-1", "1": "2-3"}}),
        ("power", "warning", {"power_source": "battery"}),
        ("huge-pages", "info", {"thp_enabled": "always"}),
        ("aslr", "warning", {"aslr": "No randomization"}),
        ("caches", "info", {"cache_l3_sysconf": 384 * 2**20}),
        ("cpu-features", "warning", {"cpu_features": {"aes": False, "pclmulqdq": True, "vaes": False}}),
        ("cpu-features", "info", {"cpu_features": {"aes": True, "pclmulqdq": True, "vaes": False}}),
        ("cpu-features", "ok", {"cpu_features": {"aes": True, "pmull": True}}),
        ("cpu-features", "warning", {"cpu_features": {"aes": True, "pmull": False}}),
        ("clocksource", "ok", {"clocksource": "arch_sys_counter"}),
        ("clocksource", "info", {"clocksource": "kvm-clock"}),
        ("clocksource", "warning", {"clocksource": "hpet"}),
        ("timer", "warning", {"timer_granularity_ns": 15_000}),
        ("timer", "critical", {"timer_granularity_ns": 15_600_000}),
        ("tsc", "warning", {"tsc_flags": ["tsc", "constant_tsc"]}),
        ("load", "ok", {"load_avg_1min": 0.49}),
        ("load", "warning", {"load_avg_1min": 1.0}),
        ("load", "critical", {"load_avg_1min": 4.0}),
        ("steal", "info", {"cpu_ticks_steal": 200}),
        ("steal", "warning", {"cpu_ticks_steal": 1_000}),
        ("steal", "critical", {"cpu_ticks_steal": 10_000}),
        ("cgroup-throttled", "warning", {"cgroup_throttled_periods": 3, "cgroup_throttled_usec": 90_000}),
        ("thermal", "warning", {"cpu_temp_max": 95.0}),
        ("thermal", "info", {"thermal_throttle_count": 5}),
    ],
)
def test_detects_each_condition(name: str, level: str, changed: dict[str, Any]) -> None:
    finding = find(name, **changed)
    assert finding.level == level
    assert finding.means
    if level in ("warning", "critical") and name not in ("tsc",):
        assert finding.advice


def test_quality_flags_are_names_of_warnings() -> None:
    found = doctor.findings(GOOD | {"cpu_governor": "powersave", "cgroup_cpu_quota": 0.5, "container": "docker"})
    assert doctor.quality_flags(found) == ["!cgroup-quota", "governor"]


def test_finding_names_are_unique_and_ordered() -> None:
    names = [finding.name for finding in doctor.findings(GOOD)]
    assert len(set(names)) == len(names)
    assert names == [finding.name for finding in doctor.findings({})]


def test_counters_before_the_run_are_ignored() -> None:
    before = GOOD | {"cpu_ticks_steal": 50_000, "cgroup_throttled_periods": 9, "thermal_throttle_count": 9}
    after = before | {"cpu_ticks_total": 200_000}
    assert doctor.quality_flags(doctor.findings(after, before)) == []
    assert "!steal" in doctor.quality_flags(doctor.findings(after))


def test_counters_during_the_run_raise_the_level() -> None:
    after = GOOD | {
        "cpu_ticks_total": 110_000,
        "cpu_ticks_steal": 100,
        "cgroup_throttled_periods": 1,
        "thermal_throttle_count": 1,
    }
    found = doctor.findings(after, GOOD)
    assert doctor.quality_flags(found) == ["!cgroup-throttled", "!thermal", "steal"]
    assert "1.00% during the run" in {finding.value for finding in found}


def test_load_is_taken_from_before_the_run() -> None:
    assert find("load", earlier=GOOD, load_avg_1min=4.0).level == "ok"
    assert find("load", earlier=GOOD | {"load_avg_1min": 4.0}).level == "critical"


def test_decreasing_counters_are_unknown() -> None:
    before = GOOD | {"cpu_ticks_total": 10**9, "thermal_throttle_count": 5, "cgroup_throttled_periods": 5}
    assert find("steal", earlier=before).value == doctor.UNKNOWN
    assert find("cgroup-throttled", earlier=before).value == doctor.UNKNOWN
    assert "throttled" not in find("thermal", earlier=before).value


def test_names_both_differing_cache_sizes() -> None:
    finding = find("caches", cache_l3_sysconf=384 * 2**20)
    assert "32 MiB" in finding.value and "384 MiB" in finding.means


def test_turbo_advice_depends_on_the_driver() -> None:
    assert "echo 1 | sudo tee" in find("turbo", cpu_turbo=True, cpu_driver="intel_pstate").advice
    assert "echo 0 | sudo tee" in find("turbo", cpu_turbo=True, cpu_driver="acpi-cpufreq").advice


def test_table_of_findings_is_shown_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = GOOD | {"cpu_governor": "powersave", "virtual_machine": True, "hypervisor": "kvm"}
    monkeypatch.setattr(machine, "facts", lambda: facts)
    table = doctor.findings_table()
    shown = [finding for finding in doctor.findings(facts) if finding.level != "ok"]
    assert len(table) == len(shown) > 1 and max(table["means"].map(len)) > 50
    page, text = html.unescape(table._repr_html_()), " ".join(repr(table).split())
    for finding in shown:
        for part in (finding.value, finding.means, finding.advice):
            assert part in page and part in text
    assert max(map(len, repr(table).splitlines())) <= 80
    assert type(table[["level"]]) is pd.DataFrame
    monkeypatch.setattr(machine, "facts", lambda: GOOD)
    assert "Empty" in repr(doctor.findings_table())
