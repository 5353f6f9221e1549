"""Comparison of the lab with `openssl speed`: two measurements of one library that share no code.

The plugin ``openssl-system`` is the computer's own libcrypto behind the C ABI. The command calls the same libcrypto in
its own loop with its own clock.
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
from aeadlab.display.progress import bar
from aeadlab.errors import ArgumentError, MeasurementError, VerificationError
from aeadlab.records.provenance import check_build
from aeadlab.stats import ratio_interval
from aeadlab.verify.cached import verified

SIZES: Final = (16, 64, 256, 1024, 8192, 16384)
"""Message sizes in bytes: the defaults of `openssl speed`, which the document *Rust* shows."""

MODES: Final[dict[str, list[str]]] = {"plain": [], "aead": ["-aead"]}
"""Options of the command by mode."""

LARGEST: Final = 1 << 30
"""Largest message in bytes: the command stores a length as int."""

_SAMPLE_NS: Final = 50_000_000
_EXTRA_SECONDS: Final = 30
"""Time limit of the command in seconds, in addition to the duration of its measurement."""


def agreement(
    sizes: Sequence[int] = SIZES,
    algorithms: Sequence[str] = ("aes-256-gcm", "chacha20-poly1305"),
    rounds: int = 3,
    seconds: int = 1,
) -> pd.DataFrame:
    """Measure messages with the lab and with `openssl speed` in turn.

    In a round, every algorithm and size has one run of the command in each mode, between two samples of the lab of
    about 50 ms each, so that drift affects both. Every second round is reversed, so that no mode is always first. The
    lab's speed of a round is all bytes over all time, like the command's.

    The lab seals in place as the command does, with model ``keyed``: for each message it sets the nonce, processes the
    message, finishes, and fetches the tag. The key is set before, and there is no associated data. The calls of the
    command are those in its source, apps/speed.c, confirmed by counting the calls of version 3.0.19:

    - GCM, CCM, OCB and SIV, since 3.0.16 [1]_ and in 3.5 (`EVP_Update_loop_aead_enc`): it sets the length of the nonce
      (not SIV) and of the tag (CCM, OCB), then **the key** and the nonce, processes the message, and finishes; it does
      not fetch the tag. With ``-aead``, it processes 13 bytes of associated data first. Up to 3.0.15 it sets no key,
      and without ``-aead`` neither nonce nor tag (except for CCM).
    - Others, such as ChaCha20-Poly1305 (`EVP_Update_loop`): it only processes the message. All messages of a run are
      one long message with one nonce and one tag, and short ones share a block of key stream. ``-aead`` has no effect
      since 3.0.16: both modes are the same loop, and their difference is noise.

    These differences are times for each message, independent of its length: `difference_ns` should be the same at every
    size, and `ratio` should approach 1 as messages grow.

    With ``-elapsed`` the command measures wall time, as the lab does, instead of user CPU time. It uses `times(2)`,
    whose ticks of 10 ms are 1 % of a second; a larger `seconds` reduces that error.

    Parameters
    ----------
    sizes
        Message sizes in bytes, 1 to 2**30 each.
    algorithms
        AEADs of the plugin, by names that the command supports too.
    rounds
        Runs of the command for each row.
    seconds
        Duration of each run in whole seconds.

    Returns
    -------
    pandas.DataFrame
        One row for each algorithm, size and mode: ``algorithm``, ``bytes``, ``mode`` (``plain`` or ``aead``);
        ``speed_gib_per_s`` of the command and ``ours_gib_per_s`` of the lab, medians of the rounds; ``ratio``, the
        lab's speed over the command's (exponential of the median log ratio of a round), with the ends ``low`` and
        ``high`` of its 95 % interval, which holds within one process of the lab, as ``interval`` states, and is NaN
        below six rounds; ``rounds``; ``difference_ns``, the additional time of the command for each message (median of
        the rounds; negative if it is faster); ``explained``, the calls that only one of both makes.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If there is no command `openssl`, it uses another library than the plugin, does not support an algorithm, fails,
        or prints output of another format.
    aeadlab.errors.Error
        Otherwise as `aeadlab.measure`.

    References
    ----------
    .. [1] https://github.com/openssl/openssl/issues/28063, on commit 336b86f.
    """
    sizes = _check_integers("sizes", sizes, LARGEST)
    (rounds,) = _check_integers("rounds", [rounds], 10_000)
    (seconds,) = _check_integers("seconds", [seconds], 3600)
    if not algorithms or isinstance(algorithms, str):
        raise ArgumentError(f"algorithms {algorithms!r} given: give a list of names, such as ['aes-256-gcm']")
    check_build()
    catalogue = load()
    plugin = {name: catalogue.find(f"openssl-system/{name}") for name in algorithms}
    if others := [i.name for i in plugin.values() if i.description.kind != "aead"]:
        raise ArgumentError(f"{', '.join(others)} given, AEADs expected")
    command = _find_command(plugin[algorithms[0]])
    cases = {
        (name, size): Case(implementation.name, "seal", size, placement="in-place")
        for (name, implementation), size in product(plugin.items(), sizes)
    }
    points = list(product(cases, MODES))
    speeds: dict[tuple[tuple[str, int], str], list[tuple[float, float]]] = {point: [] for point in points}
    with machine_lock(), bar(rounds * len(points), "openssl speed", "run") as shown:
        for report in verified(list(plugin.values()), catalogue).values():
            if not report.ok:
                raise VerificationError(f"{report.implementation} is not timed: {report.reason}")
        drivers = {key: driver(case, catalogue, 1) for key, case in cases.items()}
        share_arena(list(drivers.values()), list(cases.values()), 1)
        batches = {key: timed.calibrate(_SAMPLE_NS) for key, timed in drivers.items()}
        for round in range(rounds):
            for key, mode in reversed(points) if round % 2 else points:
                before = drivers[key].sample(batches[key])[0]
                theirs = _run(command, *key, mode, seconds)
                after = drivers[key].sample(batches[key])[0]
                ours = 2 * batches[key] * key[1] / (before + after) * 1e9
                speeds[key, mode].append((theirs, ours))
                shown.update()
    version = plugin[algorithms[0]].description.version
    return pd.DataFrame(
        {"algorithm": name, "bytes": size, "mode": mode}
        | compare_speeds(size, pairs)
        | {"explained": explain_difference(name, mode, version)}
        for ((name, size), mode), pairs in speeds.items()
    )


def compare_speeds(size: int, speeds: Sequence[tuple[float, float]]) -> dict[str, float | str]:
    """Return the numbers of a row of `agreement` from pairs of the command's and the lab's bytes per second."""
    theirs, ours = np.array(speeds).T
    ratios = ratio_interval(ours, theirs, range(len(speeds)), [0] * len(speeds))
    return {
        "speed_gib_per_s": float(np.median(theirs)) / 2**30,
        "ours_gib_per_s": float(np.median(ours)) / 2**30,
        **dict(zip(("ratio", "low", "high"), ratios, strict=True)),
        "interval": ratios.unit,
        "rounds": len(speeds),
        "difference_ns": float(np.median(size / theirs - size / ours)) * 1e9,
    }


def explain_difference(algorithm: str, mode: str, version: str) -> str:
    """Return the calls for each message that only one of the command and the lab makes; see `agreement`.

    `version` is that of OpenSSL as the plugin reports it, such as ``3.0.19 27 Jan 2026``.
    """
    numbers = tuple(map(int, re.findall(r"\d+", version)[:3]))
    if not ((3, 0, 16) <= numbers < (3, 1) or numbers >= (3, 5)):
        return f"the calls of the command of OpenSSL {version} are not known"
    if not algorithm.endswith(("-gcm", "-ccm", "-ocb", "-siv")):
        return "the command sets no nonce and makes no tag"
    return "the command sets the key" + (" and processes 13 bytes of associated data" if mode == "aead" else "")


def parse_speed(output: str, size: int) -> float:
    """Return the bytes per second in the output of `openssl speed -mr` for one algorithm and one size.

    ``+R:count:name:seconds`` is the run (on standard error), ``+H:size`` and ``+F:number:name:speed`` its result. A
    MeasurementError is raised if one is missing, repeated or of another size, or they contradict each other.
    """
    patterns = (r"\+H:(\d+)", r"\+R:(\d+):[^:]+:([\d.]+)", r"\+F:\d+:[^:]+:([\d.]+)")
    matches = [[m for line in output.splitlines() if (m := re.fullmatch(pattern, line))] for pattern in patterns]
    try:
        (head,), (run,), (result,) = matches
        speed, count, seconds = float(result[1]), int(run[1]), float(run[2])
        # It prints microseconds and hundredths of a byte per second.
        if int(head[1]) == size and speed > 0 and np.isclose(count * size, speed * seconds, rtol=1e-5):
            return speed
    except ValueError:
        pass
    raise MeasurementError(
        f"openssl speed printed {output!r}; expected is one line each of +H with {size}, +R with a count and seconds, "
        "and +F with the speed that follows from them"
    )


def _run(command: str, algorithm: str, size: int, mode: str, seconds: int) -> float:
    options = ["-evp", algorithm, "-bytes", str(size), "-seconds", str(seconds), "-elapsed", "-mr", *MODES[mode]]
    return parse_speed(_output([command, "speed", *options], seconds + _EXTRA_SECONDS), size)


def _find_command(plugin: Implementation) -> str:
    """Return the path of the command, and check that it has the plugin's library version and compiler options."""
    version, build = plugin.description.version, plugin.description.build
    command = shutil.which("openssl")
    if command is None:
        raise MeasurementError("there is no command openssl in PATH: install the system's package openssl")
    output = _output([command, "version", "-v", "-f"], _EXTRA_SECONDS)
    if f"(Library: OpenSSL {version})" not in output or build not in output.splitlines():
        raise MeasurementError(
            f"{command} prints {output.strip()!r}, but the plugin has OpenSSL {version}, {build!r}: put the command of "
            "the plugin's library first in PATH"
        )
    return command


def _output(command: list[str], timeout: float) -> str:
    """Return standard error and standard output of a command that must succeed within `timeout` seconds."""
    text = " ".join(command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasurementError(f"{text} could not be run: {error}") from error
    if done.returncode:
        raise MeasurementError(f"{text} failed ({done.returncode}): {done.stderr.strip() or 'it printed no reason'}")
    return done.stderr + done.stdout


def _check_integers(name: str, values: Sequence[int], largest: int) -> list[int]:
    if not len(values) or any(value % 1 or not 1 <= value <= largest for value in values):
        given = ", ".join(map(repr, values)) or "none"
        raise ArgumentError(f"{name} {given} given, whole numbers 1 to {largest} expected")
    return list(map(int, values))
