from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.bench.case import Case as BenchCase
from aeadlab.figures.style import settings, venue

GIB = 2**30

# Seconds for 1 GiB: what a case takes, by implementation, engine, op, block size. Chosen, not measured.
AEAD_TIMES = {
    ("baseline/memcpy", "whole", "seal", 0): 0.0601,
    ("baseline/xor", "whole", "seal", 0): 0.0655,
    ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0643,
    ("openssl/aes-256-gcm", "whole", "open", 0): 0.0630,
    ("openssl/aes-256-gcm", "parsplit", "seal", 65536): 0.0701,
    ("openssl/aes-256-gcm", "parsplit", "seal", 262144): 0.0662,
    ("openssl/aes-256-gcm", "parsplit", "open", 65536): 0.0711,
    ("openssl/aes-256-gcm", "parsplit", "open", 262144): 0.0650,
    ("cryptopp/aes-256-gcm", "whole", "seal", 0): 0.3301,
    ("cryptopp/aes-256-gcm", "whole", "open", 0): 0.3412,
    ("cryptopp/aes-256-gcm", "parsplit", "seal", 65536): 0.3404,
    ("cryptopp/aes-256-gcm", "parsplit", "seal", 262144): 0.3330,
    ("cryptopp/aes-256-gcm", "parsplit", "open", 65536): 0.3504,
    ("cryptopp/aes-256-gcm", "parsplit", "open", 262144): 0.3440,
    ("rustcrypto/aes-256-gcm", "whole", "seal", 0): 0.5701,
    ("rustcrypto/aes-256-gcm", "whole", "open", 0): 0.5612,
    ("rustcrypto/aes-256-gcm", "parsplit", "seal", 65536): 0.5402,
    ("rustcrypto/aes-256-gcm", "parsplit", "seal", 262144): 0.5511,
    ("rustcrypto/aes-256-gcm", "parsplit", "open", 65536): 0.5501,
    ("rustcrypto/aes-256-gcm", "parsplit", "open", 262144): 0.5522,
    ("aeadlab/aes-256-ctr+blake3", "whole", "seal", 0): 0.4102,
    ("aeadlab/aes-256-ctr+blake3", "whole", "open", 0): 0.4021,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "seal", 65536): 0.4301,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "seal", 262144): 0.4203,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "open", 65536): 0.4222,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "open", 262144): 0.4101,
    ("pyca/aes-256-gcm", "python", "seal", 0): 0.1203,
    ("pyca/aes-256-gcm", "python", "open", 0): 0.1301,
    ("pycryptodome/aes-256-gcm", "python", "seal", 0): 0.8103,
    ("pycryptodome/aes-256-gcm", "python", "open", 0): 0.8301,
}

HASH_TIMES = {
    ("baseline/memcpy", "whole", "seal", 0): 0.0601,
    ("baseline/xor", "whole", "seal", 0): 0.0655,
    ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0643,
    ("openssl/aes-256-gmac", "whole", "digest", 0): 0.0312,
    ("rustcrypto/ghash", "whole", "digest", 0): 0.2012,
    ("blake3/blake3", "whole", "digest", 0): 0.1511,
    ("blake3-py/blake3", "python", "digest", 0): 0.1533,
}

KINDS = {"seal": "aead", "open": "aead", "digest": "hash", "generate": "generator"}

Case = tuple[str, str, str, int]
MakeSamples = Callable[..., pd.DataFrame]


def make_samples(times: dict[Case, float], rounds: int = 30, size: int = GIB, threads: int = 1) -> pd.DataFrame:
    """Samples of a study: three warm-ups ten times too slow, then rounds with 2 % of noise, the same every time."""
    random = np.random.default_rng(1)
    frames = []
    for (name, engine, op, block), seconds in times.items():
        library, _, algorithm = name.partition("/")
        number = rounds + 3
        warmup = np.arange(number) < 3
        taken = seconds * (1 + 0.02 * random.standard_exponential(number)) * np.where(warmup, 10, 1)
        wall = np.round(taken * 1e9).astype(np.int64)
        frames.append(
            pd.DataFrame(
                {
                    "implementation": name, "library": library, "algorithm": algorithm,
                    "kind": "cipher" if library == "baseline" else KINDS[op], "engine": engine, "model": "oneshot",
                    "op": op, "bytes": size, "block_size": block, "threads": threads,
                    "schedule": "dynamic" if engine == "parsplit" else "", "placement": "separate", "cache": "warm",
                    "mask": "", "replica": 0,
                    "round": np.arange(number), "warmup": warmup, "batch": 1, "wall_ns": wall, "cpu_ns": wall,
                    "tsc_ticks": wall * 4, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
                    "involuntary_switches": 0, "status": "ok", "seconds": wall * 1e-9,
                    "gib_per_s": size / 2**30 / (wall * 1e-9), "cycles_per_byte": wall * 4 / size,
                }
            )
        )  # fmt: skip
    samples = pd.concat(frames, ignore_index=True)
    return samples.assign(order=np.arange(len(samples)))


