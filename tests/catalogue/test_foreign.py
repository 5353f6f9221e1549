"""Shared libraries of the two older shapes, described by a TOML file beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import load
from aeadlab.verify.cached import verified

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
Described = Callable[..., Path]

ASCON = {
    "shape": "supercop",
    "library": "stranger",
    "algorithm": "ascon-aead128",
    "key_bytes": 16,
    "nonce_bytes": 16,
    "tag_bytes": 16,
}


@pytest.fixture
def described(compiled: Compiled, tmp_path: Path) -> Described:
    """``described(key_bytes=16, macros={"ETH": 1})``: Ascon, or another source, with a TOML beside it.

    A field of None is left out.
    """

    def make(source: str = "ascon", macros: dict[str, object] | None = None, **fields: object) -> Path:
        path = tmp_path / "stranger.so"
        # Not overwritten but replaced, as a linker does: what is loaded stays whole.
        path.unlink(missing_ok=True)
        shutil.copy(compiled(source, **(macros or {})), path)
        given = {name: value for name, value in {**ASCON, **fields}.items() if value is not None}
        path.with_suffix(".toml").write_text("".join(f"{name} = {json.dumps(v)}\n" for name, v in given.items()))
        return path

    return make


def refusal(path: Path) -> str:
    catalogue = load([path])
    assert "openssl/aes-256-gcm" in {i.name for i in catalogue}
    assert str(path) not in {i.description.origin for i in catalogue}
    return catalogue.absent[str(path)]


def verdict(path: Path) -> Any:
    catalogue = load([path])
    (stranger,) = [i for i in catalogue if i.description.origin == str(path)]
    return verified([stranger], catalogue)[stranger.name]


SHAPES: dict[str, dict[str, Any]] = {"supercop": {}, "eth": {"macros": {"ETH": 1}, "shape": "eth"}}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_right_one_is_described_by_its_file_and_verified(described: Described, shape: str) -> None:
    path = described(**SHAPES[shape], version="2.0", thread_safe=True)
    d = load([path]).find("stranger/ascon-aead128").description
    assert (d.kind, d.version, d.origin) == ("aead", "2.0", str(path))
    assert (d.key_bytes, d.nonce_bytes, d.tag_bytes) == (16, 16, 16)
    assert "thread-safe" in d.flags
    assert ("no-associated-data" in d.flags) is (shape == "eth")
    report = verdict(path)
    assert report.ok, report.reason
    for name in ("known answers", "agreement", "round trip", "tamper"):
        assert report.check(name).run > 0, name


def test_without_a_word_on_threads_it_has_one(described: Described) -> None:
    assert "thread-safe" not in load([described()]).find("stranger/ascon-aead128").description.flags


@pytest.mark.parametrize("statement", ["c[0]^=1", "*clen+=1", "c[*clen]^=1"])
def test_a_wrong_answer_or_length_is_not_timed(described: Described, statement: str) -> None:
    report = verdict(described(macros={"ON_SEALED": statement}))
    assert not report.ok
    assert report.reason.startswith("known answers: ")


@pytest.mark.parametrize("shape", SHAPES)
def test_one_that_accepts_a_forged_tag_is_not_timed(described: Described, shape: str) -> None:
    given = SHAPES[shape]
    forged = "bytes" if shape == "eth" else "0"
    path = described(**{**given, "macros": {**given.get("macros", {}), "FORGED": forged}})
    report = verdict(path)
    assert not report.ok
    assert report.reason.endswith(": accepted")
    assert report.reason.startswith("tamper: ")


@pytest.mark.parametrize(("statement", "what"), [("mac[16]=1", "tag"), ("if(bytes>0)out[bytes]=1", "output")])
def test_one_that_writes_behind_its_buffers_is_not_timed(described: Described, statement: str, what: str) -> None:
    report = verdict(described(macros={"ETH": 1, "ON_SEALED": statement}, shape="eth"))
    assert report.reason.endswith(f"it reads or writes behind its {what}")


CONTRADICTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "no shape": ({"shape": None}, "has shape None, one of eth, supercop is wanted"),
    "an unknown shape": ({"shape": "caesar"}, "has shape 'caesar', one of eth, supercop is wanted"),
    "no library": ({"library": None}, "lacks the field 'library'"),
    "no length": ({"tag_bytes": None}, "lacks the field 'tag_bytes'"),
    "an unknown field": ({"mac_bytes": 16}, "has an unknown field 'mac_bytes'; there are shape, library, algorithm"),
    "text for a number": ({"key_bytes": "16"}, "key_bytes is '16', of type int is wanted"),
    "a truth for a number": ({"nonce_bytes": True}, "nonce_bytes is True, of type int is wanted"),
    "a number for a truth": ({"thread_safe": 1}, "thread_safe is 1, of type bool is wanted"),
    "no key": ({"key_bytes": 0}, "key_bytes is 0, 1 to 1024 is wanted"),
    "no tag": ({"tag_bytes": 0}, "tag_bytes is 0, 1 to 64 is wanted"),
    "a huge tag": ({"tag_bytes": 65}, "tag_bytes is 65, 1 to 64 is wanted"),
    "a negative nonce": ({"nonce_bytes": -1}, "nonce_bytes is -1, 0 to 64 is wanted"),
    "one function for both": ({"decrypt": "crypto_aead_encrypt"}, "names crypto_aead_encrypt for both encrypt and"),
    "no function": ({"encrypt": ""}, "encrypt is empty: the name of a function is wanted"),
    "a name that is no slug": ({"algorithm": "Ascon AEAD"}, 'its algorithm "Ascon AEAD" is not lower-case letters'),
    "a library that is no slug": ({"library": "../x"}, 'its library "../x" is not lower-case letters'),
    "a function that is not there": ({"encrypt": "seal"}, "it does not export seal, which the file beside it names"),
    "the other shape": ({"shape": "eth"}, "it does not export encrypt, which the file beside it names"),
    "a name that is taken": ({"library": "openssl", "algorithm": "aes-256-gcm"}, "openssl/aes-256-gcm is already in"),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_a_description_that_contradicts_itself_or_the_file_is_refused(described: Described, what: str) -> None:
    fields, why = CONTRADICTIONS[what]
    path = described(**fields)
    said = refusal(path)
    assert said.startswith(str(path.with_suffix("")))
    assert why in said


@pytest.mark.parametrize(
    ("text", "why"),
    [("shape = ", "Invalid value"), ("shape = 'eth'\nshape = 'supercop'\n", "Cannot overwrite a value")],
)
def test_what_is_no_toml_is_refused(described: Described, text: str, why: str) -> None:
    path = described()
    path.with_suffix(".toml").write_text(text)
    assert f"{path.with_suffix('.toml')} describes no plugin: {why}" in refusal(path)


def test_what_is_not_text_is_refused(described: Described) -> None:
    path = described()
    path.with_suffix(".toml").write_bytes(b"\xff\xfe")
    assert "describes no plugin: 'utf-8' codec" in refusal(path)


def test_a_plugin_of_ours_needs_no_description(described: Described) -> None:
    path = described("toy")
    assert "it exports aeadlab_library_v1 and describes itself: delete the file beside it" in refusal(path)


def test_a_description_is_read_again_when_it_changes(described: Described) -> None:
    assert "openssl" in refusal(described(library="openssl", algorithm="aes-256-gcm"))
    assert load([described()]).find("stranger/ascon-aead128")


def test_a_wrong_length_fails_and_is_not_remembered_when_mended(described: Described) -> None:
    assert not verdict(described(tag_bytes=8)).ok
    assert verdict(described()).ok
