"""Predictions of claims about many threads: what a model of a record with few cores gives for the paper's computer.

A prediction is no verdict. A record from a computer with as many cores decides the claim and tests the model.

Notes
-----
In units of memcpy's best time, the time with n threads is ``max(1, a (s + (1 - s) / n))``: Amdahl's law down to the
memory limit. The record gives ``a``, the time with one thread, and the serial share ``s``, from the time with as many
threads as its computer has cores. Where memory limits this time already, ``s`` is anything from 0 to that share. The
model assumes the memory limit and the speed of one core of the record's computer and 64 logical cores that are alike,
which is optimistic where two of them share a core. Its memory limit is too low where memcpy would gain from more cores
than the record's computer has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aeadlab.studies.eth.claims import CRYPTOPP, OPENSSL, PRESENTED, RUSTCRYPTO, XOR
from aeadlab.studies.eth.quantities import MEMCPY, SATURATED, parsplit_cases, whole_message_case
from aeadlab.verdicts.estimate import CONFIDENCE, Estimate, Quantity
from aeadlab.verdicts.evidence import Evidence, Inconclusive

CORES: Final = 64
"""Logical cores of the paper's computer."""

NO_VERDICT: Final = f"a prediction for {CORES} logical cores by a model of this record, no measurement"

DETAIL: Final = f"by a model, {CORES} logical cores"

_HASH: Final = "blake3-rayon/blake3"
_DRAWS: Final = 4000
_NORMAL: Final = 1.959964
_COUNTS: Final = np.arange(1, CORES + 1)

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Drawn times of an implementation in units of memcpy's best time.

    Attributes
    ----------
    times
        By draw and thread count, shape (draws, `CORES`).
    whole
        Of the whole message in one thread, shape (draws,).
    """

    times: Floats
    whole: Floats

    @property
    def least(self) -> Floats:
        """Least time of each draw, shape (draws,)."""
        least: Floats = self.times.min(axis=1)
        return least

    @property
    def saturation(self) -> Floats:
        """Smallest thread count of each draw whose time is within `SATURATED` of the least, shape (draws,)."""
        within = self.times <= SATURATED * self.least[:, None]
        first: Floats = _COUNTS[within.argmax(axis=1)].astype(np.float64)
        return first


Curves: TypeAlias = Mapping[str, Curve]
Prediction: TypeAlias = Callable[[Curves], Floats]


def predicted(key: str, evidence: Evidence) -> Estimate | None:
    """Return the quantity of a claim as predicted for the paper's computer; None if there is no prediction.

    There is none from an unsuitable record, one of short messages, or one of as many cores as the paper's computer.

    The ends of its interval are the 2.5 and the 97.5 percentile of the quantity when times are drawn from log-normal
    distributions with the medians and the 95 % intervals of the record. Errors of the model are not among them.
    """
    if key not in PREDICTIONS or evidence.unsuitable or (evidence.cores or CORES) >= CORES:
        return None
    names, quantity = PREDICTIONS[key]
    generator = np.random.default_rng(22)
    try:
        sources = [_measured(evidence, name) for name in names]
        curves = {name: _curve(source, generator) for name, source in zip(names, sources, strict=True)}
    except Inconclusive:
        return None
    low, value, high = np.percentile(quantity(curves), [2.5, 50, 97.5], method="nearest")
    estimates = [each(CONFIDENCE) for source in sources for each in source.quantities]
    processes, rounds = (min(getattr(one, name) for one in estimates) for name in ("processes", "rounds"))
    return Estimate(
        float(value), float(low), float(high), 0.0, processes, rounds, NO_VERDICT, NO_VERDICT, detail=DETAIL
    )


@dataclass(frozen=True)
class _Source:
    """What a record has of an implementation: ratios of times, and the largest thread count within its cores."""

    threads: int
    one: Quantity
    """Time with one thread over memcpy's best time."""
    speed_up: Quantity
    """Time with one thread over that with `threads`."""
    whole: Quantity
    """Time of the whole message over memcpy's best time."""

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return self.one, self.speed_up, self.whole


def _measured(evidence: Evidence, name: str) -> _Source:
    """Return the ratios of one implementation; the hash has threads of its own."""
    evidence.require_cores(2)
    memcpy, threads = parsplit_cases(evidence, MEMCPY), evidence.thread_counts[-1]
    if name == _HASH:
        one, most = (evidence.find(name, engine="whole", op="digest", threads=count) for count in (1, threads))
        whole = one
    else:
        one, most = (parsplit_cases(evidence, name, "seal", count, count) for count in (1, threads))
        whole = whole_message_case(evidence, name)
    ratios = (evidence.ratio(one, memcpy), evidence.ratio(one, most), evidence.ratio(whole, memcpy))
    return _Source(threads, *ratios)


