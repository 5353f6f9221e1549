"""Block ciphers in their modes: the two charts of the document *Ciphers*, and its table beside measured times."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.display.units import significant, size_name, time_unit
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.bar_chart import row_chart
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.published_comparison import published_comparison
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.figures.ticks import set_log_scale
from aeadlab.stats.compare import confidence_of_chosen
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, in_cpu_time, is_baseline, named_rows, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.answering import over
from aeadlab.studies.ciphers.study import CIPHERS, LIBRARY, MODES, SIZES
from aeadlab.verdicts import published

COLUMNS: Final = (
    "library", "cipher", "bits", "mode", "op", "mask", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high",
    "cpu_seconds", "gib_per_s", "implementation",
)  # fmt: skip
TSV_HEADER: Final = (
    "Cipher", "Key Size (bits)", "Mode", "Data Size (MB)", "Encryption Time (s)", "Decryption Time (s)",
)  # fmt: skip
"""The document's own columns; its times are CPU times."""

_NAMES: Final = {"aes": "AES", "aria": "ARIA", "camellia": "Camellia", "3des": "TripleDES", "des": "DES"}
_KEY_BITS: Final = {"3des": "192", "des": "64"}
"""Key lengths of the ciphers whose names do not contain them."""

_BASELINE: Final = "aes-128-ecb"
_DOCUMENT_SIZE: Final = "1000 MB"
"""The larger of `SIZES` in the words of the document."""


def block_cipher_times(
    samples: DataFrame, venue: str = "lncs", size: int = 1, library: str = LIBRARY
) -> tuple[Figure, DataFrame]:
    """Draw CPU times of encryption and decryption for every cipher, key length and mode of one library.

    A point is encryption, a vertical line decryption. The axis is logarithmic, since times span three powers of ten.
    The table is that of `block_cipher_table`, with all libraries and sizes.

    Parameters
    ----------
    size
        0 for the second largest size of the library, 1 for the largest.
    """
    space = style.venue(venue)
    table = block_cipher_table(samples)
    own = _of_library(table, library)
    if own.empty:
        raise EmptyFigureError(f"no block cipher of {library} was measured: measure the study block-ciphers")
    length = int(sorted(set(own["bytes"]))[-2:][size - 2 :][0])
    shown = own[own["bytes"].eq(length)]
    scale, unit = time_unit(float(shown["cpu_seconds"].median()))
    entries: list[tuple[str, dict[str, Any]] | str] = []
    for (cipher, bits), rows_ in shown.groupby(["cipher", "bits"], sort=False, observed=True):
        entries.append(f"{_NAMES[str(cipher)]}-{bits}")
        entries += [
            (str(mode).upper(), {str(row.op): row for row in named_rows(ops)})
            for mode, ops in rows_.groupby("mode", sort=False, observed=True)
        ]
    labels = [rows.Label(one, heading=True) if isinstance(one, str) else rows.Label(one[0]) for one in entries]
    columns = [
        rows.Column((op, name), tuple("" if isinstance(one, str) else _cell(one[1], op, column, by) for one in entries))
        for name, op, column, by in (
            (unit, "encrypt", "cpu_seconds", 1 / scale), (unit, "decrypt", "cpu_seconds", 1 / scale),
            ("GiB/s", "encrypt", "gib_per_s", 1.0),
        )
    ]  # fmt: skip
    colour = appearance_of(library)

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        for y, one in zip(layout.positions, entries, strict=True):
            for op, row in {} if isinstance(one, str) else one[1].items():
                if op == "decrypt":
                    ends = [y - 0.4 * layout.pitch, y + 0.4 * layout.pitch]
                    axes.plot([row.cpu_seconds / scale] * 2, ends, color=style.EDGE, linewidth=1.0, zorder=2.1)
                else:
                    rows.draw_point(axes, y, row.cpu_seconds / scale, colour, filled=True)
        set_log_scale(axes, (shown["cpu_seconds"] / scale).tolist())
        rows.label_axis(axes, f"CPU time for {size_name(length)} ({unit})")

    sentences = [
        _result(shown, samples, library, length),
        "Points: encryption; vertical lines: decryption.",
        f"{library}, one thread: median CPU time, as in the document; wall times with intervals are in the table.",
    ]
    return row_chart(labels, columns, sentences, space, draw), table


def _result(shown: DataFrame, samples: DataFrame, library: str, length: int) -> str:
    """Return the fastest and the slowest encryption."""
    encrypting = shown[shown["op"].eq("encrypt")].sort_values("cpu_seconds")
    if encrypting.empty:
        return f"{library} over {size_name(length)}."
    fastest, slowest = (
        f"{_NAMES[row.cipher]}-{row.bits}-{row.mode.upper()}" for row in named_rows(encrypting.iloc[[0, -1]])
    )
    timed = encrypting.assign(seconds=encrypting["cpu_seconds"])
    last, first = (timed.iloc[place].to_dict() for place in (-1, 0))
    factor = over(in_cpu_time(samples), last, first, confidence_of_chosen(len(encrypting)))
    return f"{fastest} encrypts {size_name(length)} {factor} times as fast as {slowest}."


