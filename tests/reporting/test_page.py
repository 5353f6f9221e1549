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
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import aeadlab
from aeadlab.bench.case import Case
from aeadlab.bench.profile import find_profile
from aeadlab.errors import ArgumentError, Error, RecordError
from aeadlab.figures import style
from aeadlab.records import Record, load_record
from aeadlab.reporting import SECTIONS, digest, page, pictures, report
from aeadlab.studies import Selection, Study, find_study

MakeRecord = Callable[..., Record]
MIB = 1 << 20
VOID = {"meta", "img"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>&amp;\u202e"


class Page(HTMLParser):
    """Elements, addresses and text of a page; every end tag must match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.section = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
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
        return [value for _, attributes in self.seen if (value := attributes.get(attribute)) is not None]


MODULE = sys.modules["aeadlab.reporting.page"]


def read(record: Record, *anchors: str) -> Page:
    """The page, or only these sections of it, which takes less time."""
    with pytest.MonkeyPatch.context() as patch:
        if anchors:
            patch.setattr(MODULE, "SECTIONS", tuple(section for section in SECTIONS if section.anchor in anchors))
        return Page(page(record))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are made of their last section alone, for what is about files."""
    monkeypatch.setattr(MODULE, "SECTIONS", SECTIONS[-1:])


def test_a_page_is_well_formed_and_has_every_section_with_its_link(record: Record) -> None:
    found = read(record)
    anchors = [section.anchor for section in SECTIONS]
    assert [name for tag, attributes in found.seen if tag == "section" and (name := attributes["id"])] == anchors
    assert found.values("href") == [f"#{anchor}" for anchor in anchors]
    assert "cannot be made" not in "".join(found.texts.values())
    assert len(found.values("id")) == len(set(found.values("id")))


def test_nothing_is_fetched_and_nothing_else_may_run(record: Record) -> None:
    html = page(record)
    found = Page(html)
    assert all(source.startswith("data:image/") for source in found.values("src"))
    assert found.values("src")
    styles = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"@import|url\(|https?://|<link|<iframe", styles)
    assert not [name for _, attributes in found.seen for name in attributes if name.startswith("on") or name == "style"]
    (policy,) = (attributes["content"] for _, attributes in found.seen if "http-equiv" in attributes)
    for part in ("style", "script"):
        (text,) = re.findall(rf"<{part}>(.*?)</{part}>", html, re.DOTALL)
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in str(policy)
    assert str(policy).startswith("default-src 'none'; ")


def test_the_summary_says_what_was_found_and_what_to_be_careful_with(make: MakeRecord) -> None:
    machine = {"cpu_model_name": "Zen 9", "cpu_count": 8, "cpu_cores": 4, "cpu_turbo": True}
    given: dict[str, Any] = {"machine": machine, "refused": {"bad/aes-256-gcm": "tag not checked"}}
    notes = [{"start": 1.5, "pid": 7}, {"cut": "12 of 15 rounds in 303 s"}]
    commit = {"id": "c0ffee", "dirty": True}
    text = read(make(notes=notes, commit=commit, failures={3: "SIGSEGV"}, **given), "summary").texts["summary"]
    for said in (
        find_study("baselines").question,
        "Zen 9, 8 CPUs on 4 cores",
        "2026-01-02T03:04:05Z",
        "60 samples of 5 cases, 3 implementations",
        "Fastest aead:  openssl/aes-256-gcm  at  16",
        "It is faster than the other implementation by more than this run's noise.",
        "of the speed of baseline/memcpy in the same rounds",
        "a smaller difference says nothing",
        "turbo  on.",
        "Profile smoke shows that everything runs",
        "Cut short by the time budget: 12 of 15 rounds in 303 s.",
        "1 case failed, of blake3/blake3",
        "Refused and not timed: bad/aes-256-gcm.",
        "Made by code that no commit holds.",
    ):
        assert said in text
    assert "Fastest hash" not in text


