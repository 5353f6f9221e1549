"""Standard file formats in memory, as a command and at random positions, against their own programs and `cp`.

``python native/benches/run.py formats`` runs these benchmarks alone. They need two idle cores.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from benchmark import Absent, Benchmark, Effort, durations, ratio_of_times, within_one_process
from cryptography import cobblestone
from reused import AEAD, COPY, copy, interleaved

from aeadlab import AESGCM, ParSplit
from aeadlab.catalogue import load
from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.display.units import count_noun
from aeadlab.errors import UnknownNameError
from aeadlab.files import SealedFile, decrypt, encrypt, encrypt_file, generate_identity
from aeadlab.host.cores import process_cores

KIB, MIB = 1 << 10, 1 << 20
KEY_128, KEY_256 = bytes(range(16)), bytes(range(32))
LONG, MEDIUM, FILE = 1024 * MIB, 64 * MIB, 4096 * MIB
PATIENCE = 30.0
"""Seconds that are spent waiting for idle cores."""
COMMAND = (sys.executable, "-c", "import sys; from aeadlab.cli import main; sys.exit(main())", "encrypt", "--key-file")
PEAK = (
    sys.executable,
    "-c",
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
)
READS = 2000
FLOE_OVERHEAD = 32
"""Bytes of a segment beside its plaintext."""
PROGRAMS = (
    ("age", "go-age/age.reused", 2, 3.0),
    ("floe", "fast-floe/floe.reused", 1, 1.0),
    ("floe", "fast-floe/floe.reused", 2, 1.7),
)
"""Format, implementation of the catalogue, threads of this project, and the bar."""
NOTE = "{cores} cores; GiB/s: {speeds}"


def benchmarks(effort: Effort) -> list[Benchmark | Absent]:
    """Return the benchmarks of this file."""
    return [
        _against_limits(effort),
        *_against_pyca(effort),
        _against_pyrage(effort),
        *(_against_program(effort, *row) for row in PROGRAMS),
        *_command(effort),
        _random_reads(effort),
    ]


def _compared(
    calls: dict[str, Callable[[], object]], length: int, rounds: int, effort: Effort
) -> tuple[dict[str, np.ndarray], bool, str]:
    """Return the times of all calls, whether the cores were idle, and a note with the speeds."""
    times, idle = interleaved(calls, 1, effort.rounds(rounds), effort.seconds(PATIENCE))
    speeds = ", ".join(f"{name} {length / np.median(found) / (1 << 30):.2f}" for name, found in times.items())
    note = NOTE.format(cores=process_cores(), speeds=speeds)
    return times, idle, note if idle else f"{note}; NOT JUDGED, because other programs used the cores"


def _against_limits(effort: Effort) -> Benchmark:
    length = effort.bytes(LONG)
    data, out = np.ones(length, np.uint8).data, np.ones(length + length // 512 + KIB, np.uint8).data
    copy()
    copier = ParSplit(COPY, 256 * KIB, 2, baseline=True)
    calls: dict[str, Callable[[], object]] = {
        "cobblestone-256": partial(encrypt, KEY_256, data, threads=2, out=out),
        "one thread": partial(AESGCM(KEY_256, 1).encrypt_into, bytes(12), data, None, out[: length + 16]),
        "copy": partial(
            copier.with_key(bytes(copier.key_bytes)).encrypt_into, bytes(copier.nonce_bytes), data, None, out
        ),
    }
    times, idle, note = _compared(calls, length, 12, effort)
    limit = np.maximum(times["one thread"] / 2, times["copy"])
    found = ratio_of_times(limit, times["cobblestone-256"])
    title = f"cobblestone-256, 2 threads, over the smaller of 2 x one message and a copy, {LONG // MIB} MiB"
    return Benchmark.of(title, found, 0.90 if idle else None, ">=", "", note)


def _against_pyca(effort: Effort) -> list[Benchmark]:
    length = effort.bytes(MEDIUM)
    data, out = np.ones(length, np.uint8).tobytes(), np.ones(length + length // 512 + KIB, np.uint8).data
    sealed = bytes(encrypt(KEY_128, data, format="cobblestone-128"))

    def pyca(kind: type, octets: bytes) -> None:
        context = kind(KEY_128, b"")
        context.update(octets)
        context.finalize()

    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "seal": (
            partial(encrypt, KEY_128, data, format="cobblestone-128", threads=2, out=out),
            partial(pyca, cobblestone.Cobblestone128Encryptor, data),
        ),
        "open": (
            partial(decrypt, KEY_128, sealed, threads=2, out=out),
            partial(pyca, cobblestone.Cobblestone128Decryptor, sealed),
        ),
    }
    found = []
    for op, (ours, theirs) in pairs.items():
        times, idle, note = _compared({"ours": ours, "pyca": theirs}, length, 30, effort)
        ratio, bound = ratio_of_times(times["pyca"], times["ours"]), 8.0 if idle else None
        title = f"cobblestone-128, 2 threads, over pyca, {op}, {MEDIUM // MIB} MiB"
        found.append(Benchmark.of(title, ratio, bound, ">=", "", note))
    return found


def _against_pyrage(effort: Effort) -> Benchmark | Absent:
    title = f"age, 2 threads, over pyrage, seal, {MEDIUM // MIB} MiB"
    try:
        import pyrage
    except ImportError:
        return Absent(title, "the package pyrage is not installed")
    length, identity = effort.bytes(MEDIUM), generate_identity()
    data, out = np.ones(length, np.uint8).tobytes(), np.ones(length + length // 512 + KIB, np.uint8).data
    theirs = pyrage.x25519.Identity.from_str(identity).to_public()
    calls: dict[str, Callable[[], object]] = {
        "ours": partial(encrypt, identity, data, format="age", threads=2, out=out),
        "pyrage": partial(pyrage.encrypt, data, [theirs]),
    }
    times, idle, note = _compared(calls, length, 20, effort)
    return Benchmark.of(title, ratio_of_times(times["pyrage"], times["ours"]), 8.0 if idle else None, ">=", "", note)


def _against_program(effort: Effort, format: str, name: str, threads: int, bound: float) -> Benchmark | Absent:
    """Compare sealing with a program of the catalogue, which has one thread; both write to reused memory."""
    aead = " with the same AEAD" * (format == "floe")
    others = f"{name.partition('/')[0]}{aead}"
    title = f"{format}, {count_noun(threads, 'thread')}, over {others}, seal, {MEDIUM // MIB} MiB"
    try:
        program = load().find(name)
    except UnknownNameError as error:
        return Absent(title, str(error))
    assert isinstance(program, Adapter)
    length, identity = effort.bytes(MEDIUM), generate_identity()
    data, out = np.ones(length, np.uint8).tobytes(), np.ones(length + length // 512 + KIB, np.uint8).data
    own = identity if format == "age" else KEY_256
    calls: dict[str, Callable[[], object]] = {
        "ours": partial(encrypt, own, data, format=format, threads=threads, out=out),
        program.name: program.prepare_call("seal", "oneshot", KEY_256, b"", data),
    }
    if format == "floe":
        # The AEAD of fast-floe, so that the format is compared and not OpenSSL with AWS-LC.
        cipher = ParSplit("aws-lc/aes-256-gcm", MIB - FLOE_OVERHEAD, threads)
        calls["ours"] = partial(encrypt, own, data, format=format, cipher=cipher, out=out)
    times, idle, note = _compared(calls, length, 20, effort)
    ratio = ratio_of_times(times[program.name], times["ours"])
    return Benchmark.of(title, ratio, bound if idle else None, ">=", "", note)


def _peak(command: tuple[str, ...]) -> int:
    """Return the peak of the memory of a process that ends with status 0, in bytes.

    A small process starts it, because Linux counts the memory of the one that forks, and this one has gibibytes.
    """
    return int(subprocess.run((*PEAK, *command), check=True, stdout=subprocess.PIPE).stdout) * KIB


def _command(effort: Effort) -> list[Benchmark | Absent]:
    title = f"`aeadlab encrypt` over `cp`, {FILE // MIB} MiB to a file in memory"
    memory = Path("/dev/shm")
    if not memory.is_dir():
        return [Absent(title, "there is no /dev/shm")]
    length = effort.bytes(FILE)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=memory) as fast:
        key, plain, empty, sealed = Path(folder, "key"), Path(folder, "plain"), Path(folder, "empty"), Path(fast, "out")
        key.write_bytes(KEY_256)
        key.chmod(0o600)
        empty.touch()
        with plain.open("wb") as file:
            for _ in range(max(1, length // MIB)):
                file.write(bytes(MIB))
        encrypting = (*COMMAND, str(key), "--force", str(plain), str(sealed))

        def to_new_file(command: tuple[str, ...]) -> None:
            # `aeadlab encrypt` keeps an old output until the new one is complete: twice the memory, where `cp` would
            # reuse the pages of the old one. Removing it is part of both times, as truncating it is part of that of cp.
            sealed.unlink(missing_ok=True)
            subprocess.run(command, check=True)

        calls: dict[str, Callable[[], object]] = {
            "encrypt": partial(to_new_file, encrypting),
            "cp": partial(to_new_file, ("cp", str(plain), str(sealed))),
        }
        times, idle, note = _compared(calls, max(length, MIB), 6, effort)
        peaks = [_peak(encrypting) for _ in range(effort.rounds(5))]
        base = _peak((*COMMAND, str(key), "--force", str(empty), str(sealed)))
    extra = within_one_process(np.array([peak - base for peak in peaks], dtype=float) / MIB)
    text = f"more than with an empty file, which takes {base / MIB:.0f} MiB"
    return [
        Benchmark.of(title, ratio_of_times(times["cp"], times["encrypt"]), 0.5 if idle else None, ">=", "", note),
        Benchmark.of("peak memory of `aeadlab encrypt`", extra, 64.0, "<=", "MiB", text),
    ]


def _random_reads(effort: Effort) -> Benchmark:
    """Return the time of a read of 100 bytes at random positions of a file in the page cache."""
    length = max(effort.bytes(FILE), MIB)
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sealed")
        with tempfile.TemporaryFile() as plain:
            plain.truncate(length)
            encrypt_file(KEY_256, plain, path)
        with SealedFile(KEY_256, path, threads=1) as file:
            buffer = bytearray(100)

            def read() -> None:
                file.seek(int(random.integers(length - 100)))
                file.readinto(buffer)

            found = within_one_process(durations(read, effort.rounds(READS)) * 1e6)
    note = f"at random positions of {length // MIB} MiB; each reads and opens one or two chunks of 16 KiB with {AEAD}"
    return Benchmark.of("random read of 100 bytes from a SealedFile", found, 100.0, "<=", "us", note)
