"""Plugins of a legacy shape, described by a TOML file."""

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
    "library": "legacy",
    "algorithm": "ascon-aead128",
    "key_bytes": 16,
    "nonce_bytes": 16,
    "tag_bytes": 16,
}


@pytest.fixture
def described(compiled: Compiled, tmp_path: Path) -> Described:
    """``described(key_bytes=16, macros={"ETH": 1})`` compiles a plugin and writes its description.

    A field of None is omitted from the description.
    """

    def make(source: str = "ascon", macros: dict[str, object] | None = None, **fields: object) -> Path:
        path = tmp_path / "legacy.so"
        # Replaced instead of overwritten, because this process may have loaded the file.
        path.unlink(missing_ok=True)
        shutil.copy(compiled(source, **(macros or {})), path)
        given = {name: value for name, value in {**ASCON, **fields}.items() if value is not None}
        path.with_suffix(".toml").write_text("".join(f"{name} = {json.dumps(v)}\n" for name, v in given.items()))
        return path

    return make


def rejection(path: Path) -> str:
    catalogue = load([path])
    assert "openssl/aes-256-gcm" in {i.name for i in catalogue}
    assert str(path) not in {i.description.origin for i in catalogue}
    return catalogue.absent[str(path)]


def verdict(path: Path) -> Any:
    catalogue = load([path])
    (implementation,) = [i for i in catalogue if i.description.origin == str(path)]
    return verified([implementation], catalogue)[implementation.name]


SHAPES: dict[str, dict[str, Any]] = {"supercop": {}, "eth": {"macros": {"ETH": 1}, "shape": "eth"}}


@pytest.mark.parametrize("shape", SHAPES)
def test_described_plugin_passes_verification(described: Described, shape: str) -> None:
    path = described(**SHAPES[shape], version="2.0", thread_safe=True)
    d = load([path]).find("legacy/ascon-aead128").description
    assert (d.kind, d.version, d.origin) == ("aead", "2.0", str(path))
    assert (d.key_bytes, d.nonce_bytes, d.tag_bytes) == (16, 16, 16)
    assert "thread-safe" in d.flags
    assert ("no-associated-data" in d.flags) is (shape == "eth")
    report = verdict(path)
    assert report.ok, report.reason
    for name in ("known answers", "agreement", "round trip", "tamper"):
        assert report.check(name).run > 0, name


def test_plugin_is_not_thread_safe_by_default(described: Described) -> None:
    assert "thread-safe" not in load([described()]).find("legacy/ascon-aead128").description.flags


@pytest.mark.parametrize("statement", ["c[0]^=1", "*clen+=1", "c[*clen]^=1"])
def test_rejects_wrong_output_and_length(described: Described, statement: str) -> None:
    report = verdict(described(macros={"ON_SEALED": statement}))
    assert not report.ok
    assert report.reason.startswith("known answers: ")


@pytest.mark.parametrize("shape", SHAPES)
def test_rejects_a_plugin_that_accepts_a_forged_tag(described: Described, shape: str) -> None:
    given = SHAPES[shape]
    forged = "bytes" if shape == "eth" else "0"
    path = described(**{**given, "macros": {**given.get("macros", {}), "FORGED": forged}})
    report = verdict(path)
    assert not report.ok
    assert report.reason.endswith("open accepted an invalid message")
    tamper = report.check("tamper")
    assert tamper is not None and tamper.failures[0].endswith(": accepted")


@pytest.mark.parametrize(("statement", "buffer"), [("mac[16]=1", "tag"), ("if(bytes>0)out[bytes]=1", "output")])
def test_rejects_writes_beyond_the_buffers(described: Described, statement: str, buffer: str) -> None:
    report = verdict(described(macros={"ETH": 1, "ON_SEALED": statement}, shape="eth"))
    assert report.reason.endswith(f"it reads or writes behind its {buffer}")


PARTS: dict[str, dict[str, object]] = {
    "cipher": {"shape": "eth-cipher", "algorithm": "xor", "key_bytes": 32, "nonce_bytes": 0, "tag_bytes": None},
    "hash": {"shape": "eth-hash", "algorithm": "crc-32c", "key_bytes": 0, "nonce_bytes": 0, "tag_bytes": 4},
}


@pytest.mark.parametrize("kind", PARTS)
def test_functions_that_only_encrypt_or_hash_pass_verification(described: Described, kind: str) -> None:
    path = described("parts", **PARTS[kind], thread_safe=True)
    d = load([path]).find(f"legacy/{PARTS[kind]['algorithm']}").description
    assert (d.kind, d.key_bytes, d.tag_bytes) == (kind, PARTS[kind]["key_bytes"], PARTS[kind]["tag_bytes"] or 0)
    assert "thread-safe" in d.flags
    report = verdict(path)
    assert report.ok, report.reason
    assert report.check("agreement").run > 0


@pytest.mark.parametrize(
    ("kind", "macros"),
    [
        ("cipher", {"ON_ENCRYPTED": "if(bytes>9)out[9]^=1"}),
        ("cipher", {"RESULT": "bytes+1"}),
        ("cipher", {"ON_ENCRYPTED": "if(bytes>0)out[bytes]=1"}),
        ("hash", {"ON_HASHED": "mac[3]^=1"}),
        ("hash", {"RESULT": "4"}),
        ("hash", {"ON_HASHED": "mac[4]=1"}),
    ],
    ids=["ciphertext", "length", "behind the output", "digest", "digest length", "behind the digest"],
)
def test_rejects_wrong_functions_that_only_encrypt_or_hash(
    described: Described, kind: str, macros: dict[str, object]
) -> None:
    assert not verdict(described("parts", macros=macros, **PARTS[kind])).ok