def test_the_table_has_a_row_for_each_case_with_all_its_numbers(record: Record) -> None:
    html = page(record)
    (rows,) = re.findall(r'id="cases">.*?</section>', html, re.DOTALL)
    first = re.search(r"<tr><th[^>]*>openssl/aes-256-gcm</th>.*?</tr>", rows)
    assert first is not None
    summary = digest.Digest(record).cases.query("implementation == 'openssl/aes-256-gcm' and op == 'seal'").iloc[0]
    keys = re.findall(r'data-k="([^"]*)"', first.group())
    expected = (0, summary["median"], summary["gib_per_s"], summary["cycles_per_byte"], summary["share"])
    assert [float(key) for key in keys[:5]] == pytest.approx(expected, rel=1e-5)
    assert keys[-2:] == ["12", "0"]
    assert rows.count("</th><td") == 6
    assert rows.count("A/A, second arm") == 1
    text = Page(html).texts["cases"]
    assert "The same in all cases: size 1 MiB, threads 1, model keyed, placement separate, cache warm." in text


def test_a_digest_is_not_held_against_the_limit_of_what_writes(make: MakeRecord) -> None:
    times = {Case("openssl/aes-256-gcm", "seal", MIB): 60_000, Case("blake3/blake3", "digest", MIB): 20_000}
    text = read(make(times={**times, Case("baseline/memcpy", "encrypt", MIB): 50_000}), "summary").texts["summary"]
    assert "Nearest to the limit of memory:  openssl/aes-256-gcm" in text


def two_speeds(record: Record) -> Record:
    """Every other sample of the first case half as fast, and the times of another rise."""
    samples = record.samples.copy()
    first = (samples["implementation"] == "openssl/aes-256-gcm") & (samples["op"] == "seal") & (samples["replica"] == 0)
    slow = first & (samples["round"] % 2 == 1)
    rising = samples["implementation"] == "blake3/blake3"
    for column in ("seconds", "wall_ns"):
        samples[column] = samples[column].astype(float)
        samples.loc[slow, column] *= 2
        samples.loc[rising, column] *= 1 + samples.loc[rising, "round"] / 100
    samples["gib_per_s"] = samples["bytes"] / samples["seconds"] / 2**30
    return replace(record, samples=samples)


def test_modes_and_drift_are_told(make: MakeRecord) -> None:
    found = read(two_speeds(make(rounds=60)))
    cases = re.sub(r"\s+", " ", found.texts["cases"])
    assert re.search(r"two modes 50\.0 % at 60\.\d+ µs, 50\.0 % at 12\d\.\d µs: [12]\.\d\d times", cases)
    assert re.search(r"drift by \+[34]\d\.\d %", cases)
    assert "1 case of 6 with two modes" in found.texts["summary"]
    assert "1 case of 6 drifted" in found.texts["summary"]


def test_every_flag_of_a_sample_is_counted(make: MakeRecord) -> None:
    text = read(make(quality=["load"], changes={3: {"major_faults": 1}}), "cases").texts["cases"]
    assert "Every sample is flagged: load." in text
    assert "major-fault 12" in text


def test_claims_about_the_study_are_held_against_the_record(make: MakeRecord) -> None:
    names = ("openssl", "cryptopp", "rustcrypto")
    times = {Case(f"{name}/aes-256-gcm", op, MIB): 1000 for name in names for op in ("seal", "open")}
    record = make(times=times)
    text = read(record, "claims").texts["claims"]
    assert "overhead-openssl" in text
    assert "xor-ends-early" not in text
    assert "profile smoke, which proves nothing" in text
    record.provenance["plan"]["profile"].update(name="quick", bytes=1 << 30)
    text = read(record, "claims").texts["claims"]
    assert "aeadlab/aes-256-ctr+blake3 (whole seal) was not measured as wanted" in text
    assert "No document claims anything" in read(make("gone"), "claims").texts["claims"]


