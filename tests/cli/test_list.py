from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import gil, load, plugins
from aeadlab.errors import MeasurementError

CHACHA = "chacha20-poly1305"
Compiled = Callable[..., Path]
Command = Callable[..., Any]


def test_text_lists_all_implementations_in_80_columns(command: Command) -> None:
    result = command("list")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    catalogue = load()
    blocks: dict[str, str] = {}
    for block in result.out.split("\n\n"):
        # A library has a block for each origin.
        blocks[block.split()[0]] = "\n".join([blocks.get(block.split()[0], ""), block])
    for i in catalogue:
        d = i.description
        (row,) = (line.split() for line in blocks[d.library].splitlines()[1:] if line.startswith(f"  {d.algorithm} "))
        assert row[1:5] == [d.kind, str(d.key_bytes), str(d.nonce_bytes), str(d.tag_bytes)]
        assert d.version in blocks[d.library]
    assert f"{len(catalogue)} implementations: " in result.out


def test_json_has_the_fields_of_the_catalogue(command: Command, compiled: Compiled) -> None:
    toy, bad = compiled("toy"), compiled("other")
    result = command("list", "--json", "--plugins", toy, "--plugins", bad)
    assert (result.code, result.err) == (0, "")
    listed = json.loads(result.out)
    assert set(listed) == {"implementations", "absent"}
    assert [row["name"] for row in listed["implementations"]] == [i.name for i in load([toy])]
    (row,) = (row for row in listed["implementations"] if row["name"] == "toy/xor-tag")
    assert row == {
        **{"name": "toy/xor-tag", "library": "toy", "algorithm": "xor-tag", "kind": "aead", "version": "1.2.3"},
        **{"build": "for tests", "kernel": "portable C", "origin": str(toy)},
        **{"key_bytes": 32, "nonce_bytes": 12, "tag_bytes": 16, "block_bytes": 1},
        **{"max_bytes": 0, "max_aad_bytes": 0},
        **{"flags": ["in-place", "research", "thread-safe"], "feature_switch": "", "verified": None, "reason": ""},
    }
    assert listed["absent"] == load([bad]).absent


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--library", "baseline"), [f"baseline/{a}" for a in ("copy", "copy-stream", "delay", "memcpy", "xor")]),
        (("--library", "ring", "--kind", "aead"), [f"ring/{a}" for a in ("aes-128-gcm", "aes-256-gcm", CHACHA)]),
        (("--library", "pyca", "--algorithm", "md5"), ["pyca/md5"]),
        (("--kind", "generator", "--library", "baseline"), []),
    ],
    ids=str,
)
def test_options_restrict_the_list(command: Command, words: tuple[str, ...], names: list[str]) -> None:
    listed = json.loads(command("list", *words, "--json").out)["implementations"]
    assert sorted(row["name"] for row in listed) == names
    text = command("list", *words).out
    assert "no implementation matches" in text if not names else f"{len(names)} implementations: " in text


def test_absent_plugins_are_listed_within_80_columns(command: Command, compiled: Compiled) -> None:
    bad = compiled("toy", ABI="7u")
    result = command("list", "--plugins", bad)
    assert result.code == 0
    tail = result.out.split("\n\n")[-1]
    assert tail.startswith("absent: ")
    assert "ABI version 7" in " ".join(tail.split())
    assert max(map(len, tail.splitlines())) <= 80


def test_lists_plugins_of_the_environment_variable(
    command: Command, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join(["", str(compiled("toy").parent)]))
    assert "toy  1.2.3  (plugin)\n  kernel portable C\n" in command("list", "--library", "toy").out


def test_shows_the_gil_of_probed_implementations(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_omits_the_gil_of_calls_too_short_to_probe(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_short(_: object) -> bool:
        raise MeasurementError("too short")

    monkeypatch.setattr(gil, "releases_gil", too_short)
    result = command("list", "--library", "hashlib", "--algorithm", "sha-256", "--probe", "--json")
    assert result.code == 0 and "releases_gil" not in result.out


@pytest.mark.parametrize("verb", [("list",), ("verify",), ("measure", "baselines", "--profile", "smoke")], ids=str)
def test_rejects_a_wrong_path_of_plugins(command: Command, tmp_path: Path, verb: tuple[str, ...]) -> None:
    for place, why in ((tmp_path / "no.so", "{} does not exist"), (tmp_path, "the folder {} contains no .so file")):
        result = command(*verb, "--plugins", place)
        assert (result.code, result.out) == (2, "")
        assert f"argument --plugins: {why.format(place)}" in result.err
