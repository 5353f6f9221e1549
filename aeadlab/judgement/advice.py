"""Which AES a program that encrypts cells should call: the rule that the document *Tor* ends with, made of numbers.

The document decides by what it knows of computers: OpenSSL's ``AES_encrypt`` on x86 with a recent OpenSSL, else its own
code, with its loop unrolled on PowerPC perhaps. What it decided by are the times that it measured, and so does this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pandas import DataFrame

from aeadlab import published
from aeadlab.catalogue.implementation import computed
from aeadlab.errors import ArgumentError

TODAY: Final = ("counter-optimization", 2)
"""What the program does already: its own code, which fills the buffer without encoding, at -O2."""

LOW_LEVEL: Final = "aes-encrypt"
EVP: Final = "evp"
UNROLLED: Final = "full-unroll"

_CIPHER: Final = "aes-128-ctr"

Way = tuple[str, int]
"""How the cells are encrypted, and the level of optimisation that it was compiled at."""

OPTIONS: Final[Mapping[str, str]] = {
    "plain": "neither of the options",
    TODAY[0]: "USE_RIJNDAEL_COUNTER_OPTIMIZATION",
    UNROLLED: "USE_RIJNDAEL_COUNTER_OPTIMIZATION and FULL_UNROLL",
    LOW_LEVEL: "USE_OPENSSL_AES",
    EVP: "USE_OPENSSL_EVP",
}
"""What the document's program is compiled with."""


@dataclass(frozen=True)
class Advice:
    """What to do.

    Attributes
    ----------
    way
        The fastest, of those whose gain is worth a change; see `advise`.
    gain
        Share of the time that it saves, over what is done today.
    program_gain
        The same of the whole program, which spends between so much and so much of its time there.
    """

    way: Way
    gain: float
    program_gain: tuple[float, float]

    @property
    def options(self) -> str:
        """What the program is to be compiled with, in the document's words."""
        return f"{OPTIONS[self.way[0]]}, -O{self.way[1]}"

    def __repr__(self) -> str:
        low, high = (f"{100 * share:.2g}" for share in self.program_gain)
        if not self.gain:
            return f"{self.options}: as it is"
        return f"{self.options}: saves {100 * self.gain:.2g} % of the time in AES, {low} to {high} % of the program's"


def advise(seconds: Mapping[Way, float], share: tuple[float, float] | None = None, worth: float = 0.02) -> Advice:
    """The way to take.

    Parameters
    ----------
    seconds
        Time of some number of cells, by way; `TODAY` is among them.
    share
        Least and largest part of the program's time that it spends in AES; None means what the document prints.
    worth
        Least share of the time in AES that a change must save: the document calls some per cent "a little".

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the time of today's way is missing, a way is unknown, or a time is not above zero.
    """
    if TODAY not in seconds:
        raise ArgumentError(f"the time of {TODAY[0]} at -O{TODAY[1]} is missing: others are compared with it")
    for way, time in seconds.items():
        if way[0] not in OPTIONS:
            raise ArgumentError(f"no way is called {way[0]!r}; there are {', '.join(OPTIONS)}")
        if not time > 0:
            raise ArgumentError(f"{time} s given for {way[0]} at -O{way[1]}, more than 0 wanted")
    fastest = min(seconds, key=seconds.__getitem__)
    gain = 1 - seconds[fastest] / seconds[TODAY]
    if gain < worth:
        fastest, gain = TODAY, 0.0
    least, most = share or _published_share()
    return Advice(fastest, gain, (least * gain, most * gain))


def recommendations(cells: DataFrame) -> DataFrame:
    """What to do on the document's computers, by its numbers, and here.

    Parameters
    ----------
    cells
        What `aeadlab.figures.cells.cell_table` gives; the shortest cell is taken.

    Returns
    -------
    DataFrame
        A row for each computer and version of OpenSSL: ``computer``, ``openssl``, ``options`` (what to compile the
        program with) and, in percent of the time, ``saves`` (in AES) and ``saves_from`` to ``saves_to`` (of the
        program). A computer where the lab's own code was not measured has no row.
    """
    known = published_ways()
    of = cells[cells["bytes"].eq(cells["bytes"].min()) & cells["status"].eq("ok")]
    seconds = dict(zip(of["implementation"].astype(str), of["million_seconds"], strict=True))
    for library in ("openssl-system", "openssl"):
        here = ways(seconds, library)
        if TODAY in here and any(way in (LOW_LEVEL, EVP) for way, _ in here):
            known["here", library] = here
    rows = []
    for (computer, version), times in known.items():
        found = advise(times)
        low, high = found.program_gain
        rows.append((computer, version, found.options, 100 * found.gain, 100 * low, 100 * high))
    return DataFrame(rows, columns=["computer", "openssl", "options", "saves", "saves_from", "saves_to"])


def published_ways() -> dict[tuple[str, str], dict[Way, float]]:
    """Seconds of a million cells on the document's computers, by computer and version of OpenSSL."""
    rows = published.lookup("Tor", quantity="time for a million cells")
    own: dict[str, dict[Way, float]] = {}
    theirs: dict[tuple[str, str], dict[Way, float]] = {}
    for row in rows.to_dict("records"):
        name, _, level = str(row["variant"]).partition(" -O")
        way = (LOW_LEVEL if name == "low-level" else name, int(level))
        computer, version = str(row["hardware"]), str(row["software"]).partition(";")[0]
        if row["library"] == "openssl":
            theirs.setdefault((computer, version), {})[way] = float(row["value"])
        else:
            own.setdefault(computer, {})[way] = float(row["value"])
    return {(computer, version): own[computer] | times for (computer, version), times in theirs.items()}


def _published_share() -> tuple[float, float]:
    least, most = (
        published.number("Tor", quantity=f"share of CPU time in AES, {end}") / 100 for end in ("lowest", "highest")
    )
    return least, most


def ways(seconds: Mapping[str, float], library: str = "openssl") -> dict[Way, float]:
    """Times of implementations as `advise` takes them: the lab's own code, and one library's two interfaces.

    Parameters
    ----------
    seconds
        By name of the implementation; other ciphers are left out.
    library
        ``openssl`` or ``openssl-system``.
    """
    found: dict[Way, float] = {}
    for name, time in seconds.items():
        whose, _, algorithm = name.partition("/")
        if computed(algorithm) != _CIPHER:
            continue
        way, _, level = algorithm.partition(".")[2].rpartition("-o")
        if whose == "rijndael":
            found[way, int(level)] = time
        elif whose == library:
            # Compiled by those who made it: at which level is not ours to choose.
            found[LOW_LEVEL if algorithm.endswith(f".{LOW_LEVEL}") else EVP, 2] = time
    return found
