from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import PROFILES, Profile
from aeadlab.catalogue import load
from aeadlab.errors import UnknownNameError
from aeadlab.studies import Selection, Study, all_studies, find_study

ROOT = Path(__file__).resolve().parents[2]
each_study = pytest.mark.parametrize("study", all_studies().values(), ids=lambda study: study.name)


def test_all_declared_studies_are_found() -> None:
    files = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "aeadlab" / "studies").rglob("*/*.py")]
    modules = [importlib.import_module(".".join(file.parts)) for file in files if file.name != "__init__"]
    declared = {module.STUDY.name: module.STUDY for module in modules if hasattr(module, "STUDY")}
    assert all_studies() == declared
    assert "baselines" in declared


def test_an_unknown_study_suggests_a_similar_name() -> None:
    assert find_study("baselines").name == "baselines"
    with pytest.raises(UnknownNameError, match=r"no study 'baselin'; did you mean baselines\?"):
        find_study("baselin")
    with pytest.raises(UnknownNameError, match="the studies are .*baselines"):
        find_study("xyz")


@each_study
def test_the_notebook_has_the_question_as_title(study: Study) -> None:
    notebook = json.loads((ROOT / "notebooks" / study.notebook).read_text(encoding="utf-8"))
    assert study.question.endswith("?")
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert re.search(rf"^#{{1,3}} {re.escape(study.question)}$", text, re.MULTILINE)


@each_study
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_profile_has_a_valid_plan(study: Study, profile: Profile) -> None:
    """`Plan` rejects repeated cases, and `Case` impossible ones."""
    cases = study.cases(load(), profile, Selection())
    plan = Plan(study.name, profile, with_noise_pairs(cases))
    assert tuple(case for case in plan.cases if not case.replica) == tuple(cases)
    assert len(plan.cases) > len(cases)


def test_finding_a_study_loads_no_drawing_library() -> None:
    """Each `aeadlab measure` would wait for it."""
    code = "import sys; from aeadlab.studies import find_study; find_study('baselines'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"matplotlib", "seaborn", "scipy"}.isdisjoint(loaded)


def test_figure_names_are_unique() -> None:
    """All studies export to one folder."""
    names = [name for study in all_studies().values() for name in study.figures]
    assert len(names) == len(set(names)) == 29
