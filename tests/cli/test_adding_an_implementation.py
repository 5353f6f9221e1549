"""The files and commands in docs/ADDING-AN-IMPLEMENTATION.md work as described."""

from __future__ import annotations

import csv
import doctest
import importlib.util
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import load, plugins
from aeadlab.parsplit import implementations
from aeadlab.verify import verify
from aeadlab.verify.cached import verified
from tests.fixtures.examples import find

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "docs/template-plugin"
PAGE = "docs/ADDING-AN-IMPLEMENTATION.md"

Compiled = Callable[..., Path]
Command = Callable[..., Any]


@pytest.fixture
def follow(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Return a function that runs the commands of a section in an empty folder."""
    folder = tmp_path / "my-plugin"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LAB", str(ROOT))
    # The document names the default target folder of cargo.
    monkeypatch.delenv("CARGO_TARGET_DIR", raising=False)
    monkeypatch.setattr(plugins, "_registered", {})

    def run(section: str) -> None:
        # Dots in the shown output stand for any text.
        for commands, printed in zip(find(PAGE, section, "sh"), find(PAGE, section, "text output"), strict=True):
            output = ""
            for line in commands.splitlines():
                if line.startswith("aeadlab "):
                    done = command(*shlex.split(line)[1:])
                    assert (done.code, done.err) == (0, ""), line
                    output += done.out
                else:
                    made = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
                    assert (made.returncode, made.stdout + made.stderr) == (0, ""), line
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            # Dots can stand for no line at all.
            expected = printed.replace("\n...\n", "...\n")
            assert doctest.OutputChecker().check_output(expected, output, flags), output

    yield run
    implementations._catalogue.cache_clear()


@pytest.mark.parametrize("section", ["C", "C++", "Rust"])
def test_section_yields_a_verified_and_timed_plugin(
    follow: Callable[[str], None], section: str, tmp_path: Path
) -> None:
    follow(section)
    (record,) = (tmp_path / "results/records").glob("baselines-*.parquet")
    assert record.stat().st_size > 0
    examples = find(PAGE, section, "python")
    assert len(examples) == (section == "Rust"), "the plugin in Rust is used with ParSplit"
    for example in examples:
        exec(compile(example, "the document", "exec"), {})


@pytest.mark.parametrize(
    ("section", "language", "file"),
    [
        ("C", "c", "c/chacha20.c"),
        ("C++", "cpp", "cpp/siphash.cpp"),
        ("Rust", "toml", "rust/Cargo.toml"),
        ("Rust", "rust", "rust/src/lib.rs"),
    ],
)
def test_document_shows_the_template_files(section: str, language: str, file: str) -> None:
    assert find(PAGE, section, language) == [(TEMPLATE / file).read_text(encoding="utf-8")]


def test_template_has_no_other_files() -> None:
    files = {path.relative_to(TEMPLATE).as_posix() for path in TEMPLATE.rglob("*") if path.is_file()}
    assert files == {"c/chacha20.c", "cpp/siphash.cpp", "rust/Cargo.toml", "rust/src/lib.rs"}


def test_sources_of_nist_and_supercop_compile_and_are_verified(follow: Callable[[str], None]) -> None:
    (description,) = find(PAGE, "Legacy shapes", "toml")
    source = (ROOT / "tests/plugins/ascon.c").read_text(encoding="utf-8")
    # The submission has its lengths in api.h and includes crypto_aead.h, which is not part of it.
    Path("api.h").write_text("#define CRYPTO_KEYBYTES 16\n#define CRYPTO_NPUBBYTES 16\n#define CRYPTO_ABYTES 16\n")
    Path("encrypt.c").write_text(f'#include "api.h"\n{source}_Static_assert(TAG_BYTES == CRYPTO_ABYTES, "tag");\n')
    Path("mine.toml").write_text(description)
    follow("Legacy shapes")


def test_functions_of_the_eth_paper_need_the_shown_description(
    follow: Callable[[str], None], compiled: Compiled
) -> None:
    (description,) = find(PAGE, "Legacy shapes", "toml")
    # The copy is a different file from the loaded plugin.
    Path("mine.so").write_bytes(compiled("ascon", ETH=1).read_bytes())
    for old, new in {"crypto_aead_": "", '"supercop"': '"eth"'}.items():
        description = description.replace(old, new)
    Path("mine.toml").write_text(description)
    catalogue = load([Path("mine.so")])
    assert verified([catalogue.find("mine/ascon-aead128")], catalogue)["mine/ascon-aead128"].ok


def test_optional_fields_have_the_shown_defaults(follow: Callable[[str], None], compiled: Compiled) -> None:
    (description,) = find(PAGE, "Legacy shapes", "toml")
    Path("mine.so").write_bytes(compiled("ascon").read_bytes())
    descriptions = []
    for text in (description, description.partition("# The fields below")[0]):
        Path("mine.toml").write_text(text)
        descriptions.append(load([Path("mine.so")]).find("mine/ascon-aead128").description)
    assert descriptions[0] == descriptions[1]


@pytest.mark.usefixtures("own_folders")
def test_python_adapter_is_verified(tmp_path: Path) -> None:
    (adapter,) = find(PAGE, "A Python package", "python")
    path = tmp_path / "mine.py"
    path.write_text(adapter)
    spec = importlib.util.spec_from_file_location("mine", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (mine,) = module.implementations()
    # Child processes do not have an adapter that is not a file of the package.
    assert verify(mine, load()).ok
    keyed = mine.prepare_call("digest", "keyed", bytes(32), b"", b"data")
    assert keyed() == keyed() == mine.digest(bytes(32), b"", b"data")


def test_shown_known_answer_is_in_the_table() -> None:
    (example,) = find(PAGE, "Verification", "csv")
    table = (ROOT / "aeadlab/verify/sources/answers.csv").read_text(encoding="utf-8").splitlines()
    header, row = example.splitlines()
    assert {header, row} <= set(table)
    assert len(next(csv.reader([row]))) == len(header.split(","))


def test_links_have_targets() -> None:
    for name in ("ADDING-AN-IMPLEMENTATION.md", "PLUGIN-ABI.md"):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        targets = re.findall(r"\]\(([^)#]+)\)", text)
        assert targets
        assert [target for target in targets if not (ROOT / "docs" / target).exists()] == []
