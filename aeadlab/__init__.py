"""Benchmarks of authenticated encryption, and ParSplit, which encrypts with several threads.

The public names are imported at their first use, so that ``import aeadlab`` and the command line start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aeadlab._native import Keyed as Keyed, Multipart as Multipart, Partial as Partial
    from aeadlab.catalogue import Catalogue as Catalogue, load as load, load_plugin as load_plugin
    from aeadlab.catalogue.composition import compose as compose
    from aeadlab.comparison import (
        Compared as Compared,
        Ranked as Ranked,
        TwoComputers as TwoComputers,
        compare as compare,
        rank as rank,
        two_computers as two_computers,
    )
    from aeadlab.errors import (
        ArgumentError as ArgumentError,
        ArgumentTypeError as ArgumentTypeError,
        AuthenticationError as AuthenticationError,
        BufferArgumentError as BufferArgumentError,
        BufferTypeError as BufferTypeError,
        BuildError as BuildError,
        BusyError as BusyError,
        Error as Error,
        FormatError as FormatError,
        MeasurementError as MeasurementError,
        PluginError as PluginError,
        RecordError as RecordError,
        UnknownNameError as UnknownNameError,
        VerificationError as VerificationError,
    )
    from aeadlab.files import (
        SealedFile as SealedFile,
        decrypt_file as decrypt_file,
        decrypt_iter as decrypt_iter,
        encrypt_file as encrypt_file,
        encrypt_iter as encrypt_iter,
    )
    from aeadlab.host.doctor import findings_table as findings_table
    from aeadlab.lab.exploring import Exploration as Exploration, explore as explore, look_at as look_at
    from aeadlab.lab.measurement import measure as measure
    from aeadlab.lab.plotting import plot as plot
    from aeadlab.lab.prepared import Prepared as Prepared, prepare as prepare
    from aeadlab.lab.speed import Speed as Speed, speed as speed
    from aeadlab.lab.sweep import sweep as sweep
    from aeadlab.lab.tuning import Tuned as Tuned, tune as tune
    from aeadlab.parsplit.keys import MessageKey as MessageKey, message_key as message_key
    from aeadlab.parsplit.one_message import (
        AESGCM as AESGCM,
        ChaCha20Poly1305 as ChaCha20Poly1305,
        InvalidTag as InvalidTag,
    )
    from aeadlab.parsplit.parsplit import ParSplit as ParSplit
    from aeadlab.records.lookup import latest as latest
    from aeadlab.records.reading import load_record as load_record
    from aeadlab.records.record import Record as Record
    from aeadlab.reporting import report as report
    from aeadlab.studies.claims import claims as claims
    from aeadlab.studies.draw import show as show, table as table
    from aeadlab.verdicts.findings import Findings as Findings

    __version__: str

_PUBLIC = {
    "aeadlab._native": ("Keyed", "Multipart", "Partial"),
    "aeadlab.catalogue": ("Catalogue", "load", "load_plugin"),
    "aeadlab.catalogue.composition": ("compose",),
    "aeadlab.comparison": ("Compared", "Ranked", "TwoComputers", "compare", "rank", "two_computers"),
    "aeadlab.errors": (
        "ArgumentError",
        "ArgumentTypeError",
        "AuthenticationError",
        "BufferArgumentError",
        "BufferTypeError",
        "BuildError",
        "BusyError",
        "Error",
        "FormatError",
        "MeasurementError",
        "PluginError",
        "RecordError",
        "UnknownNameError",
        "VerificationError",
    ),
    "aeadlab.files": ("SealedFile", "decrypt_file", "decrypt_iter", "encrypt_file", "encrypt_iter"),
    "aeadlab.host.doctor": ("findings_table",),
    "aeadlab.lab.exploring": ("Exploration", "explore", "look_at"),
    "aeadlab.lab.measurement": ("measure",),
    "aeadlab.lab.plotting": ("plot",),
    "aeadlab.lab.prepared": ("Prepared", "prepare"),
    "aeadlab.lab.speed": ("Speed", "speed"),
    "aeadlab.lab.sweep": ("sweep",),
    "aeadlab.lab.tuning": ("Tuned", "tune"),
    "aeadlab.parsplit.keys": ("MessageKey", "message_key"),
    "aeadlab.parsplit.one_message": ("AESGCM", "ChaCha20Poly1305", "InvalidTag"),
    "aeadlab.parsplit.parsplit": ("ParSplit",),
    "aeadlab.records.lookup": ("latest",),
    "aeadlab.records.reading": ("load_record",),
    "aeadlab.records.record": ("Record",),
    "aeadlab.reporting": ("report",),
    "aeadlab.studies.claims": ("claims",),
    "aeadlab.studies.draw": ("show", "table"),
    "aeadlab.verdicts.findings": ("Findings",),
}
_MODULES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_MODULES)


if not TYPE_CHECKING:  # type checkers then report names that do not exist

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("aeadlab")
        if name == "BufferError":
            # Deprecated, with a warning, and not in __all__: `from aeadlab import *` must not hide the builtin.
            return getattr(import_module("aeadlab.errors"), name)
        if name not in _MODULES:
            raise AttributeError(f"module 'aeadlab' has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
