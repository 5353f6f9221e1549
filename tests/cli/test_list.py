from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import Description, gil, load, plugins
from aeadlab.cli.list import render
from aeadlab.errors import MeasurementError
from aeadlab.verify import Report

CHACHA = "chacha20-poly1305"
Compiled = Callable[..., Path]
Command = Callable[..., Any]


def test_text_has_every_implementation_within_80_columns(command: Command) -> None:
    said = command("list")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    catalogue = load()
    blocks = {block.split()[0]: block for block in said.out.split("\n\n")}
    for i in catalogue:
        d = i.description
        (row,) = (line.split() for line in blocks[d.library].splitlines()[1:] if line.startswith(f"  {d.algorithm} "))
        assert row[1:5] == [d.kind, str(d.key_bytes), str(d.nonce_bytes), str(d.tag_bytes)]
        assert d.version in blocks[d.library]
    assert f"{len(catalogue)} implementations: " in said.out


def test_json_is_the_catalogue(command: Command, compiled: Compiled) -> None:
    toy, bad = compiled("toy"), compiled("other")
    said = command("list", "--json", "--plugins", toy, "--plugins", bad)
    assert (said.code, said.err) == (0, "")
    listed = json.loads(said.out)
    assert set(listed) == {"implementations", "absent"}
    assert [row["name"] for row in listed["implementations"]] == [i.name for i in load([toy])]
    (row,) = (row for row in listed["implementations"] if row["name"] == "toy/xor-tag")
    assert row == {
        **{"name": "toy/xor-tag", "library": "toy", "algorithm": "xor-tag", "kind": "aead", "version": "1.2.3"},
        **{"build": "for tests", "kernel": "portable C", "origin": str(toy)},
        **{"key_bytes": 32, "nonce_bytes": 12, "tag_bytes": 16, "block_bytes": 1},
        **{"flags": ["in-place", "research", "thread-safe"], "verified": None, "reason": ""},
    }
    assert listed["absent"] == load([bad]).absent


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--library", "baseline"), ["baseline/delay", "baseline/memcpy", "baseline/xor"]),
        (("--library", "ring", "--kind", "aead"), [f"ring/{a}" for a in ("aes-128-gcm", "aes-256-gcm", CHACHA)]),
        (("--library", "pyca", "--algorithm", "md5"), ["pyca/md5"]),
        (("--kind", "generator", "--library", "baseline"), []),
    ],
    ids=str,
)
def test_options_narrow_the_list(command: Command, words: tuple[str, ...], names: list[str]) -> None:
    listed = json.loads(command("list", *words, "--json").out)["implementations"]
    assert sorted(row["name"] for row in listed) == names
    text = command("list", *words).out
    assert "no implementation matches" in text if not names else f"{len(names)} implementations: " in text


def test_an_absent_plugin_is_said_within_80_columns(command: Command, compiled: Compiled) -> None:
    bad = compiled("toy", ABI="7u")
    said = command("list", "--plugins", bad)
    assert said.code == 0
    tail = said.out.split("\n\n")[-1]
    assert tail.startswith("absent: ")
    assert "ABI version 7" in " ".join(tail.split())
    assert max(map(len, tail.splitlines())) <= 80


def test_plugins_of_the_environment_are_listed(
    command: Command, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join(["", str(compiled("toy").parent)]))
    assert "toy  1.2.3  (plugin)\n  kernel portable C\n" in command("list", "--library", "toy").out


def test_the_lock_is_listed_where_it_was_probed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("list", "--library", "hashlib", "--kind", "hash")
    assert "releases_gil" not in command(*words, "--json").out
    assert "-gil" not in command(*words).out
    monkeypatch.setattr(gil, "releases_gil", lambda _: True)
    probed = command(*words, "--algorithm", "sha-256", "--probe", "--json")
    assert (probed.code, probed.err) == (0, "")
    (row,) = json.loads(probed.out)["implementations"]
    assert row["releases_gil"] is True
    rows = json.loads(command(*words, "--json").out)["implementations"]
    assert [r["name"] for r in rows if "releases_gil" in r] == ["hashlib/sha-256"]
    assert command(*words).out.count("releases-gil") == 1


def test_what_cannot_be_told_is_left_out(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def untold(_: object) -> bool:
        raise MeasurementError("too short")

    monkeypatch.setattr(gil, "releases_gil", untold)
    said = command("list", "--library", "hashlib", "--algorithm", "sha-256", "--probe", "--json")
    assert said.code == 0 and "releases_gil" not in said.out


@pytest.mark.parametrize("verb", [("list",), ("verify",), ("measure", "baselines", "--profile", "smoke")], ids=str)
def test_a_mistyped_path_of_plugins_is_wrong_use(command: Command, tmp_path: Path, verb: tuple[str, ...]) -> None:
    for place, why in ((tmp_path / "no-such.so", "there is no "), (tmp_path, "no file of the folder ")):
        said = command(*verb, "--plugins", place)
        assert (said.code, said.out) == (2, "")
        assert f"argument --plugins: {why}{place}" in said.err


def describe(library: str, algorithm: str, **facts: Any) -> Description:
    return Description(library, algorithm, "aead", **{"version": "1"} | facts)


def test_a_library_of_two_origins_has_two_headings() -> None:
    linked = [describe("both", "one"), describe("both", "two")]
    text = render([*linked, describe("both", "three", version="2", origin="/plugins/both.so")], {})
    assert [block.splitlines()[0] for block in text.split("\n\n")[:2]] == ["both  1  (linked)", "both  2  (plugin)"]


def test_kernels_that_differ_stand_with_their_rows() -> None:
    kernels = {"one": "AVX2", "two": "SSE2", "three": ""}
    rows = [describe("mixed", algorithm, kernel=kernel) for algorithm, kernel in kernels.items()]
    text = render(rows, {})
    assert "kernel" not in text
    ends = {line.split()[0]: line.split()[-1] for line in text.splitlines()[2:5]}
    assert ends == {"one": "[AVX2]", "two": "[SSE2]", "three": "-"}


def test_long_texts_are_broken_not_cut() -> None:
    flags = frozenset({"in-place", "thread-safe", "parallel", "any-nonce-length", "research", "historical"})
    long = describe("library", "a-rather-long-algorithm-name", version="v" * 100, kernel="k" * 200, flags=flags)
    text = render([long], {"x" * 90: "y" * 90})
    assert max(map(len, text.splitlines())) <= 80
    joined = "".join(text.split())
    words = flags - {"in-place", "thread-safe", "any-nonce-length"}
    assert all(part in joined for part in ("v" * 100, "k" * 200, "x" * 90, "y" * 90, *words))
    assert " itn " in text


def test_what_verification_found_stands_with_the_row_and_why() -> None:
    rows = [describe("library", name) for name in ("right", "wrong", "alone", "new")]
    reports = {
        "library/right": Report("library/right", "1", (), False, ""),
        "library/wrong": Report("library/wrong", "1", (), False, "known answers: 3 of 5 failed"),
        "library/alone": Report("library/alone", "1", (), True, "cannot be verified"),
    }
    lines = [line.split() for line in render(rows, {}, reports=reports).split("\n\n")[0].splitlines()[2:]]
    assert [line[-1] for line in lines if line[1] == "aead"] == ["ok", "FAILED", "?", "-"]
    assert [" ".join(line) for line in lines if line[1] != "aead"] == [
        "known answers: 3 of 5 failed",
        "cannot be verified",
    ]
