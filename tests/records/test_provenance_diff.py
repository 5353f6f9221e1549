"""Differences between two provenances, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aeadlab.records.provenance_diff import (
    critical_conditions,
    machine_differences,
    notes,
    same_code,
    shared_baselines,
    verified,
    warnings,
)
from aeadlab.records.record import Record

PROFILE = {"name": "quick", "bytes": 1 << 30, "warm_up_seconds": 0.1, "sample_seconds": 0.01}
MACHINE = {
    "cpu_model_name": "Xeon", "cpu_family": "6", "cpu_model": "85", "cpu_stepping": "7", "architecture": "x86_64",
    "cpu_count": 4, "cpu_cores": 2, "mem_total": 8 << 30, "hypervisor": "KVM",
    "cpu_features": {"aes": True, "avx2": True, "vaes": False}, "cpu_affinity": "0-3", "kernel": "6.1",
    "python_version": "3.11", "libc": "glibc 2.36",
}  # fmt: skip


def record(machine: dict[str, Any] | None = None, profile: dict[str, Any] | None = None, **changes: Any) -> Record:
    plan = {"study": "baselines", "seed": 1, "profile": {**PROFILE, **(profile or {})}}
    provenance = {
        "plan": plan,
        "machine": {**MACHINE, **(machine or {})},
        "extension": {"sources": "f00", "compiler": "rustc"},
    }
    return Record(Path("a.parquet"), pd.DataFrame(), {**provenance, **changes})


A = record()


@pytest.mark.parametrize(
    ("machine", "differences"),
    [
        ({}, []),
        ({"cpu_model_name": "EPYC"}, ["CPU Xeon -> EPYC"]),
        ({"cpu_stepping": "8"}, ["CPU family, model, stepping 6 85 7 -> 6 85 8"]),
        ({"cpu_stepping": None}, []),
        ({"cpu_family": None, "architecture": "aarch64"}, ["architecture x86_64 -> aarch64"]),
        ({"cpu_count": 8, "cpu_cores": 4}, ["CPUs 4 -> 8", "cores 2 -> 4"]),
        ({"mem_total": 16 << 30}, ["memory 8 GiB -> 16 GiB"]),
        ({"mem_total": (8 << 30) - (200 << 20)}, []),
        ({"mem_total": None, "hypervisor": None, "cpu_features": None}, []),
        ({"hypervisor": "Xen"}, ["hypervisor KVM -> Xen"]),
        ({"cpu_features": {"avx2": True, "aes": True}}, []),
        ({"cpu_features": {"aes": True, "vaes": True}}, ["CPU features aes avx2 -> aes vaes"]),
    ],
    ids=str,
)
def test_known_facts_of_machines_that_differ(machine: dict[str, Any], differences: list[str]) -> None:
    assert machine_differences(A, record(machine)) == differences


def test_many_features_are_compared_word_by_word() -> None:
    names = ("aes", "avx", "avx2", "pclmul", "sse2", "ssse3")
    many = record({"cpu_features": dict.fromkeys(names, True)})
    other = record({"cpu_features": dict.fromkeys((*names[1:], "vaes"), True)})
    assert machine_differences(many, other) == ["CPU features -aes +vaes"]
    few = record({"cpu_features": dict.fromkeys(names[:5], True)})
    assert machine_differences(few, other) == [
        "CPU features aes avx avx2 pclmul sse2 -> avx avx2 pclmul sse2 ssse3 vaes"
    ]
    words = {"mitigations": "a b c d e f"}, {"mitigations": "b a c d e f"}
    assert warnings(*map(record, words)) == ["different machine settings: mitigations in another order"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("cpu_affinity", "CPU affinity"),
        ("cgroup_cpu_quota", "CPU quota"),
        ("cpu_smt_active", "SMT"),
        ("cpu_governor", "governor"),
        ("cpu_turbo", "turbo"),
        ("power_source", "power"),
        ("thp_enabled", "huge pages"),
        ("aslr", "address randomisation"),
        ("cpu_microcode", "microcode"),
        ("clocksource", "clock"),
    ],
)
def test_settings_of_a_machine_are_warnings(key: str, name: str) -> None:
    one, other = record({key: "x"}), record({key: "y"})
    assert warnings(one, other) == [f"different machine settings: {name} x -> y"]
    assert warnings(one, record({key: None})) == [] == warnings(one, one)


def test_the_first_warnings_are_about_machine_settings_and_effort() -> None:
    other = record(
        {"cpu_count": 8, "cpu_affinity": "0"},
        {"bytes": 64, "warm_up_seconds": 0.2, "sample_seconds": 0.02},
        quality=["!load", "turbo", "!battery"],
    )
    assert warnings(A, other) == [
        "different machines: CPUs 4 -> 8. Differences in time may be due to the machines",
        "different machine settings: CPU affinity 0-3 -> 0",
        "different profiles: large messages of 1073741824 and 64 bytes",
        "different effort: warm-up in seconds 0.1 -> 0.2; minimum seconds of a sample 0.01 -> 0.02",
        "B: measured under critical conditions: load, battery",
    ]
    assert warnings(record(quality=["!load"]), A) == ["A: measured under critical conditions: load"]
    assert critical_conditions(record(quality=["turbo"])) == critical_conditions(A) == []
    assert warnings(A, record(profile={"sample_seconds": 0.02})) == [
        "different effort: minimum seconds of a sample 0.01 -> 0.02"
    ]


def reports(**checks: dict[str, int] | None) -> dict[str, Any]:
    return {
        name: {"ok": True, **({"checks": [{"name": n, "run": run} for n, run in of.items()]} if of is not None else {})}
        for name, of in checks.items()
    }


def test_different_checks_are_a_warning() -> None:
    one = record(verified=reports(a={"tamper": 9}, b={"tamper": 9}, c={"x": 1, "y": 2}, d=None, only={"x": 1}))
    other = record(verified=reports(a={"tamper": 9}, b={"tamper": 8}, c={"x": 1}, d={"x": 1}))
    assert warnings(one, other) == [
        "verified by different checks: b (tamper 9 -> tamper 8); c (x 1, y 2 -> x 1); d (none -> x 1)"
    ]
    many = record(verified=reports(**{name: {"x": 1} for name in "abcde"}))
    (more,) = warnings(many, record(verified=reports(**{name: {"x": 2} for name in "abcde"})))
    assert more.count("(x 1 -> x 2)") == 3 and "d (" not in more
    assert warnings(one, record()) == []
    unknown = {"a": {"checks": [{"name": "tamper"}]}}
    assert warnings(record(verified=unknown), record(verified=reports(a={"tamper": 0}))) == []


def test_verified_implementations_have_a_report_that_is_ok() -> None:
    assert verified(record(verified={"a": {"ok": True}, "b": {"ok": False}, "c": {}})) == {"a"}
    assert verified(A) == set()


def test_baselines_of_both_records_are_shared() -> None:
    one, other = (
        record(implementations={"memcpy": {"flags": ["baseline"]}, "xor": {"flags": flags}, "aes": {}})
        for flags in (["baseline", "parallel"], ["parallel"])
    )
    assert shared_baselines(one, one) == {"memcpy", "xor"}
    assert shared_baselines(one, other) == shared_baselines(other, one) == {"memcpy"}
    assert shared_baselines(one, A) == set()


def test_the_same_code_has_the_same_sources_and_builds() -> None:
    one = record(implementations={"a": {"version": "1"}, "b": {"version": "1"}})
    assert same_code(one, record(implementations={"a": {"version": "1"}, "c": {"version": "9"}}))
    assert not same_code(one, record(implementations={"a": {"version": "2"}}))
    assert not same_code(one, record(extension={"sources": "ba5"}))
    assert not same_code(record(extension={}), record(extension={}))
    assert same_code(A, A)


SAME = "both runs used the same compiled code: differences are due to the machine or to Python packages"


def test_other_differences_are_notes() -> None:
    other = record({"kernel": "6.2", "python_version": "3.12", "libc": "musl"}, extension={"compiler": "rustc 2"})
    assert notes(A, other) == [
        "kernel 6.1 -> 6.2",
        "compiler rustc -> rustc 2",
        "Python 3.11 -> 3.12",
        "libc glibc 2.36 -> musl",
    ]
    assert notes(A, A) == [SAME]
    plan = {"study": "blocks", "seed": 2, "profile": PROFILE}
    assert notes(A, record(plan=plan)) == ["study baselines -> blocks", "seed 1 -> 2", SAME]
    unknown = A.provenance | {"machine": None}
    assert notes(Record(A.path, A.samples, unknown), A) == [SAME]


def test_versions_of_common_implementations_are_notes() -> None:
    def versions(**of: str | None) -> Record:
        return record(implementations={name: {"version": version} for name, version in of.items()}, extension={})

    one = versions(a="1", b="1", c=None, d="1", gone="1")
    assert notes(one, versions(a="1", b="2", c="2", d=None, new="9")) == ["versions: b 1 -> 2"]
    old, new = (versions(**dict.fromkeys("abcde", version)) for version in "12")
    (note,) = notes(old, new)
    assert note.startswith("versions: a 1 -> 2; b 1 -> 2; c 1 -> 2") and "d 1" not in note


def test_an_object_that_differs_names_its_keys() -> None:
    one, other = ({"cpu_affinity": {"a": 1, "b": state, "c": 3}} for state in (2, 4))
    assert warnings(record(one), record(other)) == ["different machine settings: CPU affinity (b)"]


def test_values_of_different_types_are_shown() -> None:
    one, other = ({"cpu_affinity": value} for value in ({"a": 1}, "0 1 2 3 4 5 6"))
    start = "different machine settings: CPU affinity"
    assert warnings(record(one), record(other)) == [f"{start} {{'a': 1}} -> 0 1 2 3 4 5 6"]
    assert warnings(record(other), record(one)) == [f"{start} 0 1 2 3 4 5 6 -> {{'a': 1}}"]
    assert warnings(record(other), record({"cpu_affinity": 7})) == [f"{start} 0 1 2 3 4 5 6 -> 7"]
