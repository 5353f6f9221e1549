"""The name of a CPU, with family and model where it has no model number."""

from __future__ import annotations

from typing import Any

import pytest

from aeadlab.host.cpu_name import cpu_name
from aeadlab.lab.checkup import Checkup

ZEN_4 = {"cpu_model_name": "AMD EPYC", "cpu_family": "25", "cpu_model": "17"}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "AMD EPYC (family 25, model 17)"),
        ({"cpu_family": "26", "cpu_model": "2"}, "AMD EPYC (family 26, model 2)"),
        ({"cpu_model": None}, "AMD EPYC (family 25)"),
        ({"cpu_family": None, "cpu_model": None}, "AMD EPYC"),
        ({"cpu_model_name": "AMD EPYC 7742 64-Core Processor"}, "AMD EPYC 7742 64-Core Processor"),
        ({"cpu_model_name": "AMD 64-core Processor"}, "AMD 64-core Processor (family 25, model 17)"),
        ({"cpu_model_name": "Intel(R) Xeon(R) CPU @ 2.20GHz"}, "Intel(R) Xeon(R) CPU @ 2.20GHz (family 25, model 17)"),
        ({"cpu_model_name": "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"}, "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"),
        ({"cpu_model_name": "Arm implementer 0x41 part 0xd40"}, "Arm implementer 0x41 part 0xd40"),
        ({"cpu_model_name": "Apple M2"}, "Apple M2"),
        ({"cpu_model_name": None}, ""),
    ],
)
def test_a_name_without_a_model_number_has_family_and_model(changes: dict[str, Any], name: str) -> None:
    assert cpu_name(ZEN_4 | changes) == name


def test_unknown_facts_have_no_name() -> None:
    assert cpu_name({}) == ""
    assert cpu_name({"cpu_family": "25", "cpu_model": "17"}) == ""


def test_the_doctor_states_family_and_model() -> None:
    assert Checkup(ZEN_4, (), None).as_text().startswith("AMD EPYC (family 25, model 17), ")
    assert Checkup({}, (), None).as_text().startswith("CPU of unknown model, ")