def test_what_was_not_timed_has_its_reason(make: MakeRecord) -> None:
    refused = {"bad/aes-256-gcm": "tamper: 3 of 9 failed"}
    text = read(make(failures={0: "the process ended with SIGSEGV", 5: "no"}, refused=refused), "not-timed").texts[
        "not-timed"
    ]
    for said in ("the process ended with SIGSEGV", "openssl/aes-256-gcm seal 1048576 B whole", "tamper: 3 of 9 failed"):
        assert said in text
    assert "Everything that was planned was timed." in read(make("other"), "not-timed").texts["not-timed"]


def test_a_record_in_which_everything_failed_is_a_page_all_the_same(make: MakeRecord) -> None:
    found = read(make(failures=dict.fromkeys(range(6), "SIGILL")))
    assert "No case has a sample that counts." in found.texts["cases"]
    assert "6 cases failed" in found.texts["summary"]
    assert "cannot be made" not in "".join(found.texts.values())


def test_warm_ups_alone_are_no_samples(make: MakeRecord) -> None:
    found = read(make(rounds=1, times={Case("openssl/aes-256-gcm", "seal", 0): 50}), "summary")
    assert "1 case with fewer than 6 samples" in found.texts["summary"]
    record = make("empty")
    found = read(replace(record, samples=record.samples[record.samples["warmup"]]))
    assert "6 cases of the plan without a sample" in found.texts["summary"]


def test_the_doctors_findings_come_with_level_and_advice(make: MakeRecord) -> None:
    html = page(make(machine={"cpu_turbo": True, "cpu_driver": "intel_pstate"}, quality=["turbo"]))
    text = Page(html).texts["machine"]
    assert '<span class="level warning">warning</span>' in html
    assert "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" in text
    assert "Flags of the run: turbo." in text
    assert text.index("turbo") < text.index("aslr")
    assert "no facts about its machine" in read(make("other", machine=None), "machine").texts["machine"]


def test_provenance_names_everything_that_was_used(record: Record) -> None:
    text = read(record, "provenance").texts["provenance"]
    for said in ("c0ffee , as it was committed", "1.2 of blake3/blake3", "cc -O3", "VAES", "numpy 2.4.6", "6.1"):
        assert said in text
    assert "passed known answers 816, tamper 5,958" in re.sub(r"\s+", " ", text)
    assert "a process started at 2026-01-02 03:04:05 UTC; its number was 7" in text
    assert str(record.provenance["definition"]) in text


def test_a_note_that_is_not_known_is_shown_as_it_stands(make: MakeRecord) -> None:
    text = read(make(notes=[{"enough": "14 of 36 rounds"}, {"steady": {"cases": 3}}]), "provenance").texts["provenance"]
    assert "narrow enough after 14 of 36 rounds" in text
    assert 'steady: {"cases": 3}' in text


def test_the_commands_bring_the_plan_back(make: MakeRecord) -> None:
    record = make(times={Case("openssl/aes-256-gcm", "seal", MIB): 60_000, Case("a b/c", "seal", MIB): 1})
    text = read(record, "reproduce").texts["reproduce"]
    words = "aeadlab measure baselines --profile smoke --seed 5 --samples 12"
    assert f"git checkout c0ffee\nmake build\n{words} \\\n" in text
    assert "--implementation openssl/aes-256-gcm \\\n    --implementation 'a b/c'" in text
    assert f"aeadlab report {record.path.name}" in text
    assert "The profile has changed" not in text


def test_a_changed_profile_is_told_by_options_where_there_are_some(record: Record) -> None:
    profile = record.provenance["plan"]["profile"]
    profile.update(asdict(find_profile("quick").with_changes(4096, 7, 30.5)))
    text = read(record, "reproduce").texts["reproduce"]
    assert "--profile quick --seed 5 --size 4096 --samples 7 --budget 30.5\n" in text.replace(" \\", "\n")
    assert "The profile has changed" not in text
    profile.update(asdict(find_profile("quick")), processes=99, budget_seconds=None)
    text = read(record, "reproduce").texts["reproduce"]
    assert "make build\naeadlab measure baselines --profile quick --seed 5 \\" in text
    assert "in budget_seconds (then None, now 120.0), processes (then 99, now 3): the commit" in text


