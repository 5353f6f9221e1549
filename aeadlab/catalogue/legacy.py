"""Plugins of a legacy shape, described by a TOML file of the same name in the same folder.

The shape ``eth`` is ``encrypt(in, out, mac, key, iv, bytes)`` of the ETH paper; ``supercop`` is the pair
``crypto_aead_encrypt`` and ``crypto_aead_decrypt`` of SUPERCOP, CAESAR and NIST-LWC code.
"""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from aeadlab import _native
from aeadlab.display.printable import shown
from aeadlab.errors import PluginError, RecordError
from aeadlab.host.bounded import read_file

SHAPES = {"eth": ("encrypt", "decrypt"), "supercop": ("crypto_aead_encrypt", "crypto_aead_decrypt")}
"""Default function names of each shape."""
_MAX_FILE: Final = 1 << 16


@dataclass(frozen=True)
class LegacyDescription:
    """Content of a description file; lengths in bytes.

    Attributes
    ----------
    encrypt, decrypt
        Names of the exported functions.
    thread_safe
        Whether several threads may call the functions at the same time.
    """

    shape: str
    library: str
    algorithm: str
    key_bytes: int
    nonce_bytes: int
    tag_bytes: int
    version: str = "unknown"
    encrypt: str = ""
    decrypt: str = ""
    thread_safe: bool = False


def description_path(plugin: Path) -> Path | None:
    """Return the path of the description of a plugin, or None."""
    path = plugin.with_suffix(".toml")
    return path if path.is_file() else None


def read(path: Path) -> LegacyDescription:
    """Read and validate a description.

    Raises
    ------
    aeadlab.errors.PluginError
        If the file is not TOML, lacks a field, or has an unknown field or an invalid value.
    """
    # Processes that load no such plugin do not need the parser.
    import tomllib

    try:
        given: dict[str, Any] = tomllib.loads(read_file(path, _MAX_FILE, "description").decode())
    except (RecordError, ValueError, RecursionError) as error:
        # Besides its own error, the parser raises these for long numbers and deep arrays.
        raise PluginError(f"{path} is not a description of a plugin: {error}") from error
    known = {f.name: f for f in fields(LegacyDescription)}
    if unknown := sorted(given.keys() - known):
        raise PluginError(f"{path} has the unknown field {shown(unknown[0])}, one of {', '.join(known)} expected")
    shape = given.get("shape")
    if not isinstance(shape, str) or shape not in SHAPES:
        raise PluginError(f"{path} has shape {shown(shape)}, one of {', '.join(SHAPES)} expected")
    for name, default in zip(("encrypt", "decrypt"), SHAPES[shape], strict=True):
        given.setdefault(name, default)
    for name, field in known.items():
        if name not in given and field.default is MISSING:
            raise PluginError(f"{path} lacks the field {name!r}")
        expected = {"int": int, "str": str, "bool": bool}[str(field.type)]
        if name in given and type(given[name]) is not expected:
            raise PluginError(f"{path}: {name} is {shown(given[name])}, type {field.type} expected")
    description = LegacyDescription(**given)
    for name, minimum, maximum in (("key_bytes", 1, 1024), ("nonce_bytes", 0, 64), ("tag_bytes", 1, 64)):
        if not minimum <= getattr(description, name) <= maximum:
            value = shown(getattr(description, name))
            raise PluginError(f"{path}: {name} is {value}, {minimum} to {maximum} expected")
    for name in ("encrypt", "decrypt"):
        if not getattr(description, name):
            raise PluginError(f"{path}: {name} is empty, the name of a function expected")
    if description.encrypt == description.decrypt:
        raise PluginError(f"{path} names {description.encrypt} for encrypt and decrypt: two functions expected")
    return description


def load(plugin: Path, description: Path) -> list[_native.Algorithm]:
    """Load a plugin of a legacy shape, or raise PluginError; runs its code in this process."""
    return _native.load_foreign(str(plugin), **asdict(read(description)))
