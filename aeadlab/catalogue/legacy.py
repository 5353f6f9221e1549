"""Plugins of a legacy shape, described by a TOML file of the same name in the same folder.

The shape ``eth`` is ``encrypt(in, out, mac, key, iv, bytes)`` of the ETH paper, ``eth-cipher`` and ``eth-hash`` its
functions that only encrypt and only hash; ``supercop`` is the pair ``crypto_aead_encrypt`` and ``crypto_aead_decrypt``
of SUPERCOP, CAESAR and NIST-LWC code.
"""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from aeadlab import _native
from aeadlab.display.printable import shown
from aeadlab.errors import PluginError, RecordError
from aeadlab.host.bounded import read_file

SHAPES: Final = {
    "eth": {"encrypt": "encrypt", "decrypt": "decrypt"},
    "eth-cipher": {"encrypt": "encrypt", "decrypt": "decrypt"},
    "eth-hash": {"hash": "hash"},
    "supercop": {"encrypt": "crypto_aead_encrypt", "decrypt": "crypto_aead_decrypt"},
}
"""The functions of each shape, with their default names."""
_FUNCTIONS: Final = ("encrypt", "decrypt", "hash")
_KEYS: Final = {"eth-hash": (0, 1024)}
_TAGS: Final = {"eth-cipher": (0, 0)}
"""Smallest and largest lengths in bytes where they differ from those of AEADs."""
_MAX_FILE: Final = 1 << 16


@dataclass(frozen=True)
class LegacyDescription:
    """Content of a description file; lengths in bytes.

    Attributes
    ----------
    encrypt, decrypt, hash
        Names of the exported functions; empty for those that the shape does not have.
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
    hash: str = ""
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
    functions = SHAPES[shape]
    if unused := [name for name in _FUNCTIONS if name in given and name not in functions]:
        raise PluginError(f"{path} names {unused[0]}, which the shape {shape} does not have: delete the field")
    given = functions | given
    if shape in _TAGS:
        given.setdefault("tag_bytes", 0)
    for name, field in known.items():
        if name not in given and field.default is MISSING:
            raise PluginError(f"{path} lacks the field {name!r}")
        expected = {"int": int, "str": str, "bool": bool}[str(field.type)]
        if name in given and type(given[name]) is not expected:
            raise PluginError(f"{path}: {name} is {shown(given[name])}, type {field.type} expected")
    description = LegacyDescription(**given)
    keys, tags = _KEYS.get(shape, (1, 1024)), _TAGS.get(shape, (1, 64))
    for name, minimum, maximum in (("key_bytes", *keys), ("nonce_bytes", 0, 64), ("tag_bytes", *tags)):
        if not minimum <= getattr(description, name) <= maximum:
            value = shown(getattr(description, name))
            raise PluginError(f"{path}: {name} is {value}, {minimum} to {maximum} expected")
    for name in functions:
        if not getattr(description, name):
            raise PluginError(f"{path}: {name} is empty, the name of a function expected")
    if "decrypt" in functions and description.encrypt == description.decrypt:
        raise PluginError(f"{path} names {description.encrypt} for encrypt and decrypt: two functions expected")
    return description


def load(plugin: Path, description: Path) -> list[_native.Algorithm]:
    """Load a plugin of a legacy shape, or raise PluginError; runs its code in this process."""
    return _native.load_foreign(str(plugin), **asdict(read(description)))
