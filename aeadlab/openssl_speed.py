"""The lab against `openssl speed`: two measurements of one library that share no code.

The plugin ``openssl-system`` is the computer's own libcrypto behind the C ABI. The command calls the same libcrypto in
a loop of its own and reads a clock of its own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np
import pandas as pd

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver, share_arena
from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue import Implementation, load
from aeadlab.errors import ArgumentError, MeasurementError, VerificationError
from aeadlab.progress import bar
from aeadlab.provenance import check_build
from aeadlab.stats import median_interval
from aeadlab.verify.cached import verified

SIZES: Final = (16, 64, 256, 1024, 8192, 16384)
"""Bytes: those of `openssl speed` itself, which the document *Rust* shows."""

MODES: Final[dict[str, list[str]]] = {"plain": [], "aead": ["-aead"]}
"""Options of the command, by the name of its mode."""

LARGEST: Final = 1 << 30
"""Bytes: the command keeps a length as int."""

_SAMPLE_NS: Final = 50_000_000
_PATIENCE: Final = 30
"""Seconds that the command may take besides those that it measures for."""


def agreement(
    sizes: Sequence[int] = SIZES,
    algorithms: Sequence[str] = ("aes-256-gcm", "chacha20-poly1305"),
    rounds: int = 3,
    seconds: int = 1,
) -> pd.DataFrame:
    """Measure messages with the lab and with `openssl speed` in turn.

    In a round every algorithm and size has one run of the command in each mode, with a sample of ours of about 50 ms
    before it and one after: what drifts meets both. Every second round goes backwards, so that no mode is always first.
    Like the command's, our speed of a round is all bytes by all time, whatever disturbed it.

    The lab seals in place as the command does, its case is ``keyed``: per message it sets the nonce, takes the message
    in, finishes, and fetches the tag. The key is set before; there is no associated data. What the command does per
    message is in its source, apps/speed.c, and was seen by counting the calls of 3.0.19:

    - GCM, CCM, OCB and SIV, since 3.0.16 [1]_ and in 3.5 (`EVP_Update_loop_aead_enc`): it sets the length of the nonce
      (not SIV) and of the tag (CCM, OCB), then **the key** and the nonce, takes the message in, and finishes; it does
      not fetch the tag. With ``-aead``, 13 bytes of associated data go before the message. Up to 3.0.15 it set no key,
      and without ``-aead`` neither nonce nor tag (but for CCM).
    - Others, such as ChaCha20-Poly1305 (`EVP_Update_loop`): it takes the message in, and nothing else. All messages of
      a run are one long one with one nonce and one tag, and short ones share a block of key stream. ``-aead`` changes
      nothing since 3.0.16: both modes are the same loop, and what differs between them is noise.

    Those are times per message, whatever its length: `difference_ns` should be the same at every size, and `ratio` come
    near 1 as messages grow.

    With ``-elapsed`` the command takes wall time, as the lab does, instead of user CPU time. It has that from
    `times(2)`, whose ticks of 10 ms are 1 % of a second: more `seconds` make it finer.

    Parameters
    ----------
    sizes
        Bytes of a message, 1 to 2**30 each.
    algorithms
        AEADs of the plugin, by names that the command knows as well.
    rounds
        Runs of the command for each row.
    seconds
        Of each run, a whole number.

    Returns
    -------
    pandas.DataFrame
        One row for each algorithm, size and mode: ``algorithm``, ``bytes``, ``mode`` (``plain`` or ``aead``);
        ``speed_gib_per_s`` of the command and ``ours_gib_per_s``, medians of the rounds; ``ratio``, ours over the
        command's (exponential of the median log ratio of a round), with its 95 % interval ``low`` to ``high``, NaN
        below six rounds, where it is unknown and not narrow; ``rounds``; ``difference_ns``, what the command takes
        longer per message (median of the rounds; negative: less); ``explained``, what it does that the lab does not.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a number is out of range, or an algorithm is no AEAD.
    aeadlab.errors.UnknownNameError
        If the plugin is absent, or has no such algorithm.
    aeadlab.errors.BuildError
        If the extension is missing, stale or a debug build.
    aeadlab.errors.VerificationError
        If the plugin computes something wrong: it is not timed.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    aeadlab.errors.MeasurementError
        If there is no command `openssl`, it has another library than the plugin, does not know an algorithm, fails, or
        prints what cannot be read.

    References
    ----------
    .. [1] https://github.com/openssl/openssl/issues/28063, on commit 336b86f.
    """
    sizes = _whole("sizes", sizes, LARGEST)
    (rounds,) = _whole("rounds", [rounds], 10_000)
    (seconds,) = _whole("seconds", [seconds], 3600)
    if not algorithms or isinstance(algorithms, str):
        raise ArgumentError(f"algorithms {algorithms!r} given, names such as ['aes-256-gcm'] wanted")
    check_build()
    catalogue = load()
    plugin = {name: catalogue.find(f"openssl-system/{name}") for name in algorithms}
    if others := [one.name for one in plugin.values() if one.description.kind != "aead"]:
        raise ArgumentError(f"{', '.join(others)} given, AEADs wanted")
    command = _command(plugin[algorithms[0]])
    cases = {
        (name, size): Case(one.name, "seal", size, placement="in-place")
        for (name, one), size in product(plugin.items(), sizes)
    }
    points = list(product(cases, MODES))
    speeds: dict[tuple[tuple[str, int], str], list[tuple[float, float]]] = {point: [] for point in points}
    with machine_lock(), bar(rounds * len(points), "openssl speed", "run") as shown:
        for report in verified(list(plugin.values()), catalogue).values():
            if not report.ok:
                raise VerificationError(f"{report.implementation} is not timed: {report.reason}")
        drivers = {key: driver(case, catalogue, 1) for key, case in cases.items()}
        share_arena(list(drivers.values()), list(cases.values()), 1)
        batches = {key: one.calibrate(_SAMPLE_NS) for key, one in drivers.items()}
        for number in range(rounds):
            for key, mode in reversed(points) if number % 2 else points:
                before = drivers[key].sample(batches[key])[0]
                theirs = _run(command, *key, mode, seconds)
                after = drivers[key].sample(batches[key])[0]
                ours = 2 * batches[key] * key[1] / (before + after) * 1e9
                speeds[key, mode].append((theirs, ours))
                shown.update()
    version = plugin[algorithms[0]].description.version
    return pd.DataFrame(
        {"algorithm": name, "bytes": size, "mode": mode}
        | compared(size, pairs)
        | {"explained": explained(name, mode, version)}
        for ((name, size), mode), pairs in speeds.items()
    )


def compared(size: int, speeds: Sequence[tuple[float, float]]) -> dict[str, float]:
    """The numbers of a row of `agreement`.

    Parameters
    ----------
    size
        Bytes of a message.
    speeds : sequence of pairs, shape (rounds, 2)
        Of the command and ours, in bytes per second.
    """
    theirs, ours = np.array(speeds).T
    ratio, low, high = np.exp(median_interval(np.log(ours / theirs)))
    return {
        "speed_gib_per_s": float(np.median(theirs)) / 2**30,
        "ours_gib_per_s": float(np.median(ours)) / 2**30,
        "ratio": float(ratio),
        "low": float(low),
        "high": float(high),
        "rounds": len(speeds),
        "difference_ns": float(np.median(size / theirs - size / ours)) * 1e9,
    }


def explained(algorithm: str, mode: str, version: str) -> str:
    """What the command does per message and the lab does not, or the reverse; `agreement` says where that is from.

    Parameters
    ----------
    version
        Of OpenSSL, as the plugin has it: ``3.0.19 27 Jan 2026``.
    """
    numbers = tuple(map(int, re.findall(r"\d+", version)[:3]))
    if not ((3, 0, 16) <= numbers < (3, 1) or numbers >= (3, 5)):
        return f"nobody has looked up what the command of OpenSSL {version} does"
    if not algorithm.endswith(("-gcm", "-ccm", "-ocb", "-siv")):
        return "the command sets no nonce and makes no tag"
    return "the command sets the key" + (" and takes 13 bytes of associated data in" if mode == "aead" else "")


def parsed(printed: str, size: int) -> float:
    """Bytes per second, from what `openssl speed -mr` prints of one algorithm and one size.

    ``+R:count:name:seconds`` is the run (on standard error), ``+H:size`` and ``+F:number:name:speed`` its result.

    Parameters
    ----------
    printed
        Both streams, one behind the other.
    size
        Bytes of a message that was asked for.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If one of these lines is missing, there twice or of another size, or they contradict each other.
    """
    patterns = (r"\+H:(\d+)", r"\+R:(\d+):[^:]+:([\d.]+)", r"\+F:\d+:[^:]+:([\d.]+)")
    found = [[m for line in printed.splitlines() if (m := re.fullmatch(pattern, line))] for pattern in patterns]
    try:
        (head,), (run,), (result,) = found
        speed, count, seconds = float(result[1]), int(run[1]), float(run[2])
        # It prints microseconds and hundredths of a byte per second.
        if int(head[1]) == size and speed > 0 and np.isclose(count * size, speed * seconds, rtol=1e-5):
            return speed
    except ValueError:
        pass
    raise MeasurementError(
        f"openssl speed printed {printed!r}, one line each of +H with {size}, +R with a count and seconds, and +F with "
        "the speed that follows from them wanted"
    )


def _run(command: str, algorithm: str, size: int, mode: str, seconds: int) -> float:
    options = ["-evp", algorithm, "-bytes", str(size), "-seconds", str(seconds), "-elapsed", "-mr", *MODES[mode]]
    return parsed(_printed([command, "speed", *options], seconds + _PATIENCE), size)


def _command(plugin: Implementation) -> str:
    """Path of the command that has the plugin's library, by version and compiler options."""
    version, build = plugin.description.version, plugin.description.build
    command = shutil.which("openssl")
    if command is None:
        raise MeasurementError("there is no command openssl in PATH: install the system's package openssl")
    told = _printed([command, "version", "-v", "-f"], _PATIENCE)
    if f"(Library: OpenSSL {version})" not in told or build not in told.splitlines():
        raise MeasurementError(
            f"{command} says {told.strip()!r}, the plugin has OpenSSL {version}, {build!r}: put the command of the "
            "plugin's library first in PATH"
        )
    return command


def _printed(call: list[str], patience: float) -> str:
    """Both streams of a command that succeeded."""
    what = " ".join(call)
    try:
        done = subprocess.run(call, capture_output=True, text=True, errors="replace", timeout=patience, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasurementError(f"{what} could not be run: {error}") from error
    if done.returncode:
        raise MeasurementError(f"{what} failed ({done.returncode}): {done.stderr.strip() or 'it gave no reason'}")
    return done.stderr + done.stdout


def _whole(what: str, values: Sequence[int], most: int) -> list[int]:
    if not len(values) or any(value % 1 or not 1 <= value <= most for value in values):
        raise ArgumentError(f"{what} {', '.join(map(repr, values)) or 'none'} given, whole numbers 1 to {most} wanted")
    return list(map(int, values))
