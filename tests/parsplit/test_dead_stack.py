"""No key remains in dead stack frames of any thread, whatever the implementation leaves there."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from aeadlab import Keyed, ParSplit, decrypt_iter, message_key
from aeadlab.catalogue import load
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import Error
from aeadlab.parsplit import schedules
from tests.fixtures.dead_stack import Caller, in_fork
from tests.fixtures.own_format import Writer
from tests.fixtures.thorough import share

ROOT = Path(__file__).resolve().parents[2]
LEAVING_KEYS = ("ring/chacha20-poly1305", "aws-lc/chacha20-poly1305", "rustcrypto/aes-128-gcm", "graviola/aes-256-gcm")
"""Implementations that leave keys in their frames, for tests of every schedule."""
Operation = Callable[[bytes], object]
Case = tuple[str, int]
Search = Callable[[Caller], list[Case]]


def keyed() -> Iterator[NativeImplementation]:
    for implementation in load():
        if isinstance(implementation, NativeImplementation):
            description = implementation.description
            if description.key_bytes >= 16 and "baseline" not in description.flags:
                yield implementation


def operations(implementation: NativeImplementation) -> dict[str, Operation]:
    """Return every operation of an implementation, as functions of the key."""
    native, d = implementation.native, implementation.description
    # MGM requires a nonce whose first bit is 0.
    data, nonce = os.urandom(960), bytes(d.nonce_bytes)
    forged = os.urandom(960 + d.tag_bytes)

    def rejected(key: bytes) -> None:
        with contextlib.suppress(Error):
            native.open(key, nonce, forged, b"")

    kinds: dict[str, dict[str, Operation]] = {
        "aead": {
            "seal": lambda key: native.seal(key, nonce, data, b""),
            "open": lambda key: native.open(key, nonce, native.seal(key, nonce, data, b""), b""),
            "rejected": rejected,
        },
        "cipher": {
            "encrypt": lambda key: native.encrypt(key, nonce, data),
            "decrypt": lambda key: native.decrypt(key, nonce, data),
        },
        "mac": {"digest": lambda key: native.digest(key, nonce, data)},
        "generator": {"generate": lambda key: native.generate(key, [16, 960])},
    }
    return kinds.get(d.kind, {})


def single_calls(implementation: NativeImplementation, caller: Caller) -> list[Case]:
    cases = []
    for name, operation in operations(implementation).items():
        key = os.urandom(implementation.description.key_bytes)
        case = f"{implementation.name} {name}"
        cases.append((case, caller.remainder(key, lambda: operation(key))))  # noqa: B023
    return cases


def messages(name: str, schedule_names: tuple[str, ...], caller: Caller) -> list[Case]:
    cases = []
    for schedule in schedule_names:
        cipher = ParSplit(name, 960, 3, schedule, serial_below=0)
        nonce = os.urandom(cipher.nonce_bytes)
        for length in (0, 9600):
            data, forged = os.urandom(length), os.urandom(cipher.sealed_bytes(length))

            def rejected(key: bytes, cipher=cipher, nonce=nonce, forged=forged) -> None:  # type: ignore[no-untyped-def]
                with contextlib.suppress(Error):
                    cipher.decrypt(key, nonce, forged)

            def sealed(key: bytes, cipher=cipher, nonce=nonce, data=data) -> None:  # type: ignore[no-untyped-def]
                # Some AEADs reject an empty message.
                with contextlib.suppress(Error):
                    cipher.encrypt(key, nonce, data)

            for operation in (sealed, rejected):
                key = os.urandom(cipher.key_bytes)
                found = caller.remainder(key, lambda: operation(key))  # noqa: B023
                cases.append((f"{name} {schedule} {operation.__name__} {length}", found))
    return cases


def streams(caller: Caller) -> list[Case]:
    """Streams and derived keys; a key that is derived is searched as well."""
    cases = []
    for name in LEAVING_KEYS:
        cipher, nonce, data = Writer(name, 960, 3, serial_below=0), os.urandom(7), os.urandom(9600)
        key = os.urandom(cipher.key_bytes)

        def stream(cipher=cipher, key=key, data=data) -> None:  # type: ignore[no-untyped-def]
            sealed = list(cipher.encrypt_iter(key, [data]))
            assert b"".join(decrypt_iter(key, sealed)) == data

        def direct(cipher=cipher, key=key, nonce=nonce, data=data) -> None:  # type: ignore[no-untyped-def]
            list(cipher.encrypt_iter(key, [data], nonce=nonce))

        cases += [(f"{name} stream", caller.remainder(key, stream)), (f"{name} direct", caller.remainder(key, direct))]
        salt = os.urandom(32)
        derived = message_key(key, salt).key
        cases.append((f"{name} derived", caller.remainder(derived, lambda: message_key(key, salt))))  # noqa: B023
    return cases


def in_child(code: str) -> str:
    """Run code in a process that imports this file and has only its own threads."""
    if not os.access("/proc/self/mem", os.R_OK):
        pytest.skip("the memory of a process is read on Linux")
    head = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    head += "from tests.parsplit.test_dead_stack import *\n"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", head + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept_key(name: str, caller: Caller) -> list[Case]:
    """Messages with a kept key, before and after it is wiped."""
    cipher = ParSplit(name, 960, 3, serial_below=0)
    key, nonce, data = os.urandom(cipher.key_bytes), bytes(cipher.nonce_bytes), os.urandom(9600)
    made: list[Keyed] = []
    work: dict[str, Callable[[], object]] = {
        "new": lambda: made.append(cipher.with_key(key)),
        "encrypt": lambda: made[0].encrypt(nonce, data),
        "close": lambda: made[0].close(),
    }
    return [(f"{name} with_key {case}", caller.remainder(key, call)) for case, call in work.items()]


def check(searches: dict[str, list[Search]]) -> None:
    """Run the searches of each library in a fork; raise AssertionError with the cases that left a part of a key."""
    cases = [case for group in searches.values() for case in in_fork(partial(run_all, group))]
    found = [f"{case}: {count}" for case, count in cases if count]
    assert not found, f"{len(found)} of {len(cases)} cases left windows of the key: {found}"
    print(f"{len(cases)} cases")


def run_all(searches: list[Search]) -> list[Case]:
    # One thread makes all calls: each further one would be another stack to search.
    caller = Caller()
    return [case for search in searches for case in search(caller)]


def by_library(
    implementations: Iterable[NativeImplementation], search: Callable[[NativeImplementation, Caller], list[Case]]
) -> dict[str, list[Search]]:
    groups: dict[str, list[Search]] = {}
    for implementation in implementations:
        groups.setdefault(implementation.description.library, []).append(partial(search, implementation))
    return groups


def test_single_calls_of_every_implementation() -> None:
    print(in_child("check(by_library(share(keyed(), 3), single_calls))"))


def test_parsplit_with_every_aead() -> None:
    code = """
aeads = [i for i in keyed() if i.description.kind == "aead" and i.description.nonce_bytes >= 12]
check(by_library(share(aeads, 4), lambda i, caller: messages(i.name, ("dynamic",), caller)))
"""
    print(in_child(code))


def test_every_schedule() -> None:
    code = f"""
names = tuple(name for name in schedules.NAMES if name not in schedules.absent() and not name.startswith("numba"))
names += schedules.EXPERIMENTS
check({{name: [partial(messages, name, names)] for name in {share(LEAVING_KEYS, 2)!r}}})
"""
    print(in_child(code))


@pytest.mark.parametrize("schedule", sorted(schedules.ONE_PER_PROCESS))
def test_schedules_of_numba(schedule: str) -> None:
    if schedule not in schedules.absent():
        print(
            in_child(
                f"check({{'': [partial(messages, name, ({schedule!r},)) for name in {share(LEAVING_KEYS, 4)!r}]}})"
            )
        )


def test_streams_derived_and_kept_keys() -> None:
    print(in_child("check({'': [streams, *(partial(kept_key, name) for name in LEAVING_KEYS)]})"))
