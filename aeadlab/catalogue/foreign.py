"""Shared libraries of two older shapes, described by a TOML file of the same name beside them.

``eth`` is the ETH paper's bare ``encrypt(in, out, mac, key, iv, bytes)``; ``supercop`` the pair ``crypto_aead_encrypt``
and ``crypto_aead_decrypt`` of SUPERCOP, CAESAR and NIST-LWC code.
"""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from aeadlab import _native
from aeadlab.errors import PluginError

SHAPES = {"eth": ("encrypt", "decrypt"), "supercop": ("crypto_aead_encrypt", "crypto_aead_decrypt")}
"""Each shape with the usual names of its functions."""


@dataclass(frozen=True)
class Foreign:
    """What the file says; lengths in bytes.

    Attributes
    ----------
    encrypt, decrypt
        Names of the functions.
    thread_safe
        Whether several threads may call them at once.
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


def description_of(plugin: Path) -> Path | None:
    """The file that describes a shared library, if there is one."""
    path = plugin.with_suffix(".toml")
    return path if path.is_file() else None


def read(path: Path) -> Foreign:
    """Read and check a description.

    Raises
    ------
    aeadlab.errors.PluginError
        If it is no TOML, lacks a field, has an unknown one, or contradicts itself.
    """
    try:
        given: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PluginError(f"{path} describes no plugin: {error}") from error
    known = {f.name: f for f in fields(Foreign)}
    if unknown := sorted(given.keys() - known):
        raise PluginError(f"{path} has an unknown field {unknown[0]!r}; there are {', '.join(known)}")
    shape = given.get("shape")
    if shape not in SHAPES:
        raise PluginError(f"{path} has shape {shape!r}, one of {', '.join(SHAPES)} is wanted")
    for name, default in zip(("encrypt", "decrypt"), SHAPES[shape], strict=True):
        given.setdefault(name, default)
    for name, field in known.items():
        if name not in given and field.default is MISSING:
            raise PluginError(f"{path} lacks the field {name!r}")
        wanted = {"int": int, "str": str, "bool": bool}[str(field.type)]
        if name in given and type(given[name]) is not wanted:
            raise PluginError(f"{path}: {name} is {given[name]!r}, of type {field.type} is wanted")
    foreign = Foreign(**given)
    for name, least, most in (("key_bytes", 1, 1024), ("nonce_bytes", 0, 64), ("tag_bytes", 1, 64)):
        if not least <= getattr(foreign, name) <= most:
            raise PluginError(f"{path}: {name} is {getattr(foreign, name)}, {least} to {most} is wanted")
    for name in ("encrypt", "decrypt"):
        if not getattr(foreign, name):
            raise PluginError(f"{path}: {name} is empty: the name of a function is wanted")
    if foreign.encrypt == foreign.decrypt:
        raise PluginError(f"{path} names {foreign.encrypt} for both encrypt and decrypt: they are different functions")
    return foreign


def load(plugin: Path, description: Path) -> list[_native.Algorithm]:
    """Load a described shared library; runs its code in this process.

    Raises
    ------
    aeadlab.errors.PluginError
        If the description is wrong or the file lacks what it names.
    """
    foreign = read(description)
    named = {f.name: getattr(foreign, f.name) for f in fields(Foreign)}
    return _native.load_foreign(str(plugin), **named)
