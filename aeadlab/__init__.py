"""aeadlab: which authenticated encryption is fastest here, and how far threads take it.

The names below are loaded when first used, so that ``import aeadlab`` and the command line start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aeadlab import automatic

if TYPE_CHECKING:
    from aeadlab.catalogue import Catalogue, load, load_plugin
    from aeadlab.comparison import Compared, Ranked, TwoComputers, compare, rank, two_computers
    from aeadlab.composition import compose
    from aeadlab.dimensions import sweep
    from aeadlab.doctor import findings_table
    from aeadlab.errors import (
        ArgumentError,
        AuthenticationError,
        BufferError,
        BuildError,
        BusyError,
        Error,
        FormatError,
        MeasurementError,
        PluginError,
        RecordError,
        UnknownNameError,
        VerificationError,
    )
    from aeadlab.exploring import Exploration, explore, look_at
    from aeadlab.judgement import Findings, claims
    from aeadlab.keys import MessageKey, message_key
    from aeadlab.measurement import measure
    from aeadlab.opening import decrypt_file, decrypt_iter
    from aeadlab.parsplit import ParSplit
    from aeadlab.prepared import Prepared, prepare
    from aeadlab.records import Record, latest, load_record
    from aeadlab.reporting import report
    from aeadlab.sealed_file import SealedFile
    from aeadlab.studies.draw import show, table
    from aeadlab.tuning import Tuned, tune

_WHERE = {
    "Catalogue": "aeadlab.catalogue",
    "Compared": "aeadlab.comparison",
    "Exploration": "aeadlab.exploring",
    "Findings": "aeadlab.judgement",
    "MessageKey": "aeadlab.keys",
    "ParSplit": "aeadlab.parsplit",
    "Prepared": "aeadlab.prepared",
    "Ranked": "aeadlab.comparison",
    "Record": "aeadlab.records",
    "SealedFile": "aeadlab.sealed_file",
    "Tuned": "aeadlab.tuning",
    "TwoComputers": "aeadlab.comparison",
    "claims": "aeadlab.judgement",
    "compare": "aeadlab.comparison",
    "compose": "aeadlab.composition",
    "decrypt_file": "aeadlab.opening",
    "decrypt_iter": "aeadlab.opening",
    "explore": "aeadlab.exploring",
    "findings_table": "aeadlab.doctor",
    "latest": "aeadlab.records",
    "load": "aeadlab.catalogue",
    "load_plugin": "aeadlab.catalogue",
    "load_record": "aeadlab.records",
    "look_at": "aeadlab.exploring",
    "measure": "aeadlab.measurement",
    "message_key": "aeadlab.keys",
    "prepare": "aeadlab.prepared",
    "rank": "aeadlab.comparison",
    "report": "aeadlab.reporting",
    "show": "aeadlab.studies.draw",
    "sweep": "aeadlab.dimensions",
    "table": "aeadlab.studies.draw",
    "tune": "aeadlab.tuning",
    "two_computers": "aeadlab.comparison",
    **dict.fromkeys(
        (
            "ArgumentError",
            "AuthenticationError",
            "BufferError",
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
        "aeadlab.errors",
    ),
}

__all__ = [
    "ArgumentError",
    "AuthenticationError",
    "BufferError",
    "BuildError",
    "BusyError",
    "Catalogue",
    "Compared",
    "Error",
    "Exploration",
    "Findings",
    "FormatError",
    "MeasurementError",
    "MessageKey",
    "ParSplit",
    "PluginError",
    "Prepared",
    "Ranked",
    "Record",
    "RecordError",
    "SealedFile",
    "Tuned",
    "TwoComputers",
    "UnknownNameError",
    "VerificationError",
    "claims",
    "compare",
    "compose",
    "decrypt_file",
    "decrypt_iter",
    "explore",
    "findings_table",
    "latest",
    "load",
    "load_plugin",
    "load_record",
    "look_at",
    "measure",
    "message_key",
    "prepare",
    "rank",
    "report",
    "show",
    "sweep",
    "table",
    "tune",
    "two_computers",
]


def _settings(*asked: Any) -> automatic.Settings:
    """Answers ``ParSplit("auto")``; here, where all parts of the package meet, since tuning is built upon ParSplit."""
    return import_module("aeadlab.tuning").settings(*asked)  # type: ignore[no-any-return]


automatic.chooser = _settings


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'aeadlab' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