def test_a_whole_study_needs_no_names(make: MakeRecord) -> None:
    study = find_study("baselines")
    smoke = aeadlab.reporting.again.find_profile("smoke")
    cases = study.cases(aeadlab.reporting.again._Nothing(), smoke, Selection())
    assert (
        "--implementation" not in read(make(times=dict.fromkeys(cases, 1000), rounds=1), "reproduce").texts["reproduce"]
    )


def test_what_cannot_be_brought_back_is_said(make: MakeRecord) -> None:
    assert "The code had changes" in read(make(commit={"id": "c0ffee", "dirty": True}), "reproduce").texts["reproduce"]
    text = read(make("gone", commit=None), "reproduce").texts["reproduce"]
    assert "does not name a commit" in text
    assert "There is no study called gone" in text
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
    def give(**figures: Any) -> None:
        study = Study("tiny", "Does it draw?", lambda *_: [], figures, "")
        monkeypatch.setattr(digest, "find_study", lambda name: study)

    return give


def test_figures_are_images_of_their_own_and_large_ones_pixels(
    make: MakeRecord, with_figures: Callable[..., None]
) -> None:
    with_figures(bars=bars, cloud=cloud)
    found = read(make("tiny"))
    kinds = [source.partition(";")[0] for source in found.values("src")]
    assert kinds == ["data:image/svg+xml", "data:image/png"]
    assert sum(map(len, found.values("src"))) < pictures.ALL * 4 / 3


def test_a_figure_that_cannot_be_drawn_costs_itself_only(make: MakeRecord, with_figures: Callable[..., None]) -> None:
    with_figures(broken=broken, bars=bars)
    found = read(make("tiny"))
    assert "cannot be drawn from this record" in found.texts["figures"]
    assert len(found.values("src")) == 1
    assert "openssl/aes-256-gcm" in found.texts["cases"]


def test_a_study_that_is_gone_or_has_no_figures_is_said(make: MakeRecord, with_figures: Callable[..., None]) -> None:
    found = read(make("gone"))
    assert "There is no study called gone" in found.texts["figures"]
    assert "Fastest aead" in found.texts["summary"]
    with_figures()
    assert "The study has no figures." in read(make("tiny"), "figures").texts["figures"]


def test_names_of_a_record_stay_names(make: MakeRecord) -> None:
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
    found = Page(html)
    assert html.count("<script") == 1
    assert [attributes for tag, attributes in found.seen if tag == "img" and "onerror" in attributes] == []
    assert all(source.startswith("data:") for source in found.values("src"))
    assert "\u202e" not in html
    for section in ("summary", "cases", "not-timed", "machine", "provenance", "reproduce"):
        assert "<script>alert(1)</script>" in found.texts[section]


def test_a_study_with_a_hostile_name_is_only_a_name(make: MakeRecord) -> None:
    record = make("gone")
    record.provenance["plan"]["study"] = HOSTILE
    assert page(record).count("<script") == 1


