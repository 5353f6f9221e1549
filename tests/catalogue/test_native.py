from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeadlab import _native
from aeadlab.catalogue import native
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, AuthenticationError, BufferError, Error, PluginError

LINKED = {i.name: i for i in native.linked()}
AEADS = [name for name, i in LINKED.items() if i.description.kind == "aead" and "baseline" not in i.description.flags]
CIPHERS = [name for name, i in LINKED.items() if i.description.kind == "cipher"]
DIGESTS = [name for name, i in LINKED.items() if i.description.kind in ("hash", "mac")]
GCM = LINKED["openssl/aes-256-gcm"]
CALLS = {
    **{"aead": ("seal", "open"), "cipher": ("encrypt", "decrypt"), "hash": ("digest",), "mac": ("digest",)},
    "generator": ("generate",),
}

Compiled = Callable[..., Path]


def key_and_nonce(implementation: NativeImplementation) -> tuple[bytes, bytes]:
    d = implementation.description
    return bytes(range(1, 1 + d.key_bytes)), bytes(range(100, 100 + d.nonce_bytes))


def called(implementation: NativeImplementation, call: str, key: bytes, nonce: bytes) -> bytes:
    """What it makes of 64 zeros, or 64 bytes that it generates."""
    result = getattr(implementation, call)(*((key, [64]) if call == "generate" else (key, nonce, bytes(64))))
    assert isinstance(result, bytes)
    return result


@pytest.mark.parametrize("name", LINKED)
def test_the_description_is_what_the_library_says(name: str) -> None:
    d, said = LINKED[name].description, LINKED[name].native
    assert (d.library, d.algorithm, d.kind) == (said.library, said.algorithm, said.kind)
    assert (d.version, d.build, d.kernel) == (said.version, said.build, said.kernel)
    lengths = (said.key_bytes, said.nonce_bytes, said.tag_bytes, said.block_bytes)
    assert (d.key_bytes, d.nonce_bytes, d.tag_bytes, d.block_bytes) == lengths
    assert d.flags == set(said.flags)
    assert d.origin == "linked"
    assert d.kind in CALLS


@pytest.mark.parametrize("name", LINKED)
def test_calls_of_another_kind_are_refused_by_name(name: str) -> None:
    implementation = LINKED[name]
    key, nonce = key_and_nonce(implementation)
    every = {"seal", "open", "encrypt", "decrypt", "digest", "generate"}
    for call in every - set(CALLS[implementation.description.kind]):
        kinds = "(AEAD|cipher|hash or MAC|generator)"
        with pytest.raises(ArgumentError, match=f"^{name.replace('+', '.')} is no {kinds}$"):
            called(implementation, call, key, nonce)


@pytest.mark.parametrize("name", AEADS)
@settings(deadline=None, max_examples=50)
@given(data=st.binary(max_size=300), aad=st.binary(max_size=40))
def test_an_aead_opens_what_it_sealed_and_nothing_else(name: str, data: bytes, aad: bytes) -> None:
    implementation = LINKED[name]
    key, nonce = key_and_nonce(implementation)
    sealed = implementation.seal(key, nonce, data, aad)
    assert len(sealed) == len(data) + implementation.description.tag_bytes
    assert implementation.open(key, nonce, sealed, aad) == data
    with pytest.raises(AuthenticationError):
        implementation.open(key, nonce, sealed, aad + b"x")
    with pytest.raises(AuthenticationError):
        implementation.open(key, nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), aad)


@pytest.mark.parametrize("name", CIPHERS)
@settings(deadline=None, max_examples=50)
@given(data=st.binary(max_size=300))
def test_a_cipher_decrypts_what_it_encrypted(name: str, data: bytes) -> None:
    key, nonce = key_and_nonce(LINKED[name])
    data = data[: len(data) - len(data) % LINKED[name].description.block_bytes]
    if name.endswith("-xts") and len(data) < 16:
        with pytest.raises(ArgumentError):
            LINKED[name].encrypt(key, nonce, data)
        return
    encrypted = LINKED[name].encrypt(key, nonce, data)
    assert len(encrypted) == len(data)
    assert LINKED[name].decrypt(key, nonce, encrypted) == data