def _cell(ops: dict[str, Any], op: str, column: str, factor: float) -> str:
    return significant(factor * getattr(ops[op], column)) if op in ops else ""


def _of_library(table: DataFrame, library: str) -> DataFrame:
    return table[table["library"].eq(library) & table["mask"].eq("") & table["status"].eq("ok")]


def block_cipher_table(samples: DataFrame) -> DataFrame:
    """Tabulate AES, ARIA, Camellia and Triple-DES in ECB, CBC and CTR, of all libraries and under all masks.

    ``seconds`` is wall time, and ``cpu_seconds`` the median of user and system time (getrusage) of one execution.
    """
    unmasked = samples.assign(mask="")
    cases = samples[samples.index.isin(default_cases(unmasked, largest=False).index)]
    names = cases["algorithm"].astype(str).str.rsplit("-", n=1)
    cases = cases[names.str[0].isin(CIPHERS) & names.str[1].isin(MODES)]
    cases = cases[cases["engine"].isin(["whole", "python"]) & cases["mask"].ne(CONTROL)]
    if cases.empty:
        raise EmptyFigureError("the samples hold no block cipher: measure the study block-ciphers")
    by = list(CASE_COLUMNS)
    timed = usable(in_cpu_time(cases), [*by, "seconds"]).rename(columns={"seconds": "cpu_seconds"})
    cpu = timed.groupby(by, observed=True)["cpu_seconds"].median().reset_index()
    table = case_medians(cases).merge(cpu, on=by, how="left")
    parts = table["implementation"].astype(str).str.partition("/")
    split = parts[2].str.rsplit("-", n=1)
    table = table.assign(
        library=parts[0],
        mode=split.str[1],
        cipher=split.str[0].str.partition("-")[0],
        bits=split.str[0].replace(_KEY_BITS).str.rpartition("-")[2].astype(np.int64),
    )
    table = table.assign(
        cipher_order=table["cipher"].map(list(_NAMES).index),
        mode_order=table["mode"].map(MODES.index),
        op_order=table["op"].ne("encrypt"),
    )
    keys = ["library", "mask", "bytes", "cipher_order", "bits", "mode_order", "op_order"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def tsv(table: DataFrame, library: str = LIBRARY) -> str:
    """Return the CPU times of `block_cipher_table` in the document's format: tab-separated, one row for both ops."""
    lines = ["\t".join(TSV_HEADER)]
    groups = _of_library(table, library).groupby(["cipher", "bits", "mode", "bytes"], sort=False, observed=True)
    for key, times_ in groups:
        cipher, bits, mode, length = map(str, key)
        times = dict(zip(times_["op"].astype(str), times_["cpu_seconds"], strict=True))
        pair = (f"{times[op]:.6f}" if op in times else "" for op in ("encrypt", "decrypt"))
        lines.append("\t".join((_NAMES[cipher], bits, mode.upper(), f"{int(length) / 1e6:g}", *pair)))
    return "\n".join(lines) + "\n"


def published_cipher_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw published beside measured CPU times of the larger size, relative to encryption by AES-128 in ECB."""
    table = published.lookup("Ciphers", quantity="CPU time", bytes=SIZES[1])
    # The running text repeats two of the numbers, rounded.
    table = table[table["place"].str.startswith("Table")]
    length = _largest(samples)
    note = (
        f"CPU times, published of {_DOCUMENT_SIZE} on a laptop with AES-NI and an unnamed OpenSSL, measured of "
        f"{size_name(length)}."
    )
    pairs = published_pairs(
        in_cpu_time(samples), table,
        # One group, since the baseline is one row of the whole table.
        lambda row: ("", " ".join((*str(row.algorithm).rsplit("-", 1), str(row.operation)))),
        lambda row: _case(str(row.algorithm), str(row.operation), length),
        lambda _: _case(_BASELINE, "encrypt", length),
    )  # fmt: skip
    parts = [pair.label.partition(" ") for pair in pairs]
    pairs = [replace(pair, group=cipher, label=label) for pair, (cipher, _, label) in zip(pairs, parts, strict=True)]
    return published_comparison(pairs, "time (\N{MULTIPLICATION SIGN} AES-128-ECB encryption)", note, venue)


def _largest(samples: DataFrame) -> int:
    encrypting = samples[samples["op"].eq("encrypt") & ~samples["implementation"].map(is_baseline).astype(bool)]
    return int(encrypting["bytes"].max()) if len(encrypting) else 0


def _case(algorithm: str, op: str, length: int) -> dict[str, Any]:
    return {"implementation": f"{LIBRARY}/{algorithm}", "op": op, "bytes": length, "mask": ""}


FIGURES: Final = {
    "block-ciphers-small": partial(block_cipher_times, size=0),
    "block-ciphers-large": block_cipher_times,
    "block-ciphers-published": published_cipher_times,
}
