"""Tink: its AES-GCM-HKDF streaming in C++, in one thread."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from typing import Any, Final

from aeadlab.catalogue.adapters.base import ONCE, Bind, Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "tink"
FEATURE_SWITCH = "none: its BoringSSL detects CPU features itself and reads no setting"
_TAG_BYTES: Final = 16
_TYPE: Final = "type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    from tink import TinkError, streaming_aead

    from aeadlab import _native

    streaming_aead.register()
    rows = [
        Row(name, "file", _bind(chunk + _TAG_BYTES), key, models=ONCE)
        for name, _, _, key, chunk, _ in _native.formats()
        if name.startswith("tink-")
    ]
    return adapters(LIBRARY, metadata.version(LIBRARY), rows, rejections=(TinkError,), feature_switch=FEATURE_SWITCH)


def _primitive(key: bytes, segment_bytes: int) -> Any:
    """Return Tink's StreamingAead of a key, as its key templates of HKDF-SHA-256 state it."""
    import tink
    from tink import secret_key_access, streaming_aead
    from tink.proto import aes_gcm_hkdf_streaming_pb2, common_pb2, tink_pb2

    parameters = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingParams(
        ciphertext_segment_size=segment_bytes, derived_key_size=len(key), hkdf_hash_type=common_pb2.SHA256
    )
    stated = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingKey(key_value=key, params=parameters)
    data = tink_pb2.KeyData(
        type_url=_TYPE, value=stated.SerializeToString(), key_material_type=tink_pb2.KeyData.SYMMETRIC
    )
    only = tink_pb2.Keyset.Key(key_data=data, key_id=1, status=tink_pb2.ENABLED, output_prefix_type=tink_pb2.RAW)
    keyset = tink_pb2.Keyset(primary_key_id=1, key=[only])
    handle = tink.proto_keyset_format.parse(keyset.SerializeToString(), secret_key_access.TOKEN)
    return handle.primitive(streaming_aead.StreamingAead)


def _bind(segment_bytes: int) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        return partial(_seal if op == "seal" else _open, bytes(key), segment_bytes, bytes(data), bytes(aad))

    return bind


class _Sink(io.BytesIO):
    """Memory whose content remains: a stream of Tink closes what it writes to."""

    content = b""

    def close(self) -> None:
        if not self.closed:
            self.content = self.getvalue()
        super().close()


def _seal(key: bytes, segment_bytes: int, data: bytes, aad: bytes) -> bytes:
    sink = _Sink()
    with _primitive(key, segment_bytes).new_encrypting_stream(sink, aad) as stream:
        stream.write(data)
    return sink.content


def _open(key: bytes, segment_bytes: int, data: bytes, aad: bytes) -> bytes:
    with _primitive(key, segment_bytes).new_decrypting_stream(io.BytesIO(data), aad) as stream:
        opened: bytes = stream.read()
    return opened