@pytest.mark.parametrize("name", DIGESTS)
def test_a_digest_has_its_length_and_depends_on_message_key_and_nonce(name: str) -> None:
    implementation = LINKED[name]
    key, nonce = key_and_nonce(implementation)
    digest = implementation.digest(key, nonce, bytes(range(32)))
    assert len(digest) == implementation.description.tag_bytes
    others = [implementation.digest(key, nonce, bytes(range(1, 33)))]
    if key:
        others.append(implementation.digest(key[::-1], nonce, bytes(range(32))))
    if nonce:
        others.append(implementation.digest(key, nonce[::-1], bytes(range(32))))
    assert len({digest, *others}) == 1 + len(others)


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("which", ["key", "nonce"])
def test_a_wrong_length_is_given_and_wanted(name: str, which: str) -> None:
    implementation = LINKED[name]
    if which == "nonce" and "any-nonce-length" in implementation.description.flags:
        key, nonce = key_and_nonce(implementation)
        assert implementation.open(key, nonce[:-1], implementation.seal(key, nonce[:-1], b"")) == b""
        return
    (call, *_) = CALLS[implementation.description.kind]
    if (call, which) == ("generate", "nonce"):
        assert implementation.description.nonce_bytes == 0
        return
    lengths = {"key": implementation.description.key_bytes, "nonce": implementation.description.nonce_bytes}
    wanted = lengths[which]
    for length in {0, wanted - 1, wanted + 1} - {-1, wanted}:
        lengths[which] = length
        with pytest.raises(ArgumentError, match=f"^{which} of {length} bytes given, {wanted} wanted$"):
            # Zeros would be a weak key of Triple-DES.
            called(implementation, call, bytes(range(lengths["key"])), bytes(lengths["nonce"]))


@pytest.mark.parametrize("bytes_given", [0, 1, 15])
def test_a_sealed_message_without_a_whole_tag_is_refused(bytes_given: int) -> None:
    with pytest.raises(
        ArgumentError, match=f"sealed message of {bytes_given} bytes given, at least the tag's 16 wanted"
    ):
        GCM.open(bytes(32), bytes(12), bytes(bytes_given))


@pytest.mark.parametrize(
    "view",
    [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8), lambda b: array("I", b)],
    ids=["bytes", "bytearray", "memoryview", "numpy", "array"],
)
def test_any_buffer_will_do_for_every_argument(view: Callable[[bytes], bytes]) -> None:
    key, nonce, data, aad = bytes(range(32)), bytes(range(12)), bytes(range(64)), bytes(range(8))
    sealed = GCM.seal(key, nonce, data, aad)
    assert GCM.seal(view(key), view(nonce), view(data), view(aad)) == sealed
    assert GCM.open(view(key), view(nonce), view(sealed), view(aad)) == data


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("text", "of type str given, bytes-like wanted$"),
        (None, "of type NoneType given, bytes-like wanted$"),
        ([1, 2], "of type list given, bytes-like wanted$"),
        (memoryview(bytes(64))[::2], "is not contiguous: copy it first"),
        (np.zeros((4, 4)).T[:2], "is not contiguous: copy it first"),
        (np.zeros(4, "datetime64[s]"), "of type ndarray given, bytes-like wanted .ValueError: "),
    ],
    ids=["str", "None", "list", "strided", "slice of columns", "dates"],
)
def test_what_is_no_contiguous_buffer_is_named(which: int, wrong: bytes, why: str) -> None:
    arguments = [bytes(32), bytes(12), b"data", b"aad"]
    arguments[which] = wrong
    with pytest.raises(BufferError, match=f"^{('key', 'nonce', 'data', 'aad')[which]} {why}"):
        GCM.seal(*arguments)


def test_a_message_must_fit_the_block_of_an_algorithm_that_does_not_pad(compiled: Compiled) -> None:
    (toy,) = native.plugin(str(compiled("toy", BLOCK_BYTES=16)))
    assert len(toy.seal(bytes(32), bytes(12), bytes(32))) == 48
    with pytest.raises(
        ArgumentError, match="message of 33 bytes given, a multiple of 16 wanted: the algorithm does not"
    ):
        toy.seal(bytes(32), bytes(12), bytes(33))


def test_a_nonce_of_any_length_is_taken_where_the_library_says_so(compiled: Compiled) -> None:
    (toy,) = native.plugin(str(compiled("toy", FLAGS="AEADLAB_ANY_NONCE_LENGTH")))
    for length in (0, 1, 12, 100):
        assert toy.open(bytes(32), bytes(length), toy.seal(bytes(32), bytes(length), b"data")) == b"data"


@pytest.mark.parametrize("status", [2, 3, 77])
def test_a_refusal_of_the_library_is_an_error_with_its_status(compiled: Compiled, status: int) -> None:
    (toy,) = native.plugin(str(compiled("toy", SEALED=status)))
    with pytest.raises(Error, match=f"the library refused the call with status {status}"):
        toy.seal(bytes(32), bytes(12), b"data")


def test_a_file_that_is_no_plugin_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "no-such.so"
    with pytest.raises(PluginError, match=f"^{path} is not a plugin: there is no such file$"):
        native.plugin(str(path))
    with pytest.raises(PluginError, match=f"^{tmp_path} is not a plugin: it is not a file$"):
        native.plugin(str(tmp_path))


def test_the_extension_knows_how_it_was_built() -> None:
    info = dict(_native.build_info())
    assert info["profile"] == "release"
    assert "rustc" in info["compiler"]
    assert len(info["sources"]) >= 16
