"""Wiping of the memory of a generator when its key is freed, observed from another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeadlab.catalogue import native
from aeadlab.verify.cases import pseudorandom

LINKED = {i.name: i for i in native.linked()}
FORMS = ("per-thread", "inlined", "locked", "unlocked")

CHILD = """
import sys
from aeadlab import _native

one = next(i for i in _native.linked() if f"{i.library}/{i.algorithm}" == sys.argv[1])
one.generate(bytes.fromhex(sys.argv[2]), [4])
print("done", flush=True)
input()
"""


def writable_memory(pid: int) -> Iterator[bytes]:
    """Iterate over the writable memory of a process, without its stack."""
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
                where, access = line.split()[:2]
                if "w" in access and not line.endswith("[stack]"):
                    start, end = (int(place, 16) for place in where.split("-"))
                    memory.seek(start)
                    yield memory.read(end - start)
    except PermissionError:
        pytest.skip("the memory of other processes cannot be read here")


def remains(name: str, key: bytes, secret: bytes) -> bool:
    """Return whether the memory of a process that generated four bytes contains 16 bytes of a secret."""
    command = [sys.executable, "-c", CHILD, name, key.hex()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin and child.stdout
        assert child.stdout.readline() == "done\n"
        memory = b"".join(writable_memory(child.pid))
        print(file=child.stdin, flush=True)
    return any(secret[start : start + 16] in memory for start in range(0, len(secret), 16))


def rc4_state(key: bytes) -> bytes:
    """Return the initial permutation of RC4."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    return bytes(state)


@pytest.mark.parametrize("form", [*FORMS, "looked-up"])
def test_wipes_the_state_of_rc4(form: str) -> None:
    """Four bytes of output change the state in only eight positions."""
    key = pseudorandom(f"wiped {form}", 16)
    assert not remains(f"generators/rc4.{form}", key, rc4_state(key))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("algorithm", ["chacha20", "salsa20", "aes-256-ctr", "aegis-128l-stream", "blake3-xof"])
def test_wipes_buffered_output(algorithm: str, form: str) -> None:
    one = LINKED[f"generators/{algorithm}.{form}"]
    key = pseudorandom(f"wiped {algorithm}", one.description.key_bytes)
    assert not remains(one.name, key, one.generate(key, [1024])[64:])


def test_search_finds_a_secret_that_remains() -> None:
    """The hexadecimal key among the arguments of the process remains in memory, so the search must find it."""
    key = pseudorandom("argument", 16)
    assert remains("generators/rc4.locked", key, key.hex().encode())
