"""The commands that the documentation shows and that take at most a few seconds succeed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.examples import COMMANDS, EXECUTED, NOT_CODE, PAGES, blocks, commands, treatment


def shown(folder: Path) -> set[str]:
    """Return the command lines of all pages that no other test executes and that are to be run."""
    found = [b for page in PAGES for b in blocks(page) if b.place not in EXECUTED and b.place[2] not in NOT_CODE]
    calls = [words for block in found if block.language == "sh" for words in commands(block, folder)]
    return {shlex.join(words) for words in calls if treatment(words) == "run"}


def test_short_commands_succeed(command: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = shown(tmp_path_factory.mktemp("shown"))
    assert {line.split()[1] for line in lines} == {verb.split()[1] for verb, how in COMMANDS.items() if how == "run"}
    for line in sorted(lines):
        done = command(*shlex.split(line)[1:])
        assert (done.code, done.err) == (0, ""), line
        assert done.out, line
