from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import aeadlab
from aeadlab.bench.case import Case
from aeadlab.bench.profile import find_profile
from aeadlab.errors import ArgumentError, Error
from aeadlab.figures import style
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting import SECTIONS, analysis, figures, page, report, reproduction
from aeadlab.studies import Selection, Study, find_study
from tests.reporting.conftest import maker

MakeRecord = Callable[..., Record]
MIB = 1 << 20
VOID = {"meta", "img"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>&amp;\u202e"


class Page(HTMLParser):
    """The elements, attribute values and text of a page; every end tag must match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.section = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "section":
            self.section = dict(attrs)["id"] or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.texts[self.section] = self.texts.get(self.section, "") + data + " "

    def values(self, attribute: str) -> list[str]:
        return [value for _, attributes in self.elements if (value := attributes.get(attribute)) is not None]


MODULE = sys.modules["aeadlab.reporting.page"]


def written(record: Record, *anchors: str) -> str:
    """Return the page, or only these sections of it, which takes less time."""
    with pytest.MonkeyPatch.context() as patch:
        if anchors:
            patch.setattr(MODULE, "SECTIONS", tuple(section for section in SECTIONS if section.anchor in anchors))
        return page(record)


def read(record: Record, *anchors: str) -> Page:
    """Return the parsed page, or only these sections of it."""
    return Page(written(record, *anchors))


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """The settings of Matplotlib before a page is drawn."""
    return dict(matplotlib.rcParams)


@pytest.fixture(scope="module")
def whole(settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of `record`."""
    return page(maker(tmp_path_factory.mktemp("whole"))())


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit pages to their last section, for tests of the file."""
    monkeypatch.setattr(MODULE, "SECTIONS", SECTIONS[-1:])


def test_page_is_well_formed_with_linked_sections(whole: str) -> None:
    parsed = Page(whole)
    anchors = [section.anchor for section in SECTIONS]
    assert [name for tag, attributes in parsed.elements if tag == "section" and (name := attributes["id"])] == anchors
    assert parsed.values("href") == [f"#{anchor}" for anchor in anchors]
    assert "cannot be created" not in "".join(parsed.texts.values())
    assert len(parsed.values("id")) == len(set(parsed.values("id")))


def test_page_needs_no_network_and_blocks_other_scripts(whole: str) -> None:
    parsed = Page(whole)
    assert all(source.startswith("data:image/") for source in parsed.values("src"))
    assert parsed.values("src")
    styles = re.sub(r"<script>.*?</script>", "", whole, flags=re.DOTALL)
    assert not re.search(r"@import|url\(|https?://|<link|<iframe", styles)
    assert not [
        name for _, attributes in parsed.elements for name in attributes if name.startswith("on") or name == "style"
    ]
    (policy,) = (attributes["content"] for _, attributes in parsed.elements if "http-equiv" in attributes)
    for part in ("style", "script"):
        (text,) = re.findall(rf"<{part}>(.*?)</{part}>", whole, re.DOTALL)
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in str(policy)
    assert str(policy).startswith("default-src 'none'; ")


def test_summary_has_facts_results_and_warnings(make: MakeRecord) -> None:
    machine = {"cpu_model_name": "Zen 9", "cpu_count": 8, "cpu_cores": 4, "cpu_turbo": True}
    given: dict[str, Any] = {"machine": machine, "refused": {"bad/aes-256-gcm": "tag not checked"}}
    notes = [{"start": 1.5, "pid": 7}, {"cut": "12 of 15 rounds in 303 s"}]
    commit = {"id": "c0ffee", "dirty": True}
    text = read(make(notes=notes, commit=commit, failures={3: "SIGSEGV"}, **given), "summary").texts["summary"]
    for expected in (
        find_study("baselines").question,
        "Zen 9, 8 CPUs on 4 cores",
        "2026-01-02T03:04:05Z",
        "60 samples of 5 cases, 3 implementations",
        "Fastest aead:  openssl/aes-256-gcm  at  16",
        "It is faster than the other implementation by more than 1.00\N{NO-BREAK SPACE}% "
        "(95 %; 6 processes, 12 rounds).",
        "of the speed of baseline/memcpy in the same rounds",
        "Smaller differences are not reported",
        "turbo  on.",
        "Profile smoke only checks that everything runs",
        "The time budget ended the run after 12 of 15 rounds in 303 s.",
        "1 failed case of blake3/blake3",
        "Absent or not verified, and therefore not timed: bad/aes-256-gcm.",
        "Measured with uncommitted changes.",
    ):
        assert expected in text
    assert "Fastest hash" not in text


def test_table_has_a_row_with_all_numbers_of_each_case(whole: str, record: Record) -> None:
    (rows,) = re.findall(r'id="cases">.*?</section>', whole, re.DOTALL)
    first = re.search(r"<tr><th[^>]*>openssl/aes-256-gcm</th>.*?</tr>", rows)
    assert first is not None
    summary = analysis.Analysis(record).cases.query("implementation == 'openssl/aes-256-gcm' and op == 'seal'").iloc[0]
    keys = re.findall(r'data-k="([^"]*)"', first.group())
    expected = (0, summary["median"], summary["gib_per_s"], summary["cycles_per_byte"], summary["share"])
    assert [float(key) for key in keys[:5]] == pytest.approx(expected, rel=1e-5)
    assert keys[-2:] == ["12", "0"]
    assert rows.count("</th><td") == 6
    assert rows.count("A/A, second arm") == 1
    text = Page(whole).texts["cases"]
    assert "Conditions of all cases: 1 MiB, 1 thread, keyed." in text


def test_memory_limit_does_not_apply_to_digests(make: MakeRecord) -> None:
    times = {Case("openssl/aes-256-gcm", "seal", MIB): 60_000, Case("blake3/blake3", "digest", MIB): 20_000}
    text = read(make(times={**times, Case("baseline/memcpy", "encrypt", MIB): 50_000}), "summary").texts["summary"]
    assert "Nearest to the memory limit of 1 case, by medians:  openssl/aes-256-gcm" in text


def two_speeds(record: Record) -> Record:
    """Return a record in which half of one case's samples take twice as long and the times of another rise.

    In each process of two rounds one sample is slow, the first and the last in turn.
    """
    samples = record.samples.copy()
    first = (samples["implementation"] == "openssl/aes-256-gcm") & (samples["op"] == "seal") & (samples["replica"] == 0)
    slow = first & samples["round"].mod(4).isin([1, 2])
    rising = samples["implementation"] == "blake3/blake3"
    for column in ("seconds", "wall_ns"):
        samples[column] = samples[column].astype(float)
        samples.loc[slow, column] *= 2
        samples.loc[rising, column] *= 1 + samples.loc[rising, "round"] / 100
    samples["gib_per_s"] = samples["bytes"] / samples["seconds"] / 2**30
    return replace(record, samples=samples)


def test_shows_modes_and_drift(make: MakeRecord) -> None:
    parsed = read(two_speeds(make(rounds=60)), "summary", "cases")
    cases = re.sub(r"\s+", " ", parsed.texts["cases"])
    assert re.search(r"two modes (4\d|50)\.\d % at 60\.\d+ µs, (4\d|50)\.\d % at 12\d\.\d µs: factor [12]\.\d\d", cases)
    assert re.search(r"drift by \+[34]\d\.\d %", cases)
    assert "1 case of 6 with two modes" in parsed.texts["summary"]
    assert "1 case of 6 with drift" in parsed.texts["summary"]


def test_states_equal_samples(make: MakeRecord) -> None:
    record = make()
    samples = record.samples.copy()
    equal = samples["implementation"] == "blake3/blake3"
    samples.loc[equal, ["seconds", "gib_per_s"]] = (1.5e-4, 6.51)
    texts = read(replace(record, samples=samples), "summary", "cases").texts
    assert "1 case with equal samples: their intervals have no width" in texts["summary"]
    assert "150.0, equal samples" in texts["cases"]
    assert "equal samples" not in read(record, "cases").texts["cases"]


def test_counts_the_flags_of_samples(make: MakeRecord) -> None:
    text = read(make(quality=["load"], changes={3: {"major_faults": 1}}), "cases").texts["cases"]
    assert "Flags of all samples: load." in text
    assert "major-fault 12" in text


def test_evaluates_the_claims_about_the_study(make: MakeRecord) -> None:
    names = ("openssl", "cryptopp", "rustcrypto")
    times = {Case(f"{name}/aes-256-gcm", op, MIB): 1000 for name in names for op in ("seal", "open")}
    record = make(times=times)
    text = read(record, "claims").texts["claims"]
    assert "overhead-openssl" in text
    assert "xor-ends-early" not in text
    assert "profile smoke, which supports no conclusion" in text
    record.provenance["plan"]["profile"].update(name="quick", bytes=1 << 30)
    text = read(record, "claims").texts["claims"]
    assert "aeadlab AES-256-CTR+BLAKE3 has no matching case (whole seal)" in text
    assert "No document has a claim" in read(make("gone"), "claims").texts["claims"]


def test_lists_reasons_for_cases_not_timed(make: MakeRecord) -> None:
    refused = {"bad/aes-256-gcm": "tamper: 3 of 9 failed"}
    text = read(make(failures={0: "the process ended with SIGSEGV", 5: "no"}, refused=refused), "not-timed").texts[
        "not-timed"
    ]
    for expected in (
        "the process ended with SIGSEGV",
        "openssl/aes-256-gcm seal 1048576 B whole",
        "tamper: 3 of 9 failed",
    ):
        assert expected in text
    assert "All planned cases were timed." in read(make("other"), "not-timed").texts["not-timed"]


def test_reports_a_record_in_which_all_cases_failed(make: MakeRecord) -> None:
    parsed = read(make(failures=dict.fromkeys(range(6), "SIGILL")))
    assert "No case has a counted sample." in parsed.texts["cases"]
    assert "6 failed cases" in parsed.texts["summary"]
    assert "cannot be created" not in "".join(parsed.texts.values())


def test_does_not_count_warm_ups_as_samples(make: MakeRecord) -> None:
    parsed = read(make(rounds=1, times={Case("openssl/aes-256-gcm", "seal", 0): 50}), "summary")
    assert "measured by fewer than 3 processes" in parsed.texts["summary"]
    record = make("empty")
    parsed = read(replace(record, samples=record.samples[record.samples["warmup"]]), "summary")
    assert "6 planned cases without a sample" in parsed.texts["summary"]


def test_machine_section_has_levels_and_advice(make: MakeRecord) -> None:
    html = written(make(machine={"cpu_turbo": True, "cpu_driver": "intel_pstate"}, quality=["turbo"]), "machine")
    text = Page(html).texts["machine"]
    assert '<span class="level warning">warning</span>' in html
    assert "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" in text
    assert "Quality flags of the run: turbo." in text
    assert text.index("turbo") < text.index("aslr")
    assert "no facts about its machine" in read(make("other", machine=None), "machine").texts["machine"]


def test_provenance_names_commit_builds_and_versions(record: Record) -> None:
    text = read(record, "provenance").texts["provenance"]
    for expected in (
        "c0ffee , without uncommitted changes",
        "1.2 of blake3/blake3",
        "cc -O3",
        "VAES",
        "numpy 2.4.6",
        "6.1",
    ):
        assert expected in text
    assert "passed known answers 816, tamper 5,958" in re.sub(r"\s+", " ", text)
    assert "a process started at 2026-01-02 03:04:05 UTC; process number 7" in text
    assert str(record.provenance["definition"]) in text


def test_shows_unknown_notes_with_their_values(make: MakeRecord) -> None:
    text = read(make(notes=[{"enough": "14 of 36 rounds"}, {"steady": {"cases": 3}}]), "provenance").texts["provenance"]
    assert "reached the required width after 14 of 36 rounds" in text
    assert 'steady: {"cases": 3}' in text


def test_commands_reproduce_the_plan(make: MakeRecord) -> None:
    record = make(times={Case("openssl/aes-256-gcm", "seal", MIB): 60_000, Case("a b/c", "seal", MIB): 1})
    text = read(record, "reproduce").texts["reproduce"]
    words = "aeadlab measure baselines --profile smoke --seed 5 --samples 12"
    assert f"git checkout c0ffee\nmake build\n{words} \\\n" in text
    assert "--implementation openssl/aes-256-gcm \\\n    --implementation 'a b/c'" in text
    assert f"aeadlab report {record.path.name}" in text
    assert "The profile has changed" not in text


def test_reproduces_a_changed_profile_with_options(record: Record) -> None:
    profile = record.provenance["plan"]["profile"]
    profile.update(asdict(find_profile("quick").with_changes(4096, 7, 30.5)))
    text = read(record, "reproduce").texts["reproduce"]
    assert "--profile quick --seed 5 --size 4096 --samples 7 --budget 30.5\n" in text.replace(" \\", "\n")
    assert "The profile has changed" not in text
    profile.update(asdict(find_profile("quick")), processes=99, budget_seconds=None)
    text = read(record, "reproduce").texts["reproduce"]
    assert "make build\naeadlab measure baselines --profile quick --seed 5 \\" in text
    assert "budget_seconds was None, is 300.0, processes was 99, is 14; the commit" in text


def test_omits_implementations_of_a_complete_study(make: MakeRecord) -> None:
    study = find_study("baselines")
    smoke = find_profile("smoke")
    cases = study.cases(reproduction._EmptyCatalogue(), smoke, Selection())
    assert (
        "--implementation" not in read(make(times=dict.fromkeys(cases, 1000), rounds=1), "reproduce").texts["reproduce"]
    )


def test_states_the_limits_of_the_reproduction(make: MakeRecord) -> None:
    assert (
        "The code had uncommitted changes"
        in read(make(commit={"id": "c0ffee", "dirty": True}), "reproduce").texts["reproduce"]
    )
    text = read(make("gone", commit=None), "reproduce").texts["reproduce"]
    assert "names no commit" in text
    assert "has no study gone" in text
    assert "aeadlab measure" not in text


def bars(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    with style.settings():
        figure = style.new_figure(3, 2)
        figure.add_subplot().bar([1], [2])
    return figure, pd.DataFrame()


def cloud(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    with style.settings():
        figure = style.new_figure(3, 2)
        figure.add_subplot().plot(*np.random.default_rng(1).random((2, 20_000)), "o")
    return figure, pd.DataFrame()


def broken(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    raise KeyError(HOSTILE)


@pytest.fixture
def with_figures(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def install(**figures: Any) -> None:
        monkeypatch.setitem(sys.modules, "tiny.figures", SimpleNamespace(FIGURES=figures))
        study = Study("tiny", "Does it draw?", lambda *_: [], module="tiny.study")
        monkeypatch.setattr(analysis, "find_study", lambda name: study)

    return install


def test_embeds_figures_as_svg_and_large_ones_as_png(make: MakeRecord, with_figures: Callable[..., None]) -> None:
    with_figures(bars=bars, cloud=cloud)
    parsed = read(make("tiny"))
    kinds = [source.partition(";")[0] for source in parsed.values("src")]
    assert kinds == ["data:image/svg+xml", "data:image/png"]
    assert sum(map(len, parsed.values("src"))) < figures.MAX_TOTAL * 4 / 3


def test_a_failing_figure_does_not_affect_the_others(make: MakeRecord, with_figures: Callable[..., None]) -> None:
    with_figures(broken=broken, bars=bars)
    parsed = read(make("tiny"))
    assert "cannot be drawn from this record" in parsed.texts["figures"]
    assert len(parsed.values("src")) == 1
    assert "openssl/aes-256-gcm" in parsed.texts["cases"]


def test_reports_a_study_without_figures(make: MakeRecord, with_figures: Callable[..., None]) -> None:
    parsed = read(make("gone"))
    assert "has no study gone" in parsed.texts["figures"]
    assert "Fastest aead" in parsed.texts["summary"]
    with_figures()
    assert "The study has no figures." in read(make("tiny"), "figures").texts["figures"]


def test_escapes_all_names_of_a_record(make: MakeRecord) -> None:
    times = {Case(f"evil/{HOSTILE}", "seal", MIB): 50_000, Case("good/aes", "seal", MIB, mask=HOSTILE): 60_000}
    hostile = {f"evil/{HOSTILE}": HOSTILE}
    described = ("kind", "version", "build", "kernel", "origin")
    facts = ("cpu_model_name", "platform", "kernel", "cpu_governor", "container", "aslr")
    given: dict[str, Any] = {
        "implementations": {f"evil/{HOSTILE}": dict.fromkeys(described, HOSTILE)},
        "machine": dict.fromkeys(facts, HOSTILE),
        "verified": {HOSTILE: {"ok": False, "reason": HOSTILE, "checks": [{"name": HOSTILE, "run": 1, "failed": 1}]}},
        "commit": {"id": HOSTILE, "dirty": False},
        "packages": {HOSTILE: HOSTILE},
        "extension": {HOSTILE: HOSTILE},
        "date": HOSTILE,
        "quality": [HOSTILE],
    }
    notes = [{"cut": HOSTILE}, {HOSTILE: HOSTILE}]
    record = make(times=times, failures={1: HOSTILE}, notes=notes, refused=hostile, **given)
    record.provenance["plan"]["plugins"] = [HOSTILE]
    html = page(record)
    parsed = Page(html)
    assert html.count("<script") == 1
    assert [attributes for tag, attributes in parsed.elements if tag == "img" and "onerror" in attributes] == []
    assert all(source.startswith("data:") for source in parsed.values("src"))
    assert "\u202e" not in html
    for section in ("summary", "cases", "not-timed", "machine", "provenance", "reproduce"):
        assert "<script>alert(1)</script>" in parsed.texts[section]


def test_escapes_the_name_of_a_study(make: MakeRecord) -> None:
    record = make("gone")
    record.provenance["plan"]["study"] = HOSTILE
    assert page(record).count("<script") == 1


def test_page_is_deterministic_across_processes(make: MakeRecord, tmp_path: Path) -> None:
    path = make(refused={"b": "1", "a": "2"}, failures={1: "x"}).path
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    here = aeadlab.report(tmp_path / "here" / path.name, tmp_path / "first.html").read_bytes()
    code = "import sys, aeadlab; aeadlab.report(sys.argv[1], sys.argv[2])"
    changed = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "PYTHONPATH": str(Path(aeadlab.__path__[0]).parent)}
    command = [sys.executable, "-c", code, tmp_path / "there" / path.name, tmp_path / "second.html"]
    subprocess.run(command, check=True, env={**os.environ, **changed}, cwd=tmp_path / "there")
    assert here == (tmp_path / "second.html").read_bytes()
    assert len(here) > 50_000


def test_limits_a_page_of_ten_thousand_cases(make: MakeRecord) -> None:
    times = {Case("openssl/aes-256-gcm", "seal", 1000 + i): 1000 + i for i in range(10_000)}
    content = page(make("sweep", times, rounds=1))
    assert "2,000 of 10,000 cases are listed" in content
    assert len(content.encode()) < 3_000_000


def test_invalid_times_affect_only_their_sections(record: Record) -> None:
    samples = record.samples.assign(seconds=-1.0)
    parsed = read(replace(record, samples=samples))
    assert "This section cannot be created from the record: seconds hold 72 of 72 values" in parsed.texts["cases"]
    assert "c0ffee" in parsed.texts["provenance"]


def test_reports_a_record_with_minimal_provenance(record: Record) -> None:
    bare: Mapping[str, Any] = {"plan": {"study": "baselines"}}
    parsed = read(replace(record, provenance=dict(bare)))
    assert "cannot be created" not in "".join(parsed.texts.values())


def test_reports_the_reference_record_completely(tmp_path: Path) -> None:
    (path,) = (Path(__file__).parents[2] / "data" / "records").glob("baselines-*.parquet")
    html = page(load_record(path))
    assert "cannot be created" not in html
    assert "cannot be drawn" not in html
    assert len(html.encode()) < 1_000_000


@pytest.mark.usefixtures("short")
def test_writes_to_the_given_or_default_path(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new" / "page.html"
    assert report(record, target) == target
    assert target.read_text("utf-8") == page(record)
    assert [path.name for path in target.parent.iterdir()] == ["page.html"]
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path / "results"))
    default = aeadlab.report(record.path)
    assert default == tmp_path / "results" / "reports" / f"{record.path.stem}.html"
    assert default.read_bytes() == target.read_bytes()


@pytest.mark.usefixtures("short")
def test_replaces_an_existing_file_only_with_force(record: Record, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine")
    with pytest.raises(ArgumentError, match=r"page.html exists already: .* replace it with --force"):
        report(record, target)
    assert target.read_text() == "mine"
    report(record, target, force=True)
    assert target.read_text("utf-8") == page(record)
    before = target.stat()
    # An identical file is neither replaced nor an error.
    report(record, target)
    assert target.stat() == before
    assert [path.name for path in tmp_path.glob("*page*")] == ["page.html"]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("force", [False, True])
def test_rejects_an_unwritable_path(record: Record, tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("here")
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "file" / "page.html", tmp_path / "folder", Path("/proc/no/such.html")):
        with pytest.raises(ArgumentError, match=re.escape(str(target))):
            report(record, target, force=force)
    assert (tmp_path / "file").read_text() == "here"
    assert list((tmp_path / "folder").iterdir()) == []
    assert not list(tmp_path.glob(".*"))


@pytest.mark.usefixtures("short")
def test_leaves_no_partial_file_on_a_full_disk(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ArgumentError, match=r"page.html cannot be written \(No space left on device\)"):
        report(record, tmp_path / "out" / "page.html")
    assert list((tmp_path / "out").iterdir()) == []


def test_rejects_a_missing_record(tmp_path: Path) -> None:
    with pytest.raises(Error, match="there is no record"):
        report(tmp_path / "none.parquet", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.usefixtures("whole")
def test_keeps_the_matplotlib_settings(settings: dict[str, Any]) -> None:
    assert dict(matplotlib.rcParams) == settings
