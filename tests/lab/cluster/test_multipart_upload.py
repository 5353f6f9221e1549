"""The program of docs/ONE-MESSAGE.md seals one object on two workers, and `cryptography` opens it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import aeadlab
from tests.fixtures.examples import ROOT, find

HEADER, PART = b"object 1", 64 << 10


def upload(folder: Path, size: int) -> tuple[bytes, bytes, list[bytes], bytes]:
    """Run the program; return the object's key, its nonce, the stored parts, and the object."""
    (program,) = find("docs/ONE-MESSAGE.md", "Parts on many machines", "python")
    (folder / "upload.py").write_text(program)
    (folder / "bucket").mkdir()
    keys, data = os.urandom(64), os.urandom(size)
    (folder / "keys").write_bytes(keys)
    (folder / "object").write_bytes(data)
    command = [sys.executable, "upload.py", "object", "bucket", "keys", str(PART)]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    parts = [path.read_bytes() for path in sorted((folder / "bucket").iterdir())]
    return keys[:32], bytes.fromhex(done.stdout), parts, data


def test_an_object_from_two_workers_is_one_standard_message(tmp_path: Path) -> None:
    size = 10 * PART + 12345
    key, nonce, parts, data = upload(tmp_path, size)
    assert [len(part) for part in parts] == [PART] * 10 + [12345 + 16]
    sealed = b"".join(parts)
    assert AESGCM(key).decrypt(nonce, sealed, HEADER) == data
    assert aeadlab.AESGCM(key).decrypt(nonce, sealed, HEADER) == data
    decryptor = Cipher(algorithms.AES(key), modes.GCM(nonce, sealed[-16:])).decryptor()
    decryptor.authenticate_additional_data(HEADER)
    opened = b"".join(map(decryptor.update, [*parts[:-1], parts[-1][:-16]])) + decryptor.finalize()
    assert opened == data
    swapped = b"".join([parts[1], parts[0], *parts[2:]])
    with pytest.raises(InvalidTag):
        AESGCM(key).decrypt(nonce, swapped, HEADER)


def test_the_command_line_of_openssl_has_no_gcm() -> None:
    """The page says so; if this fails, the example can open the object with it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no command openssl")
    command = [openssl, "enc", "-d", "-aes-256-gcm", "-K", "00" * 32, "-iv", "00" * 12]
    done = subprocess.run(command, input=b"", capture_output=True)
    assert done.returncode != 0 and b"AEAD ciphers not supported" in done.stderr
