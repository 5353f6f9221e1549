"""File formats of a shared library that the build makes from ``native/file-formats``, such as modules of Go."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from aeadlab.catalogue import plugins
from aeadlab.catalogue.adapters.base import ONCE, REUSED, Bind, Call, Row, adapters, file_into_reused
from aeadlab.catalogue.implementation import Buffer, Implementation
from aeadlab.errors import AuthenticationError

BUILT: Final = plugins.BUILT / "files"
FEATURE_SWITCH: Final = "none: Go detects CPU features itself, and masks set no setting of it"
_REJECTED: Final = -1


def go_implementations(
    library: str, module: str, format: str, key_text: Callable[[bytes], bytes]
) -> list[Implementation]:
    """Return the implementation of a format by a module of Go; it writes to memory that all calls share.

    Parameters
    ----------
    library
        Its name in the catalogue.
    key_text
        Converts the key of 32 bytes into what the module takes.

    Raises
    ------
    ImportError
        If the build has no Go; the message is its reason.
    """
    path = BUILT / "go.so"
    versions = path.with_suffix(".versions")
    if not path.is_file() or not versions.is_file():
        reason = path.with_suffix(".absent")
        raise ImportError(reason.read_text(encoding="utf-8").strip() if reason.is_file() else "run `make build`")
    version = dict(line.split() for line in versions.read_text(encoding="utf-8").splitlines())[module]
    flags = frozenset({"no-associated-data"})
    row = Row(format + REUSED, "file", _bind_of(path, format, key_text), 32, models=ONCE, flags=flags)
    return adapters(library, version, [row], rejections=(AuthenticationError,), feature_switch=FEATURE_SWITCH)


@lru_cache(maxsize=1)
def _function(path: Path) -> Callable[..., int]:
    """Return the C function, loaded at the first call: processes that measure nothing of it have no threads of Go."""
    function = ctypes.CDLL(str(path)).aeadlab_file
    function.restype = ctypes.c_int64
    text, size = ctypes.c_char_p, ctypes.c_size_t
    function.argtypes = [text, text, text, size, text, size, ctypes.c_void_p, size]
    return function


def _bind_of(path: Path, format: str, key_text: Callable[[bytes], bytes]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        given, text = bytes(data), key_text(bytes(key))
        run = partial(_function(path), format.encode(), op.encode(), text, len(text), given, len(given))

        def into(output: bytearray) -> int:
            memory = (ctypes.c_char * len(output)).from_buffer(output)
            written = run(ctypes.addressof(memory), len(output))
            if written == _REJECTED:
                raise AuthenticationError(f"{format} rejects the file")
            if written < 0 or (op == "seal" and not written):
                raise ValueError(f"{format} cannot {op} {len(given)} bytes")
            return written

        return file_into_reused(into, len(given))

    return bind
