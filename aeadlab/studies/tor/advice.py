"""The AES implementation that a program which encrypts cells should use, computed from measured times.

The document *Tor* concludes with a rule for each computer: OpenSSL's ``AES_encrypt`` on x86 with a recent OpenSSL,
otherwise its own code, on PowerPC maybe with unrolled rounds. The rule follows from the times that it measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pandas import DataFrame

from aeadlab.catalogue.names import base_algorithm
from aeadlab.errors import ArgumentError
from aeadlab.verdicts import published

CURRENT: Final = ("counter-optimization", 2)
"""The variant that the program uses: its own code, which increments the counter without encoding it, at -O2."""

LOW_LEVEL: Final = "aes-encrypt"
EVP: Final = "evp-block"
UNROLLED: Final = "full-unroll"

_CIPHER: Final = "aes-128-ctr"

Variant = tuple[str, int]
"""The code that encrypts the cells, and its optimization level."""

OPTIONS: Final[Mapping[str, str]] = {
    "plain": "neither of the options",
    CURRENT[0]: "USE_RIJNDAEL_COUNTER_OPTIMIZATION",
    UNROLLED: "USE_RIJNDAEL_COUNTER_OPTIMIZATION and FULL_UNROLL",
    LOW_LEVEL: "USE_OPENSSL_AES",
    EVP: "USE_OPENSSL_EVP",
}
"""Compiler options of the document's program by variant."""


@dataclass(frozen=True)
class Recommendation:
    """A recommended variant and its gain compared with `CURRENT`.

    Attributes
    ----------
    gain
        Share of the time in AES that it saves.
    program_gain
        Least and largest share of the time of the whole program that it saves.
    """

    variant: Variant
    gain: float
    program_gain: tuple[float, float]

    @property
    def options(self) -> str:
        """Compiler options of the variant, as named by the document."""
        return f"{OPTIONS[self.variant[0]]}, -O{self.variant[1]}"

    def __repr__(self) -> str:
        low, high = (f"{100 * share:.2g}" for share in self.program_gain)
        if not self.gain:
            return f"{self.options}: no change"
        return f"{self.options}: saves {100 * self.gain:.2g} % of the time in AES, {low} to {high} % of the program's"


def recommend(
    seconds: Mapping[Variant, float], share: tuple[float, float] | None = None, min_gain: float = 0.02
) -> Recommendation:
    """Return the fastest variant if its gain is large enough, otherwise the current one.

    Parameters
    ----------
    seconds
        Time of a number of cells by variant, including `CURRENT`.
    share
        Least and largest share of the program's time in AES; None stands for the published shares.
    min_gain
        Least share of the time in AES that a change must save; the document calls a few percent "a little".

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the time of the current variant is missing, a variant is unknown, or a time is not positive.
    """
    if CURRENT not in seconds:
        raise ArgumentError(f"the time of {CURRENT[0]} at -O{CURRENT[1]} is missing: the gain is relative to it")
    for variant, time in seconds.items():
        if variant[0] not in OPTIONS:
            raise ArgumentError(f"no variant {variant[0]!r}; the variants are {', '.join(OPTIONS)}")
        if not time > 0:
            raise ArgumentError(f"{time} s given for {variant[0]} at -O{variant[1]}, expected a positive time")
    fastest = min(seconds, key=seconds.__getitem__)
    gain = 1 - seconds[fastest] / seconds[CURRENT]
    if gain < min_gain:
        fastest, gain = CURRENT, 0.0
    least, most = share or _published_share()
    return Recommendation(fastest, gain, (least * gain, most * gain))


def recommendations(cells: DataFrame) -> DataFrame:
    """Return the recommendations for each computer of the document and the measured one, and version of OpenSSL.

    The columns are ``computer``, ``openssl``, ``options`` (compiler options) and, in percent of the time, ``saves`` (in
    AES) and ``saves_from`` to ``saves_to`` (of the program). The measured computer has no row if the current variant
    was not measured.

    Parameters
    ----------
    cells
        Table of `aeadlab.studies.tor.figures.cell_table`, of which the shortest cell is used.
    """
    by_computer = published_times()
    shortest = cells[cells["bytes"].eq(cells["bytes"].min()) & cells["status"].eq("ok")]
    seconds = dict(zip(shortest["implementation"].astype(str), shortest["million_seconds"], strict=True))
    here = times_by_variant(seconds)
    if CURRENT in here and any(code in (LOW_LEVEL, EVP) for code, _ in here):
        by_computer["here", "openssl"] = here
    rows = []
    for (computer, version), times in by_computer.items():
        result = recommend(times)
        low, high = result.program_gain
        rows.append((computer, version, result.options, 100 * result.gain, 100 * low, 100 * high))
    return DataFrame(rows, columns=["computer", "openssl", "options", "saves", "saves_from", "saves_to"])


def published_times() -> dict[tuple[str, str], dict[Variant, float]]:
    """Return the published seconds of a million cells by variant, for each computer and version of OpenSSL."""
    rows = published.lookup("Tor", quantity="time for a million cells")
    own: dict[str, dict[Variant, float]] = {}
    openssl: dict[tuple[str, str], dict[Variant, float]] = {}
    for row in rows.to_dict("records"):
        name, _, level = str(row["variant"]).partition(" -O")
        variant = ({"low-level": LOW_LEVEL, "evp": EVP}.get(name, name), int(level))
        computer, version = str(row["hardware"]), str(row["software"]).partition(";")[0]
        if row["library"] == "openssl":
            openssl.setdefault((computer, version), {})[variant] = float(row["value"])
        else:
            own.setdefault(computer, {})[variant] = float(row["value"])
    return {(computer, version): own[computer] | times for (computer, version), times in openssl.items()}


def _published_share() -> tuple[float, float]:
    least, most = (
        published.number("Tor", quantity=f"share of CPU time in AES, {end}") / 100 for end in ("lowest", "highest")
    )
    return least, most


def times_by_variant(seconds: Mapping[str, float]) -> dict[Variant, float]:
    """Return the times by variant from those by implementation, of which other ciphers are ignored."""
    times: dict[Variant, float] = {}
    for name, time in seconds.items():
        prefix, _, algorithm = name.partition("/")
        if prefix in ("rijndael", "openssl") and base_algorithm(algorithm) == _CIPHER:
            code, _, level = algorithm.partition(".")[2].rpartition("-o")
            if code in OPTIONS:
                times[code, int(level)] = time
    return times
