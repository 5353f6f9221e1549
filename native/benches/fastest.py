"""What the lab adds to a message of 16 bytes, for the AEAD that is the fastest at that length here.

The loop in C calls the very function that the implementation calls, inside of the extension. A loop that is linked with
the library once more would compare two copies, each where its linker put it. The extension exports none of its
functions, but has a table that tells where they are.

A keyed case has one nonce, and so has the loop. A loop that counts in its nonce is no measure here: AEGIS reads the
nonce 16 bytes at a time, for which a processor waits until the 8 bytes of the counter have left its store buffer (12 ns
on a Zen 4), and what the lab adds would hide in that time.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import partial
from pathlib import Path

from bar import Absent, Bar, Keyed
from loop import NotHereError, beside, compiled

from aeadlab import _native, load
from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue.native import NativeImplementation

NAME = "16 bytes through the ABI, the fastest AEAD, against a loop in C"
BYTES = 16
SEARCH_ROUNDS, SEARCH_SECONDS = 15, 2e-4
SOURCE = Path(__file__).with_name("aegis_loop.c")
FUNCTIONS = {"libaegis": "{}_encrypt_detached", "libsodium": "crypto_aead_{}_encrypt_detached"}
"""What a library's AEGIS is called, in the order in which the loop in C counts the libraries."""


def bars() -> list[Bar | Absent]:
    """The bar of this file."""
    ours = _fastest()
    try:
        loop = Loop(ours)
    except NotHereError as error:
        return [Absent(NAME, str(error))]
    found, alone = beside(ours, partial(loop.ns, False))
    batch = ours.batch(SEARCH_SECONDS)
    with machine_lock():
        counting = min(loop.ns(True, batch) for _ in range(SEARCH_ROUNDS))
    note = (
        f"{ours.implementation.name}, keyed, nonce and tag; the loop takes {alone:.0f} ns per message, "
        f"and {counting:.0f} ns where it counts in the nonce"
    )
    return [Bar(NAME, found.estimate, found.low, found.high, 5.0, "<=", "ns", note)]


def _fastest() -> Keyed:
    """By the shortest batch of each, which is the one that was disturbed the least."""
    aeads = [
        Keyed(one.name, BYTES, "separate")
        for one in load()
        if isinstance(one, NativeImplementation)
        and one.description.kind == "aead"
        and "baseline" not in one.description.flags
        and BYTES % one.description.block_bytes == 0
    ]
    with machine_lock():
        batches = [one.batch(SEARCH_SECONDS) for one in aeads]
        rounds = [[one.ns(batch) for one, batch in zip(aeads, batches, strict=True)] for _ in range(SEARCH_ROUNDS)]
    shortest = [min(times) for times in zip(*rounds, strict=True)]
    return aeads[shortest.index(min(shortest))]


class Loop:
    """The loop in C over the function that `ours` calls.

    Raises
    ------
    NotHereError
        If there is no loop for it, the loop cannot be compiled, or the function cannot be found.
    """

    def __init__(self, ours: Keyed) -> None:
        what = ours.implementation.description
        if what.library not in FUNCTIONS or not what.algorithm.startswith("aegis-"):
            raise NotHereError(f"the fastest is {ours.implementation.name}, for which there is no loop in C")
        function = FUNCTIONS[what.library].format(what.algorithm.removesuffix("-tag256").replace("-", ""))
        library = compiled(SOURCE)
        library.loop_key.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        library.loop_seal.argtypes = [
            *(ctypes.c_int, ctypes.c_void_p, ctypes.c_int),
            *(ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint64),
        ]
        library.loop_seal.restype = ctypes.c_int64
        library.loop_sealed.restype = ctypes.c_void_p
        self._seal = partial(library.loop_seal, list(FUNCTIONS).index(what.library), _address(function))
        self._tag_bytes = what.tag_bytes
        key = bytes(range(what.key_bytes))
        if not library.loop_key(key, len(key)):
            raise SystemExit(f"the loop in C takes no key of {len(key)} bytes")
        # A loop that computes something else would be no measure.
        sealed = ours.implementation.seal(key, (3).to_bytes(what.nonce_bytes, "little"), bytes(BYTES))
        for counts in (True, False):
            self.ns(counts, 3)
            if ctypes.string_at(library.loop_sealed(), BYTES + what.tag_bytes) != sealed:
                raise SystemExit(f"the loop in C and {ours.implementation.name} seal the same message differently")

    def ns(self, counts: bool, batch: int) -> float:
        """Nanoseconds per message; `counts` says whether each has another nonce."""
        took: int = self._seal(counts, BYTES, self._tag_bytes, batch)
        if took < 0:
            raise SystemExit("the loop in C fails")
        return took / batch


def _address(function: str) -> int:
    """Where a function of the extension is, which its table of symbols says relative to one that can be looked up."""
    if shutil.which("nm") is None:
        raise NotHereError("there is no nm to read the table of symbols with")
    file, exported = str(Path(_native.__file__).resolve()), "PyInit__native"
    listed = subprocess.run(["nm", "--defined-only", file], capture_output=True, text=True, check=True).stdout
    # A build since then has put another file there, whose table says nothing about the one that is deleted.
    if not any(line.endswith(file) for line in Path("/proc/self/maps").read_text().splitlines()):
        raise NotHereError("the extension was built anew after it was loaded")
    table = {name: int(place, 16) for place, _, name in map(str.split, listed.splitlines())}
    if function not in table or exported not in table:
        raise NotHereError(f"the extension's table of symbols has no {function}, as where it was stripped")
    there = ctypes.cast(ctypes.CDLL(file)[exported], ctypes.c_void_p).value
    if there is None:
        raise NotHereError(f"the extension has no {exported}")
    return there + table[function] - table[exported]