@pytest.fixture
def aead_samples() -> pd.DataFrame:
    return make_samples(AEAD_TIMES)


@pytest.fixture
def hash_samples() -> pd.DataFrame:
    return make_samples(HASH_TIMES)


@pytest.fixture
def samples_of() -> MakeSamples:
    return make_samples


OfCases = Callable[..., pd.DataFrame]


def samples_of_cases(
    times: Mapping[BenchCase, float | np.ndarray],
    rounds: int = 30,
    noise: float = 0.005,
    failed: tuple[BenchCase, ...] = (),
    **attrs: object,
) -> pd.DataFrame:
    """Samples of these cases, of one time or of one for each round, with some noise, the same every time.

    `failed` ones have their reason only.
    """
    random = np.random.default_rng(1)
    frames = []
    for case, seconds in times.items():
        wall = np.round(seconds * np.exp(random.normal(0, noise, rounds)) * 1e9).astype(np.int64)
        frames.append(_frame(case, wall, np.arange(rounds), "ok"))
    frames += [_frame(case, np.array([0]), np.array([-1]), "failed: it crashed") for case in failed]
    samples = pd.concat(frames, ignore_index=True)
    samples = samples.assign(order=np.where(samples["status"] == "ok", np.arange(len(samples)), -1))
    samples.attrs.update(attrs)
    return samples


def _frame(case: BenchCase, wall: np.ndarray, rounds: np.ndarray, status: str) -> pd.DataFrame:
    library, _, algorithm = case.implementation.partition("/")
    kind = "cipher" if library == "baseline" else KINDS.get(case.op, "cipher")
    ok = status == "ok"
    derived = {
        "seconds": wall * 1e-9 if ok else np.nan,
        "gib_per_s": case.bytes / 2**30 / (wall * 1e-9) if ok else np.nan,
        "cycles_per_byte": wall * 4 / max(case.bytes, 1) if ok else np.nan,
    }
    facts = {"library": library, "algorithm": algorithm, "kind": kind, "warmup": not ok, "status": status}
    clocks = {"wall_ns": wall, "cpu_ns": wall, "tsc_ticks": wall * 4}
    columns = {**case.row(), **facts, "round": rounds, "batch": 1, **clocks, **derived}
    return pd.DataFrame(columns, index=range(len(wall)))


@pytest.fixture(scope="session")
def of_cases() -> OfCases:
    return samples_of_cases


def all_texts(figure: Figure) -> list[Text]:
    """Everything that a reader sees as words or numbers."""
    found = [*figure.texts]
    for axes in figure.axes:
        for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
            found += [axis.label, *(tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)]
        found += [*axes.texts, axes.title, axes._left_title]
    return [text for text in found if text.get_text().strip() and text.get_visible()]


@pytest.fixture
def texts() -> Callable[[Figure], list[Text]]:
    return all_texts


@pytest.fixture
def written() -> Callable[[Figure], list[str]]:
    return lambda figure: [text.get_text() for text in all_texts(figure)]


@pytest.fixture
def noted() -> Callable[[Figure], str]:
    """What is written at the foot of a figure, its lines joined."""

    def notes(figure: Figure) -> str:
        lines = [text for text in figure.texts if text.get_va() == "baseline"]
        return " ".join(text.get_text() for text in sorted(lines, key=lambda text: -text.get_position()[1]))

    return notes


@pytest.fixture
def check_layout() -> Callable[[Figure, str], None]:
    """``check_layout(figure, venue)``: of the venue's width, and no text is clipped, small or over another."""

    def check(figure: Figure, name: str) -> None:
        width, height = figure.get_size_inches()
        assert width == venue(name).width
        assert height <= venue(name).height
        with settings():
            figure.canvas.draw()
            boxes = [(text.get_text(), text.get_window_extent()) for text in all_texts(figure)]
        assert min(text.get_fontsize() for text in all_texts(figure)) >= 6
        for text, box in boxes:
            assert box.x0 >= 0 and box.x1 <= width * figure.dpi, text
            assert box.y0 >= 0 and box.y1 <= height * figure.dpi, text
        for (first, a), (second, b) in combinations(boxes, 2):
            # Line boxes of neighbouring rows may touch; the letters in them do not.
            shared = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert shared[0] <= 0 or shared[1] <= 0.02 * figure.dpi, (first, second)

    return check