INVALID: dict[str, tuple[dict[str, Any], str]] = {
    "no shape": ({"shape": None}, "has shape None, one of eth, eth-cipher, eth-hash, supercop expected"),
    "an unknown shape": (
        {"shape": "caesar"},
        "has shape 'caesar', one of eth, eth-cipher, eth-hash, supercop expected",
    ),
    "no library": ({"library": None}, "lacks the field 'library'"),
    "no length": ({"tag_bytes": None}, "lacks the field 'tag_bytes'"),
    "an unknown field": ({"mac_bytes": 16}, "has the unknown field 'mac_bytes', one of shape, library, algorithm"),
    "text for a number": ({"key_bytes": "16"}, "key_bytes is '16', type int expected"),
    "a truth value for a number": ({"nonce_bytes": True}, "nonce_bytes is True, type int expected"),
    "a number for a truth value": ({"thread_safe": 1}, "thread_safe is 1, type bool expected"),
    "no key": ({"key_bytes": 0}, "key_bytes is 0, 1 to 1024 expected"),
    "no tag": ({"tag_bytes": 0}, "tag_bytes is 0, 1 to 64 expected"),
    "a huge tag": ({"tag_bytes": 65}, "tag_bytes is 65, 1 to 64 expected"),
    "a negative nonce": ({"nonce_bytes": -1}, "nonce_bytes is -1, 0 to 64 expected"),
    "one function for both": ({"decrypt": "crypto_aead_encrypt"}, "names crypto_aead_encrypt for encrypt and decrypt"),
    "a function of another shape": ({"hash": "h"}, "names hash, which the shape supercop does not have"),
    "a tag of a cipher": (
        {"shape": "eth-cipher", "tag_bytes": 16},
        "tag_bytes is 16, 0 to 0 expected",
    ),
    "decrypt of a hash": ({"shape": "eth-hash", "decrypt": "d"}, "names decrypt, which the shape eth-hash"),
    "no hash function": ({"shape": "eth-hash"}, "it does not export hash, which "),
    "no function": ({"encrypt": ""}, "encrypt is empty, the name of a function expected"),
    "an invalid algorithm name": (
        {"algorithm": "Ascon AEAD"},
        'its algorithm "Ascon AEAD" must consist of lower-case letters',
    ),
    "an invalid library name": ({"library": "../x"}, 'its library "../x" must consist of lower-case letters'),
    "a missing function": ({"encrypt": "seal"}, "it does not export seal, which "),
    "the other shape": ({"shape": "eth"}, "it does not export encrypt, which "),
    "a duplicate name": ({"library": "openssl", "algorithm": "aes-256-gcm"}, "openssl/aes-256-gcm is already in"),
}


@pytest.mark.parametrize("fault", INVALID)
def test_rejects_invalid_descriptions(described: Described, fault: str) -> None:
    fields, reason = INVALID[fault]
    path = described(**fields)
    message = rejection(path)
    assert message.startswith(str(path.with_suffix("")))
    assert reason in message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("shape = ", "Invalid value"),
        ("shape = 'eth'\nshape = 'supercop'\n", "Cannot overwrite a value"),
        ("shape = " + "[" * 5000, "maximum recursion depth"),
        ("key_bytes = " + "9" * 5000, "Exceeds the limit"),
        ("#" * 70_000, "description"),
    ],
    ids=["incomplete", "twice", "deep", "long number", "large"],
)
def test_rejects_invalid_toml(described: Described, text: str, reason: str) -> None:
    path = described()
    path.with_suffix(".toml").write_text(text)
    assert f"{path.with_suffix('.toml')} is not a description of a plugin: {reason}" in rejection(path)


@pytest.mark.parametrize("value", ["0x" + "f" * 5000, "[0x" + "f" * 5000 + "]"])
@pytest.mark.parametrize("field", ["shape", "key_bytes", "version"])
def test_shows_a_number_that_python_does_not_write(described: Described, field: str, value: str) -> None:
    path = described()
    description = path.with_suffix(".toml")
    lines = [line for line in description.read_text().splitlines() if not line.startswith(f"{field} =")]
    description.write_text("\n".join([*lines, f"{field} = {value}"]))
    assert "a number of thousands of digits" in rejection(path)


def test_rejects_a_description_that_is_not_utf_8(described: Described) -> None:
    path = described()
    path.with_suffix(".toml").write_bytes(b"\xff\xfe")
    assert "is not a description of a plugin: 'utf-8' codec" in rejection(path)


def test_rejects_a_description_of_a_plugin_with_the_c_abi(described: Described) -> None:
    path = described("toy")
    assert "it exports aeadlab_library_v1 and needs no description: delete " in rejection(path)


def test_reads_a_changed_description_again(described: Described) -> None:
    assert "openssl" in rejection(described(library="openssl", algorithm="aes-256-gcm"))
    assert load([described()]).find("legacy/ascon-aead128")


def test_verifies_again_after_a_description_is_corrected(described: Described) -> None:
    assert not verdict(described(tag_bytes=8)).ok
    assert verdict(described()).ok