def _curve(source: _Source, generator: np.random.Generator) -> Curve:
    one, speed_up, whole = (_drawn(quantity, generator) for quantity in source.quantities)
    serial = np.clip((source.threads / speed_up - 1) / (source.threads - 1), 0.0, 1.0)
    # A time at the memory limit bounds the serial share, and does not show it.
    limited = one / speed_up <= SATURATED
    serial = np.where(limited, serial * generator.random(_DRAWS), serial)[:, None]
    times = np.maximum(1.0, one[:, None] * (serial + (1 - serial) / _COUNTS))
    return Curve(times, whole)


def _drawn(quantity: Quantity, generator: np.random.Generator) -> Floats:
    estimate = quantity(CONFIDENCE)
    if estimate.cannot_refute:
        raise Inconclusive(estimate.cannot_refute)
    if not (estimate.low > 0 and np.isfinite(estimate.high)):
        raise Inconclusive("an end of an interval is unknown")
    deviation = np.log(estimate.high / estimate.low) / (2 * _NORMAL)
    return np.asarray(estimate.value * np.exp(generator.normal(0.0, deviation, _DRAWS)), dtype=np.float64)


def _saturation(name: str) -> Prediction:
    return lambda curves: curves[name].saturation


def _relative_speed_up(over_whole: bool) -> Prediction:
    def quantity(curves: Curves) -> Floats:
        def gain(curve: Curve) -> Floats:
            gained: Floats = (curve.whole if over_whole else curve.times[:, 0]) / curve.least
            return gained

        others = [gain(curve) for name, curve in curves.items() if name != RUSTCRYPTO]
        relative: Floats = gain(curves[RUSTCRYPTO]) / np.max(others, axis=0)
        return relative

    return quantity


def _crypto_over_openssl(first: int, last: int) -> Prediction:
    """Return the ratio of Crypto++'s time to OpenSSL's by draw and thread count in a range."""
    return lambda curves: (curves[CRYPTOPP].times / curves[OPENSSL].times)[:, first - 1 : last]


def _least_other(name: str, others: Sequence[str]) -> Prediction:
    def quantity(curves: Curves) -> Floats:
        least: Floats = np.min([curves[other].least for other in others], axis=0) / curves[name].least
        return least

    return quantity


def _upper_half_gain(curves: Curves) -> Floats:
    half = CORES // 2
    gains = np.sort([curve.times[:, :half].min(axis=1) / curve.least for curve in curves.values()], axis=0)
    upper: Floats = gains[len(gains) // 2]
    return upper


def _least_gain_from_threads(curves: Curves) -> Floats:
    gain: Floats = np.min([curve.whole / curve.times[:, 1:].min(axis=1) for curve in curves.values()], axis=0)
    return gain


def _memory_share(curves: Curves) -> Floats:
    share: Floats = 1 / np.max([curve.least for curve in curves.values()], axis=0)
    return share


_ALL: Final = (*PRESENTED, XOR)
_BOTH: Final = (OPENSSL, CRYPTOPP)

PREDICTIONS: Final[dict[str, tuple[Sequence[str], Prediction]]] = {
    "parsplit-pays": (PRESENTED, _least_gain_from_threads),
    "parsplit-gain-cryptopp": ((CRYPTOPP,), lambda curves: curves[CRYPTOPP].whole / curves[CRYPTOPP].least),
    "rustcrypto-gains-most": (_ALL, _relative_speed_up(over_whole=False)),
    "rustcrypto-gains-most-over-whole": (_ALL, _relative_speed_up(over_whole=True)),
    "openssl-leads-at-first": (_BOTH, lambda curves: _crypto_over_openssl(1, 12)(curves).min(axis=1)),
    "openssl-leads-slightly": (_BOTH, lambda curves: _crypto_over_openssl(1, 12)(curves).max(axis=1)),
    "cryptopp-leads-later": (_BOTH, lambda curves: 1 / _crypto_over_openssl(13, CORES)(curves).max(axis=1)),
    "cryptopp-fastest-in-parallel": (
        PRESENTED,
        _least_other(CRYPTOPP, [name for name in PRESENTED if name != CRYPTOPP]),
    ),
    "xor-ends-early": ((XOR,), _saturation(XOR)),
    "openssl-ends-later": ((OPENSSL,), _saturation(OPENSSL)),
    "cryptopp-peak": ((CRYPTOPP,), _saturation(CRYPTOPP)),
    "faster-ends-earlier": ((OPENSSL, XOR), lambda curves: curves[OPENSSL].saturation / curves[XOR].saturation),
    "little-beyond-half": (_ALL, _upper_half_gain),
    "bounded-by-memory": (_ALL, _memory_share),
    "blake3-in-parallel": ((*PRESENTED, _HASH), _least_other(_HASH, PRESENTED)),
}
"""The implementations whose times a prediction takes, and its quantity, by the key of a claim."""