def test_the_same_record_gives_the_same_bytes_in_every_process_and_place(make: MakeRecord, tmp_path: Path) -> None:
    path = make(refused={"b": "1", "a": "2"}, failures={1: "x"}).path
    code = "import sys, aeadlab; aeadlab.report(sys.argv[1], sys.argv[2])"
    written = []
    for seed, zone, name in (("1", "UTC", "first.html"), ("2", "Asia/Tokyo", "second.html")):
        (tmp_path / seed).mkdir()
        elsewhere = tmp_path / seed / path.name
        elsewhere.write_bytes(path.read_bytes())
        target = tmp_path / name
        changed = {"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(Path(aeadlab.__path__[0]).parent)}
        command = [sys.executable, "-c", code, elsewhere, target]
        subprocess.run(command, check=True, env={**os.environ, **changed}, cwd=tmp_path / seed)
        written.append(target.read_bytes())
    assert written[0] == written[1]
    assert len(written[0]) > 50_000


def test_ten_thousand_cases_are_a_page_that_can_be_read(make: MakeRecord) -> None:
    times = {Case("openssl/aes-256-gcm", "seal", 1000 + i): 1000 + i for i in range(10_000)}
    content = page(make("sweep", times, rounds=1))
    assert "2,000 of 10,000 cases are listed" in content
    assert len(content.encode()) < 3_000_000


def test_times_that_no_clock_gives_leave_the_rest_of_the_page(record: Record) -> None:
    samples = record.samples.assign(seconds=-1.0)
    found = read(replace(record, samples=samples))
    assert "This part cannot be made from the record: seconds hold 72 of 72 values" in found.texts["cases"]
    assert "c0ffee" in found.texts["provenance"]


def test_a_record_without_a_plan_is_damaged(record: Record) -> None:
    for wrong in ({}, {"plan": None}, {"plan": {}}):
        with pytest.raises(RecordError, match="is damaged: its provenance names no plan"):
            page(replace(record, provenance=wrong))


def test_a_record_that_says_little_is_a_page(record: Record) -> None:
    bare: Mapping[str, Any] = {"plan": {"study": "baselines"}}
    found = read(replace(record, provenance=dict(bare)))
    assert "cannot be made" not in "".join(found.texts.values())


def test_the_reference_record_is_reported_whole(tmp_path: Path) -> None:
    (path,) = (Path(__file__).parents[2] / "data" / "records").glob("baselines-*.parquet")
    html = page(load_record(path))
    assert "cannot be made" not in html
    assert "cannot be drawn" not in html
    assert len(html.encode()) < 1_000_000


@pytest.mark.usefixtures("short")
def test_the_file_goes_where_it_is_wanted(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new" / "page.html"
    assert report(record, target) == target
    assert target.read_text("utf-8") == page(record)
    assert [path.name for path in target.parent.iterdir()] == ["page.html"]
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path / "results"))
    default = aeadlab.report(record.path)
    assert default == tmp_path / "results" / "reports" / f"{record.path.stem}.html"
    assert default.read_bytes() == target.read_bytes()


@pytest.mark.usefixtures("short")
def test_a_file_that_is_there_is_not_replaced_unasked(record: Record, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine")
    with pytest.raises(ArgumentError, match=r"page.html exists already: .* replace it with --force"):
        report(record, target)
    assert target.read_text() == "mine"
    report(record, target, force=True)
    assert target.read_text("utf-8") == page(record)
    before = target.stat()
    # The same page is there already: nothing to replace, nothing to complain of.
    report(record, target)
    assert target.stat() == before
    assert [path.name for path in tmp_path.glob("*page*")] == ["page.html"]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("force", [False, True])
def test_an_output_that_cannot_be_written_is_said(record: Record, tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("here")
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "file" / "page.html", tmp_path / "folder", Path("/proc/no/such.html")):
        with pytest.raises(ArgumentError, match=re.escape(str(target))):
            report(record, target, force=force)
    assert (tmp_path / "file").read_text() == "here"
    assert list((tmp_path / "folder").iterdir()) == []
    assert not list(tmp_path.glob(".*"))


@pytest.mark.usefixtures("short")
def test_a_full_disk_leaves_no_half_page(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ArgumentError, match=r"page.html cannot be written \(No space left on device\)"):
        report(record, tmp_path / "out" / "page.html")
    assert list((tmp_path / "out").iterdir()) == []


def test_what_is_no_record_is_said(tmp_path: Path) -> None:
    with pytest.raises(Error, match="there is no record"):
        report(tmp_path / "none.parquet", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_drawing_leaves_matplotlib_as_it_was(record: Record) -> None:
    before = dict(matplotlib.rcParams)
    page(record)
    assert dict(matplotlib.rcParams) == before
