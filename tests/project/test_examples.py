"""Every code block of the documentation is executed, parsed, or declared as no code in `tests.fixtures.examples`."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from aeadlab.cli import parser
from tests.fixtures.examples import (
    COMMANDS,
    EXECUTED,
    NOT_CODE,
    PAGES,
    ROOT,
    Block,
    blocks,
    blocks_of,
    commands,
    treatment,
)

ALL = [block for page in PAGES for block in blocks(page)]
HERE = [block for block in ALL if block.place not in EXECUTED and block.place[2] not in NOT_CODE]


def run_python(block: Block, folder: Path) -> None:
    exec(compile(block.text, block.name, "exec"), {})


def parse_shell(block: Block, folder: Path) -> None:
    for words in commands(block, folder):
        assert treatment(words) is not None, f"{block.name}: add `{' '.join(words[:2])}` to COMMANDS"
        CHECKS[words[0]](words[1:])


def compile_c(block: Block, folder: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "shown.c").write_text(f"#include <stddef.h>\n#include <stdint.h>\n{block.text}")
    options = ["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/native/include"]
    done = subprocess.run([compiler, *options, folder / "shown.c"], capture_output=True, text=True)
    assert done.returncode == 0, f"{block.name}: {done.stderr}"


def parse_toml(block: Block, folder: Path) -> None:
    assert tomllib.loads(block.text)


def find_makefile(block: Block, folder: Path) -> None:
    made = [path for path in ROOT.glob("native/plugins/*/Makefile") if path.read_text() == block.text]
    assert made, f"{block.name}: no plugin has this Makefile"


LANGUAGES: Mapping[str, Callable[[Block, Path], None]] = {
    "python": run_python,
    "sh": parse_shell,
    "c": compile_c,
    "toml": parse_toml,
    "make": find_makefile,
}


def check_aeadlab(words: list[str]) -> None:
    # The parser ends the process for a wrong command line, and with status 0 after `--print-completion`.
    try:
        parser().parse_args(words)
    except SystemExit as exit_:
        assert exit_.code == 0, words


def check_make(words: list[str]) -> None:
    if words[:1] == ["-C"]:
        words = words[2:]
    named = {word for word in words if "=" not in word}
    assert named and named <= make_targets()


@cache
def make_targets() -> set[str]:
    """Return the targets of the Makefile, from its database, since make runs recursive recipes even with -n."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--dry-run", "--print-data-base", "help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=True)
    return set(re.findall(r"^([\w-]+):(?!=)", done.stdout, re.MULTILINE))


def check_cargo(words: list[str]) -> None:
    given = dict(zip(words, words[1:], strict=False))
    assert "--manifest-path" in given, "the repository has no manifest at its root"
    query = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(
        [*query, "--manifest-path", given["--manifest-path"]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    (package,) = [entry for entry in json.loads(done.stdout)["packages"] if entry["name"] == given["--package"]]
    assert given["--example"] in {target["name"] for target in package["targets"] if "example" in target["kind"]}


def check_dask(words: list[str]) -> None:
    from distributed.cli import dask_scheduler, dask_worker

    program: Any = {"scheduler": dask_scheduler, "worker": dask_worker}[words[0]].main
    program.make_context(words[0], words[1:])
    # Dask ignores unknown options, because modules of --preload may have some.
    known = {option for parameter in program.params for option in parameter.opts}
    assert {word.partition("=")[0] for word in words if word.startswith("-")} <= known


def check_git(words: list[str]) -> None:
    # Git prints the usage of an existing subcommand, and exits with status 129.
    assert subprocess.run(["git", words[0], "-h"], capture_output=True).returncode == 129


CHECKS: Mapping[str, Callable[[list[str]], object]] = {
    "aeadlab": check_aeadlab,
    "make": check_make,
    "cargo": check_cargo,
    "dask": check_dask,
    "git": check_git,
    ".ci/run": lambda words: None,
}


@pytest.mark.parametrize("block", HERE, ids=lambda block: block.name)
def test_block_is_executed_or_parsed(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language = block.language or "(none)"
    assert language in LANGUAGES, (
        f"{block.name} has the info string {block.place[2]!r}: name the test that executes it in EXECUTED of "
        f"tests/fixtures/examples.py, or declare it as {' or '.join(NOT_CODE)}"
    )
    monkeypatch.chdir(tmp_path)
    LANGUAGES[language](block, tmp_path)


@pytest.mark.parametrize(("place", "test"), EXECUTED.items(), ids=lambda value: str(value))
def test_named_test_reads_the_blocks_of_its_page(place: tuple[str, str, str], test: str) -> None:
    assert [block for block in ALL if block.place == place], f"{place} has no block: delete it from EXECUTED"
    path, _, function = test.partition("::")
    source = (ROOT / path).read_text(encoding="utf-8")
    assert function in {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    assert f'"{place[0]}"' in source and "tests.fixtures.examples import" in source


def test_named_commands_are_shown(tmp_path: Path) -> None:
    shell = [block for block in HERE if block.language == "sh"]
    assert len(shell) > 8
    calls = [words for block in shell for words in commands(block, tmp_path)]
    unused = set(COMMANDS) - {" ".join(words[:count]) for words in calls for count in (1, 2)}
    assert not unused, "delete them from COMMANDS"
    named = [path for reason in COMMANDS.values() for path in re.findall(r"tests/[\w/.]+", reason)]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_blocks_are_found_with_place_and_line() -> None:
    indented = "# T\n\n    ls   all files\n    pwd\n\ntext\n    no block\n\n"
    fenced = "## H\n\n```c\nint a;\n\nint b;\n```\n- x\n  ~~~\n  y\n  ~~~\n"
    found = [(block.place, block.line, block.text) for block in blocks_of(indented + fenced, "P")]
    assert found == [
        (("P", "", "sh"), 3, "ls\npwd\n"),
        (("P", "H", "c"), 11, "int a;\n\nint b;\n"),
        (("P", "H", ""), 17, "  y\n"),
    ]


@pytest.mark.parametrize(
    ("info", "text"),
    [
        ("", "x = 1\n"),
        ("rust", "fn main() {}\n"),
        ("sh", "aeadlab no-such-verb baselines\n"),
        ("sh", "aeadlab list --no-such-option\n"),
        ("sh", "make no-such-target\n"),
        ("sh", "rm -r build\n"),
        ("sh", "if true\n"),
        ("sh", "dask worker --no-such-option\n"),
        ("sh", "cargo run --manifest-path native/Cargo.toml --package parsplit --example none\n"),
        ("sh", "git no-such-subcommand\n"),
        ("c", "int f(void) { return g(); }\n"),
        ("make", "APT := none\n"),
        ("python", "import aeadlab.no_such_module\n"),
    ],
)
def test_wrong_block_fails(info: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = blocks_of(f"```{info}\n{text}```\n", "page.md")
    with pytest.raises((AssertionError, SystemExit, ImportError)):
        test_block_is_executed_or_parsed(block, tmp_path, monkeypatch)
