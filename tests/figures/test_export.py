from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from aeadlab.errors import ArgumentError
from aeadlab.figures.export import export, image
from aeadlab.figures.style import new_figure, settings, venue
from aeadlab.studies.eth.baselines.figures import aead_bars

ENDINGS = ["pdf", "svg", "png", "csv", "json"]
PROVENANCE = {"record": "baselines-1.parquet", "commit": "abc", "call": "aead_bars(samples, venue='lncs')"}

# Draws the same figure in a fresh interpreter, from samples in the file given.
SCRIPT = """
import sys
from io import BytesIO
import pandas as pd
from aeadlab.figures.export import export, image
from aeadlab.studies.eth.baselines.figures import aead_bars
figure, table = aead_bars(pd.read_pickle(sys.argv[1]))
export(figure, table, "figure", sys.argv[2], {"record": "r"})
"""


def simple(width: float = 3.5) -> tuple[Figure, pd.DataFrame]:
    with settings():
        figure = new_figure(width, 1.5)
        figure.add_subplot().bar([1, 2], [3, 4], hatch="//")
        figure.text(0.1, 0.9, "text ÷ “text”")
    return figure, pd.DataFrame({"x": [1, 2], "seconds": [0.1 + 0.2, np.nan]})


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of a simple figure, for tests that only read them."""
    return export(*simple(), "one", tmp_path_factory.mktemp("exported"), PROVENANCE)


def digests(files: list[Path]) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_five_files_are_written(tmp_path: Path) -> None:
    files = export(*simple(), "one", tmp_path / "new" / "folder", PROVENANCE)
    assert [file.name for file in files] == [f"one.{ending}" for ending in ENDINGS]
    assert sorted((tmp_path / "new" / "folder").iterdir()) == sorted(files)


def test_same_inputs_same_bytes(tmp_path: Path, exported: list[Path]) -> None:
    figure, table = simple()
    for _ in range(2):
        assert digests(export(figure, table, "one", tmp_path, PROVENANCE)) == digests(exported)


def test_same_bytes_from_processes_with_other_settings(tmp_path: Path, aead_samples: pd.DataFrame) -> None:
    aead_samples.to_pickle(tmp_path / "samples")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.grid: True\nsvg.hashsalt: other\nsavefig.dpi: 50\n")
    other = {"PYTHONHASHSEED": "2", "SOURCE_DATE_EPOCH": "0", "TZ": "Asia/Tokyo"}
    environment = {**os.environ, **other, "MATPLOTLIBRC": str(tmp_path / "matplotlibrc")}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "samples"), str(tmp_path / "there")]
    subprocess.run(command, check=True, env=environment)
    there = digests(sorted((tmp_path / "there").iterdir()))
    assert len(there) == 5
    assert digests(export(*aead_bars(aead_samples), "figure", tmp_path / "here", {"record": "r"})) == there


def test_no_date_and_no_program_version(exported: list[Path]) -> None:
    pdf, svg, png, _, description = (file.read_bytes() for file in exported)
    for content in (pdf, svg, png, description):
        assert b"atplotlib" not in content.replace(b"matplotlib.", b"")
        assert not re.search(rb"CreationDate|<dc:date>|Software|tIME", content)


def test_fonts_are_embedded_as_truetype(exported: list[Path]) -> None:
    pdf = exported[0].read_bytes()
    assert b"/Type3" not in pdf
    assert b"/FontFile2" in pdf
    fonts = set(re.findall(rb"/BaseFont /(?:[A-Z]{6}\+)?([\w-]+)", pdf))
    assert fonts == {b"DejaVuSans"}


def test_text_can_be_selected_in_the_pdf(exported: list[Path]) -> None:
    pdf = exported[0].read_bytes()
    assert b"/ToUnicode" in pdf, "a viewer finds the characters of the glyphs"


def test_latex_is_written_on_demand(tmp_path: Path) -> None:
    figure, table = simple()
    figure.text(0.1, 0.5, "95 % of a_b")
    files = export(figure, table.assign(same=1), "one", tmp_path, PROVENANCE, ["tex", "pgf"])
    assert [file.name for file in files] == [f"one.{ending}" for ending in (*ENDINGS[:3], "pgf", "tex", *ENDINGS[3:])]
    picture, rules = (file.read_text(encoding="utf-8") for file in files[3:5])
    assert "{3.500000in}{1.500000in}" in picture and r"95 \% of a\_b" in picture
    assert picture.count(r"\begin{pgfscope}") == picture.count(r"\end{pgfscope}") > 5
    assert [rules.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert "x & seconds" in rules and "0.3" in rules and "same" not in rules


def test_the_description_has_the_whole_caption(tmp_path: Path) -> None:
    figure, table = simple()
    figure.caption = "A result. Conditions."  # type: ignore[attr-defined]
    description = export(figure, table, "one", tmp_path, PROVENANCE)[4].read_text(encoding="utf-8")
    assert json.loads(description)["caption"] == "A result. Conditions."


def test_svg_needs_no_font(exported: list[Path]) -> None:
    svg = exported[1].read_text(encoding="utf-8")
    assert "<text" not in svg
    assert "font-family" not in svg


def test_lines_of_one_style_are_one_path_in_the_svg() -> None:
    with settings():
        figure = new_figure(3.5, 1.5)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.errorbar([1, 2, 3], [4, 5, 6], yerr=0.5, fmt="none", ecolor="#112233")
        axes.vlines([1, 2], 4, 6, colors=["#445566", "#778899"])
    paths = re.findall(r'<path d="([^"]*)"[^>]*stroke:(#\w+)', image(figure, "svg").decode())
    assert [(data.count("M"), data.count("L"), colour) for data, colour in paths] == [
        (3, 3, "#112233"), (1, 1, "#445566"), (1, 1, "#778899"),
    ]  # fmt: skip


def test_each_format_has_the_width_of_the_venue(tmp_path: Path) -> None:
    for name in ("lncs", "acm"):
        inches = venue(name).width
        pdf, svg, png, _, description = export(*simple(inches), name, tmp_path, PROVENANCE)
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ", pdf.read_bytes())
        assert box
        assert float(box[1]) == pytest.approx(72 * inches, abs=0.01)
        points = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg.read_text(encoding="utf-8"))
        assert points
        assert float(points[1]) == pytest.approx(72 * inches, abs=0.01)
        assert int.from_bytes(png.read_bytes()[16:20], "big") == int(150 * inches)
        assert json.loads(description.read_text(encoding="utf-8"))["inches"][0] == pytest.approx(inches, abs=1e-4)


def test_colour_reduction_preserves_the_image(aead_samples: pd.DataFrame) -> None:
    figure, _ = aead_bars(aead_samples)
    with settings():
        figure.savefig(drawn := BytesIO(), format="png", dpi=150)
    small = image(figure, "png")
    full, kept = (np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int) for png in (drawn.getvalue(), small))
    assert np.abs(full - kept).max() < 24
    assert ((full == 255).all(axis=2) == (kept == 255).all(axis=2)).mean() > 0.999
    assert len(small) < len(drawn.getvalue()) / 2


def test_areas_keep_their_colours(tmp_path: Path) -> None:
    """Grey areas between many coloured lines had a tint."""
    with settings():
        figure = new_figure(3.5, 1.5)
        axes = figure.add_subplot()
        axes.axvspan(0.5, 0.75, facecolor="#EFEFEF", linewidth=0)
        for number in range(40):
            axes.plot([0, 1], [number, 40 - number], color=(number / 40, 0.3, 1 - number / 40))
    export(figure, pd.DataFrame({"x": [1]}), "areas", tmp_path, PROVENANCE)
    with Image.open(tmp_path / "areas.png") as picture:
        seen = dict(map(reversed, picture.convert("RGB").getcolors(1 << 20)))
    assert seen[0xEF, 0xEF, 0xEF] > 1000
    assert not [colour for colour, count in seen.items() if count > 1000 and len(set(colour)) > 1]


def test_csv_has_five_digits_and_leaves_absent_values_empty(tmp_path: Path) -> None:
    figure, table = simple()
    csv = export(figure, table.assign(exact=[1.23456789012, 1 / 3]), "one", tmp_path, PROVENANCE)[3]
    assert csv.read_text() == "x,seconds,exact\n1,0.3,1.2346\n2,,0.33333\n"


def test_the_description_has_the_provenance(exported: list[Path]) -> None:
    described = json.loads(exported[4].read_text(encoding="utf-8"))
    assert described["provenance"] == PROVENANCE
    assert described["table_sha256"] == digests([exported[3]])["one.csv"]
    assert described["inches"] == [3.5, 1.5]


def test_files_have_the_permissions_of_the_umask(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        files = export(*simple(), "one", tmp_path, PROVENANCE)
    finally:
        os.umask(umask)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o644}


def test_rejects_an_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(ArgumentError, match=re.escape(str(tmp_path / "file" / "figures"))):
        export(*simple(), "one", tmp_path / "file" / "figures", PROVENANCE)
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [("file", "kept")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ArgumentError, match=re.escape(str(tmp_path))):
        export(*simple(), "one", tmp_path, PROVENANCE)
    tmp_path.chmod(0o700)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "with space"])
def test_rejects_a_name_that_is_a_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="use only letters"):
        export(*simple(), name, tmp_path / "new", PROVENANCE)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("value", [object(), float("nan")])
def test_rejects_unserialisable_provenance_before_writing(tmp_path: Path, value: object) -> None:
    with pytest.raises(ArgumentError, match="JSON"):
        export(*simple(), "one", tmp_path / "new", {"record": value})
    assert not (tmp_path / "new").exists()
