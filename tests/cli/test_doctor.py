from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from aeadlab.cli import doctor as verb
from aeadlab.host import doctor, machine


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return verb.run(parser.parse_args(words))


def test_json_has_facts_findings_and_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"facts", "findings", "flags", "used"}
    assert "openssl" in found["used"]["AES"] or not found["facts"]["cpu_features"]["aes"]
    assert set(found["facts"]) == set(machine.facts())
    assert set(found["findings"][0]) == {"name", "level", "value", "means", "advice"}


def test_text_names_all_findings_in_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    for finding in doctor.findings(machine.facts()):
        assert finding.name in text


def test_returns_0_for_critical_findings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    facts: dict[str, Any] = {"cgroup_cpu_quota": 0.5, "cpu_count": 2, "cpu_turbo": True, "aslr": "Full randomization"}
    monkeypatch.setattr(machine, "facts", lambda: facts)
    assert run() == 0
    text = capsys.readouterr().out
    assert text.index("critical cgroup-quota: 0.5 of 2 CPUs") < text.index("warning  turbo: on")
    assert text.index("warning  turbo: on") < text.index("unknown  governor") < text.index("ok       aslr")
    assert "-> Raise the container's CPU limit" in text
